/** `rules.json` of the state directory: what an operator answered for all conversations. Nothing else writes it. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import { type Clock, type Logger } from "@margay/core";
import { grantKey, readIfExists, replaceFile, sha256, type SavedRule, type SavedRules } from "@margay/core/internal";

/** Enough of an id to be meant. */
const MIN_ID_CHARS = 4;

/** Told of each rule that is made or taken back. */
export type RuleChanged = (name: "rule.saved" | "rule.removed", rule: SavedRule) => void;

/** Read anew for each question: a rule that was taken back holds no longer, whoever took it back. */
export function openSavedRules(home: string, clock: Clock, log: Logger, changed?: RuleChanged): SavedRules {
  const path = join(home, "rules.json");
  const write = (rules: readonly SavedRule[]): void =>
    replaceFile(path, `${JSON.stringify({ version: 1, rules }, null, 2)}\n`);
  const read = (): readonly SavedRule[] | undefined => {
    const text = readIfExists(path)?.toString("utf8");
    if (text === undefined) return [];
    try {
      const { rules } = JSON.parse(text) as { readonly rules: readonly SavedRule[] }; // looked at in the next line
      return rules.every((rule) => typeof rule.id === "string" && typeof rule.scope === "object") ? rules : undefined;
    } catch {
      return undefined; // damaged: told by list()
    }
  };
  const list = (): readonly SavedRule[] => {
    const rules = read();
    // A file that can't be read allows nothing: what it allowed is asked about again.
    if (rules === undefined) log.error("rules.damaged", { path });
    return rules ?? [];
  };
  return {
    list,
    save: (grant, by) => {
      // The same for the same grant, so that it is kept once.
      const rule = { id: sha256(grantKey(grant)).slice(0, 16), ...grant, by, at: clock.now() };
      const others = list().filter(({ id }) => id !== rule.id);
      if (read() === undefined) renameSync(path, join(home, "rules.damaged.json")); // a person may repair it
      write([...others, rule]);
      changed?.("rule.saved", rule);
      return rule;
    },
    remove: (id) => {
      const rules = list();
      const [rule, ...others] = rules.filter((each) => id.length >= MIN_ID_CHARS && each.id.startsWith(id));
      if (rule === undefined || others.length > 0) return undefined;
      write(rules.filter((each) => each !== rule));
      changed?.("rule.removed", rule);
      return rule;
    },
  };
}
