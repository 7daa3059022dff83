/** Answers of `/rules` in both languages. */
import type { Grant, SavedRule } from "../contract/grant.ts";
import { visible } from "../lib/visible.ts";
import { listed } from "./in-markdown.ts";

export interface RuleTexts {
  readonly rules: (saved: readonly SavedRule[], here: readonly Grant[]) => string;
  readonly ruleRemoved: (shown: string) => string;
  readonly noRule: (id: string) => string;
}

export const RULES_EN: RuleTexts = {
  rules: (saved, here) =>
    saved.length + here.length === 0
      ? "Nothing was answered for longer than once."
      : [
          ...(saved.length === 0
            ? []
            : listed(
                "In all chats (`/rules remove ID` takes one back):",
                saved.map((rule) => ruleLine(rule, "by")),
              )),
          ...(here.length === 0
            ? []
            : listed(
                "In this chat, until /new:",
                here.map(({ shown }) => visible(shown)),
              )),
        ].join("\n"),
  ruleRemoved: (shown) => `Asked about again from now on: ${visible(shown)}`,
  noRule: (id) => `There is no rule ${visible(id)}. /rules lists them.`,
};

export const RULES_ZH: RuleTexts = {
  rules: (saved, here) =>
    saved.length + here.length === 0
      ? "没有长期有效的答复。"
      : [
          ...(saved.length === 0
            ? []
            : listed(
                "在所有对话中（`/rules remove 编号` 可撤回）：",
                saved.map((rule) => ruleLine(rule, "由")),
              )),
          ...(here.length === 0
            ? []
            : listed(
                "在此对话中，直到 /new：",
                here.map(({ shown }) => visible(shown)),
              )),
        ].join("\n"),
  ruleRemoved: (shown) => `此后会再次询问：${visible(shown)}`,
  noRule: (id) => `没有规则 ${visible(id)}。/rules 可列出全部。`,
};

/** Id, what it covers, who said it and when. */
function ruleLine({ id, shown, by, at }: SavedRule, word: string): string {
  return `${id.slice(0, 8)} ${visible(shown)} (${word} ${visible(by)}, ${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC)`;
}
