/** Answers of `/trust files`. */
import type { EndorsedFile, LabelledFile } from "../contract/commands.ts";
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
