/** Catalogs of texts: `texts.en.ts` holds one object, `texts.zh.ts` the same keys with the same placeholders. */

/** What a catalog is, whatever its keys. */
export type Catalog = Readonly<Record<string, string>>;

/** Names of the placeholders in a text: `{name}`, or `{n|job|jobs}` for the word that fits a number. */
export type Placeholders<Text extends string> = Text extends `${string}{${infer Hole}}${infer Rest}`
  ? NameOf<Hole> | Placeholders<Rest>
  : never;

/** `{{body}}` and `${vault:NAME}` hold no placeholder: they are shown as they are written. */
type NameOf<Hole extends string> = Hole extends `${string}${"{" | ":" | "." | " "}${string}`
  ? never
  : Hole extends `${infer Name}|${string}`
    ? Name
    : Hole;

type Holding<Names extends string> = (
  [Names] extends [never] ? string : Names extends string ? (text: `${string}{${Names}}${string}`) => void : never
) extends (text: infer Text extends string) => void
  ? Text
  : string;

/** Keys of the texts that need no value. */
export type PlainKey<En extends Catalog> = {
  [Key in keyof En]: [Placeholders<En[Key]>] extends [never] ? Key : never;
}[keyof En];

/** The keys of an English catalog in another language, each text with the placeholders of the English one. */
export type Texts<En extends Catalog> = {
  readonly [Key in keyof En]: Holding<Placeholders<En[Key]>>;
};

/** What a text needs to be shown; of several, what they need together. */
export type Needed<Text extends string> = [Placeholders<Text>] extends [never]
  ? [values?: Values]
  : [values: Readonly<Record<Placeholders<Text>, string | number>>];

export type Values = Readonly<Record<string, string | number>>;

/** Key and values → the text in one language. */
export type Say<En extends Catalog> = <Key extends keyof En & string>(key: Key, ...needed: Needed<En[Key]>) => string;

/** The texts of a folder, in the language that is asked for. */
export function speaker<En extends Catalog>(en: En, zh: Texts<NoInfer<En>>): (language: "en" | "zh-CN") => Say<En> {
  return (language) => {
    const catalog: Catalog = language === "zh-CN" ? zh : en;
    return (key, ...[values]: [values?: Values]) => fill(catalog[key] ?? key, values);
  };
}

/** The same for what is kept until it is known who reads it. */
export function inBoth<En extends Catalog>(
  en: En,
  zh: Texts<NoInfer<En>>,
): <Key extends keyof En & string>(key: Key, ...needed: Needed<En[Key]>) => Readonly<Record<"en" | "zh-CN", string>> {
  const say = speaker(en, zh);
  return (key, ...needed) => ({ en: say("en")(key, ...needed), "zh-CN": say("zh-CN")(key, ...needed) });
}

/** Whether there is a text of this key that stands by itself: some keys are made of what others name. */
export function isKey<En extends Catalog>(en: En, key: string): key is PlainKey<En> & string {
  return Object.hasOwn(en, key);
}

/** Fills the placeholders; one without a value stays visible, so that a test sees it. */
export function fill(text: string, values: Values = {}): string {
  return text.replaceAll(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (hole, name: string, one?: string, other?: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return hole;
    return one === undefined || other === undefined ? String(value) : Number(value) === 1 ? one : other;
  });
}
