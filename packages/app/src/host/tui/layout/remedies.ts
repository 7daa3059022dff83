/** What helps against the reason for which the last turn ended, a key each. */
import { fit, indented, INDENT, wrap, type Kit } from "./kit.ts";

export interface Remedies {
  /** The provider whose key was refused, or is missing. */
  readonly provider?: string;
  /** Another model that could answer. */
  readonly instead?: string;
}

/** `[k] set a new key  [f] use ollama/qwen3:32b  [t] try again  then Enter`. */
export function remedyLines(remedies: Remedies | undefined, width: number, kit: Kit): readonly string[] {
  if (remedies === undefined) return [];
  const { style } = kit;
  const line = remedyWords(remedies, kit)
    .map(([key, word]) => `${style.key(`[${key}]`)} ${word}`)
    .concat(style.dim(kit.texts("remedy.how")))
    .join("  ");
  return [...wrap(line, width - INDENT - 1, kit).map((one) => fit(indented(one), width, kit)), ""];
}

/** Keys with what each does. */
export function remedyWords(
  { provider, instead }: Remedies,
  { texts }: Pick<Kit, "texts">,
): readonly (readonly [key: "k" | "f" | "t", word: string])[] {
  return [
    ...(provider === undefined ? [] : [["k", texts("remedy.key")] as const]),
    ...(instead === undefined ? [] : [["f", texts("remedy.instead", { model: instead })] as const]),
    ["t", texts("remedy.again")],
  ];
}
