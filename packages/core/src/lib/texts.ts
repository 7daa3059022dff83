/** Catalogs of texts: `texts.en.ts` holds one object, `texts.zh.ts` the same keys with the same placeholders. */

/** Names of the placeholders in a text: `{name}`, or `{n|job|jobs}` for the word that fits a number. */
export type Placeholders<Text extends string> = Text extends `${string}{${infer Hole}}${infer Rest}`
  ? NameOf<Hole> | Placeholders<Rest>
  : never;

/** `{{body}}` is no placeholder: it is shown as it is written. */
type NameOf<Hole extends string> = Hole extends `${string}{${string}`
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
export type PlainKey<En extends Readonly<Record<string, string>>> = {
  [Key in keyof En]: [Placeholders<En[Key]>] extends [never] ? Key : never;
}[keyof En];

/** The keys of an English catalog in another language, each text with the placeholders of the English one. */
export type Texts<En extends Readonly<Record<string, string>>> = {
  readonly [Key in keyof En]: Holding<Placeholders<En[Key]>>;
};
