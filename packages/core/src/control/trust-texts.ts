/** Answers of `/trust files` and `/rules`: what an operator has let through. */
import type { EndorsedFile, LabelledFile } from "../contract/commands.ts";
import type { Grant, SavedRule } from "../contract/grant.ts";
import { visible } from "../lib/visible.ts";
import { code, listed, unmarked } from "./in-markdown.ts";
import type { SayAnswer } from "./texts.ts";

export interface TrustTexts {
  readonly labelledFiles: (files: readonly LabelledFile[], more: number) => string;
  readonly notShown: (paths: string) => string;
  readonly endorsedFiles: (files: readonly EndorsedFile[]) => string;
}

const ENDORSED = ["endorsed", "disowned", "changed", "unknown"] as const satisfies readonly EndorsedFile["status"][];

export function trustTexts(say: SayAnswer): TrustTexts {
  return {
    labelledFiles: (files, more) =>
      files.length === 0
        ? say("files.none")
        : [
            ...listed(say("files"), [
              ...files.map((file) => fileLine(file, say)),
              ...(more > 0 ? [say("files.more", { n: more })] : []),
            ]),
            say("files.next"),
            ...(files.some(({ origin }) => origin !== undefined) ? [say("files.stranger")] : []),
          ].join("\n"),
    notShown: (paths) => say("files.unseen", { paths }),
    endorsedFiles: (files) =>
      ENDORSED.flatMap((wanted) => {
        const found = files.filter(({ status }) => status === wanted).map(({ path }) => code(path));
        return found.length === 0 ? [] : listed(say(`files.${wanted}`), found);
      }).join("\n"),
  };
}

function fileLine({ path, cause, origin }: LabelledFile, say: SayAnswer): string {
  if (origin !== undefined) return say("files.origin", { path: code(path), origin: unmarked(origin) });
  return cause === undefined ? code(path) : `${code(path)} (${unmarked(cause)})`;
}

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
