/** What `margay approvals rules` and `forget` ask for: of this process, or of the one that holds the lock. */
import type { Json, KeptRules, SavedRule } from "@margay/core";
import type { MailRequest } from "./mailbox.ts";

/** `removed`: the rule that was taken back; null when the id means none, or more than one. */
export interface RulesAnswer {
  readonly rules: readonly SavedRule[];
  readonly removed?: SavedRule | null;
}

/** Enough of an id to be meant. */
const MIN_ID_CHARS = 4;

export function performRules(
  { remove }: Pick<Extract<MailRequest, { type: "rules" }>, "remove">,
  rules: KeptRules,
): RulesAnswer {
  if (remove === undefined) return { rules: rules.list() };
  const found = rules.list().filter(({ id }) => remove.length >= MIN_ID_CHARS && id.startsWith(remove));
  const [rule] = found;
  const isRemoved = rule !== undefined && found.length === 1 && rules.remove(rule.id);
  return { rules: rules.list(), removed: isRemoved ? rule : null };
}

/** For another process. */
export function answerRules(request: Extract<MailRequest, { type: "rules" }>, rules: KeptRules): Json {
  return JSON.parse(JSON.stringify(performRules(request, rules))) as Json; // made of JSON
}
