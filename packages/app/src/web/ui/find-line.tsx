/** A field that finds words in what is beside it, the count of its hits, and the way from one to the next. */
import type { ComponentChildren, RefObject, VNode } from "preact";
import { t } from "../texts/work.ts";
import { Button } from "./button.tsx";

export interface FindLineProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** "3 of 12"; empty while nothing is asked for. */
  readonly count: string;
  /** To the next or the one before. */
  readonly onGo: (by: 1 | -1) => void;
  /** Absent: Escape is of whom it belongs to. */
  readonly onEscape?: () => void;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly autofocus?: boolean;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export function FindLine(props: FindLineProps): VNode {
  const { label, value, onValue, count, onGo, onEscape, field, autofocus = false, children } = props;
  return (
    <>
      <input
        ref={field}
        class="input"
        type="search"
        autofocus={autofocus}
        aria-label={label}
        placeholder={label}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Enter") onGo(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape" && onEscape !== undefined) onEscape();
          else return;
          event.preventDefault();
        }}
      />
      <span class="muted small" role="status">
        {count}
      </span>
      <Button kind="quiet" size="small" icon="arrowUp" label={t("find.previous")} onClick={() => onGo(-1)} />
      <Button kind="quiet" size="small" icon="arrowDown" label={t("find.next")} onClick={() => onGo(1)} />
      {children}
    </>
  );
}

export function toField(field: HTMLInputElement | null): void {
  field?.focus();
  field?.select();
}
