/** Every text a person reads exists in English and Simplified Chinese; the type makes forgetting one impossible. */
export type Language = "en" | "zh-CN";

/** `{name}` is replaced by the value of that name. */
export interface Text {
  readonly en: string;
  readonly "zh-CN": string;
}

/** The same keys in Chinese: a forgotten or a left-over one is a type error. */
export type Chinese<English> = Readonly<Record<keyof English, string>>;

export type Values = Readonly<Record<string, string | number>>;

/** Fills the placeholders; one without a value stays visible, so that a test sees it. */
export function fill(text: string, values: Values = {}): string {
  return text.replaceAll(/\{([a-zA-Z]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

/** The language that a tag, a locale or LANG asks for; undefined when it names neither. */
export function languageOf(tag: string | undefined): Language | undefined {
  if (tag === undefined) return undefined;
  const plain = tag.toLowerCase().replace("_", "-");
  if (plain === "zh" || plain.startsWith("zh-") || plain.startsWith("zh.")) return "zh-CN";
  return plain === "en" || plain.startsWith("en-") || plain.startsWith("en.") ? "en" : undefined;
}
