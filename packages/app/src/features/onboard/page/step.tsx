/** What a step of the wizard gets, and the line of buttons below it. */
import type { ComponentChildren, VNode } from "preact";
import { Button } from "../../../web/ui/button.tsx";
import { t } from "./texts.ts";

export interface StepProps {
  /** To the next step. */
  readonly done: () => void;
  /** To the step before; undefined: there is none. */
  readonly back: (() => void) | undefined;
  /** To the chat. */
  readonly leave: () => void;
}

interface FootProps extends Pick<StepProps, "back"> {
  /** What goes on comes last. */
  readonly children: ComponentChildren;
}

export function StepFoot({ back, children }: FootProps): VNode {
  return (
    <footer class="welcome-foot">
      {back !== undefined && (
        <Button kind="quiet" icon="chevronLeft" onClick={back}>
          {t("back")}
        </Button>
      )}
      <span class="grow" />
      {children}
    </footer>
  );
}
