/** A question before something that can't be undone; it names the thing. */
import { useState } from "preact/hooks";
import type { VNode } from "preact";
import { c } from "../texts/panels-common.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly go: () => void;
}

export interface Confirming {
  ask(question: Question): void;
  /** Drawn where the page wants it; nothing while nothing is asked. */
  readonly dialog: VNode | null;
}

export function useConfirm(): Confirming {
  const [question, setQuestion] = useState<Question | undefined>(undefined);
  const close = (): void => setQuestion(undefined);
  return {
    ask: setQuestion,
    dialog:
      question === undefined ? null : (
        <Dialog
          title={question.title}
          onClose={close}
          footer={
            <>
              <Button onClick={close}>{c("cancel")}</Button>
              <Button
                kind="danger-primary"
                onClick={() => {
                  close();
                  question.go();
                }}
              >
                {question.yes}
              </Button>
            </>
          }
        >
          <p>{question.text}</p>
        </Dialog>
      ),
  };
}
