/** What an operator answered for all conversations. */
import { type Clock, type Logger } from "@margay/core";
import {
  changeDoc,
  grantKey,
  keepAside,
  sha256,
  type Docs,
  type Grant,
  type SavedRule,
  type SavedRules,
} from "@margay/core/internal";

/** Enough of an id to be meant. */
const MIN_ID_CHARS = 4;
const NAME = "rules.json";

/** Told of each rule that is made or taken back. */
export type RuleChanged = (name: "rule.saved" | "rule.removed", rule: SavedRule) => void;

/** Read anew for each question: a rule that was taken back holds no longer, whoever took it back. */
export function openSavedRules(docs: Docs, clock: Clock, log: Logger, changed?: RuleChanged): SavedRules {
  return {
    list: () => {
      const rules = rulesIn(docs.peek(NAME)?.body);
      // What can't be read allows nothing: what it allowed is asked about again.
      if (rules === undefined) log.error("rules.damaged", { name: NAME });
      return rules ?? [];
    },
    save: async (grant, by) => {
      const rule = ruleOf(grant, by, clock.now());
      await keepAside(docs, [NAME, "rules.damaged.json"], (body) => rulesIn(body) === undefined);
      await changeDoc(docs, NAME, (body) => {
        const others = (rulesIn(body) ?? []).filter(({ id }) => id !== rule.id);
        return [textOf([...others, rule]), undefined];
      });
      changed?.("rule.saved", rule);
      return rule;
    },
    remove: async (id) => {
      const removed = await changeDoc(docs, NAME, (body) => {
        const rules = rulesIn(body) ?? [];
        const [rule, ...others] = rules.filter((each) => id.length >= MIN_ID_CHARS && each.id.startsWith(id));
        return rule === undefined || others.length > 0
          ? [body, undefined]
          : [textOf(rules.filter((each) => each !== rule)), rule];
      });
      if (removed !== undefined) changed?.("rule.removed", removed);
      return removed;
    },
  };
}

/** The same for the same grant, so that it is kept once. */
function ruleOf(grant: Grant, by: string, at: number): SavedRule {
  return { id: sha256(grantKey(grant)).slice(0, 16), ...grant, by, at };
}

function textOf(rules: readonly SavedRule[]): string {
  return `${JSON.stringify({ version: 1, rules }, null, 2)}\n`;
}

/** Undefined: it is damaged. */
function rulesIn(body: string | undefined): readonly SavedRule[] | undefined {
  if (body === undefined) return [];
  try {
    const { rules } = JSON.parse(body) as { readonly rules: readonly SavedRule[] }; // looked at in the next line
    return rules.every((rule) => typeof rule.id === "string" && typeof rule.scope === "object") ? rules : undefined;
  } catch {
    return undefined;
  }
}
