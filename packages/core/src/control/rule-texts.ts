/** Answers of `/rules`. */
import type { Grant, SavedRule } from "../contract/grant.ts";
import { visible } from "../lib/visible.ts";
import { listed } from "./in-markdown.ts";
import type { SayAnswer } from "./texts.ts";

export interface RuleTexts {
  readonly rules: (saved: readonly SavedRule[], here: readonly Grant[]) => string;
  readonly ruleRemoved: (shown: string) => string;
  readonly noRule: (id: string) => string;
}

export function ruleTexts(say: SayAnswer): RuleTexts {
  return {
    rules: (saved, here) => {
      if (saved.length + here.length === 0) return say("rules.none");
      const everywhere = saved.map((rule) => ruleLine(rule, say));
      const inThisChat = here.map(({ shown }) => visible(shown));
      return [
        ...(saved.length === 0 ? [] : listed(say("rules.everywhere"), everywhere)),
        ...(here.length === 0 ? [] : listed(say("rules.here"), inThisChat)),
      ].join("\n");
    },
    ruleRemoved: (shown) => say("rules.removed", { shown: visible(shown) }),
    noRule: (id) => say("rules.unknown", { id: visible(id) }),
  };
}

/** Id, what it covers, who said it and when. */
function ruleLine({ id, shown, by, at }: SavedRule, say: SayAnswer): string {
  const time = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return say("rules.line", { id: id.slice(0, 8), shown: visible(shown), by: visible(by), time });
}
