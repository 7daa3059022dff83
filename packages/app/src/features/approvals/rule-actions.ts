/** What `margay approvals rules` and `forget` ask for: of this process, or of the one that holds the lock. */
import type { Json } from "@margay/core";
import type { SavedRules, SavedRule } from "@margay/core/internal";
import type { MailRequest } from "../../host/control/mailbox.ts";

/** `removed`: the rule that was taken back; null: the id means none, or several. */
export interface RulesAnswer {
  readonly rules: readonly SavedRule[];
  readonly removed?: SavedRule | null;
}

export function performRules(
  { remove }: Pick<Extract<MailRequest, { type: "rules" }>, "remove">,
  rules: SavedRules,
): RulesAnswer {
  const removed = remove === undefined ? undefined : { removed: rules.remove(remove) ?? null };
  return { rules: rules.list(), ...removed };
}

/** For another process. */
export function answerRules(request: Extract<MailRequest, { type: "rules" }>, rules: SavedRules): Json {
  return JSON.parse(JSON.stringify(performRules(request, rules))) as Json; // made of JSON
}
