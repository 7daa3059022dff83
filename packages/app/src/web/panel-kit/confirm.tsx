/** A button for what can't be undone: it asks first, and the question names the thing. */
import { useState } from "preact/hooks";
import type { VNode } from "preact";
import { c } from "../texts/panels-common.ts";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface ConfirmButtonProps extends Pick<ButtonProps, "kind" | "icon" | "size"> {
  /** What the button, the question and its answer are called. */
  readonly verb: string;
  readonly text: string;
  readonly go: () => void;
}

export function ConfirmButton({ verb, text, go, ...button }: ConfirmButtonProps): VNode {
  const [asking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <>
      <Button {...button} onClick={() => setAsking(true)}>
        {verb}
      </Button>
      {asking && (
        <Dialog
          title={verb}
          onClose={close}
          footer={
            <>
              <Button onClick={close}>{c("cancel")}</Button>
              <Button
                kind="danger-primary"
                onClick={() => {
                  close();
                  go();
                }}
              >
                {verb}
              </Button>
            </>
          }
        >
          <p>{text}</p>
        </Dialog>
      )}
    </>
  );
}
