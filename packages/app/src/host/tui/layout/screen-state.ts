/** All that is drawn, at one moment. */
import type { Usage } from "@margay/core";
import type { Shown } from "../conversation.ts";
import type { ChatFacts } from "../facts.ts";
import type { Unfolded } from "./kit.ts";
import type { Editing } from "./queue.ts";
import type { Remedies } from "./remedies.ts";

export interface ScreenState {
  readonly shown: Shown;
  readonly session: string;
  readonly usage: Usage;
  readonly unfolded: Unfolded;
  readonly stopping: boolean;
  /** One line under the editor, instead of the status. */
  readonly hint?: string;
  readonly facts: ChatFacts;
  readonly editing?: Editing;
  /** What the reason of a refusal is typed for: the line is shown although a question stands above it. */
  readonly refusing?: boolean;
  readonly remedies?: Remedies;
}
