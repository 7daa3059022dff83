/** Every text a person reads exists in English and Simplified Chinese; the type makes forgetting one impossible. */
export { fill, type Values } from "@margay/core/internal";

export type Language = "en" | "zh-CN";

/** `{name}` is replaced by the value of that name. */
export interface Text {
  readonly en: string;
  readonly "zh-CN": string;
}

/** The language that a tag, a locale or LANG asks for; undefined when it names neither. */
export function languageOf(tag: string | undefined): Language | undefined {
  if (tag === undefined) return undefined;
  const plain = tag.toLowerCase().replace("_", "-");
  if (plain === "zh" || plain.startsWith("zh-") || plain.startsWith("zh.")) return "zh-CN";
  return plain === "en" || plain.startsWith("en-") || plain.startsWith("en.") ? "en" : undefined;
}
