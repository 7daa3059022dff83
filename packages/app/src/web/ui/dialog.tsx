/** A modal dialog on the native element: it traps and returns the focus, Esc closes it. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../texts/index.ts";
import { Button } from "./button.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons; the one that goes on comes last. */
  readonly footer?: ComponentChildren;
  readonly wide?: boolean;
}

/** Mounted is open: render it conditionally. */
export function Dialog({ title, onClose, children, footer, wide = false }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose(); // the backdrop
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label={t("common.close")} onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
      {footer !== undefined && <div class="dialog-foot">{footer}</div>}
    </dialog>
  );
}
