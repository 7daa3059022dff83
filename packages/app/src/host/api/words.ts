/** Texts of the gateway's own routes: only a gateway loads them. */
import type { Catalog, Needed, Placeholders, Texts } from "@margay/core/internal";
import { fill, type Language, type Text, type Values } from "../../texts/text.ts";
import type { ProblemDetails } from "./problem.ts";

/** Each text of a catalog in both languages: a route does not know who reads it. */
export type Paired<En extends Catalog> = {
  readonly [Key in keyof En]: { readonly en: En[Key]; readonly "zh-CN": string };
};

export function paired<En extends Catalog>(en: En, zh: Texts<NoInfer<En>>): Paired<En> {
  const chinese: Catalog = zh;
  const both = Object.entries(en).map(([key, text]) => [key, { en: text, "zh-CN": chinese[key] ?? text }]);
  return Object.fromEntries(both) as Paired<En>; // the keys of `en`
}

export function words<T extends Text>(language: Language, text: T, ...[values]: Needed<T["en"]>): string {
  return fill(text[language], values);
}

/** `words` for one reader. */
export type Sayer = <T extends Text>(text: T, ...needed: Needed<T["en"]>) => string;

export function sayer(language: Language): Sayer {
  return (text, ...[values]) => fill(text[language], values);
}

/** What is told in both languages may hold what is itself. */
type Filling<T extends string> = [Placeholders<T>] extends [never]
  ? [values?: Readonly<Record<string, Value>>]
  : [values: Readonly<Record<Placeholders<T>, Value>>];
type Value = string | number | Text;

/** A text with its values, still in both languages. */
export function filled<T extends Text>(text: T, ...[values]: Filling<T["en"]>): Text {
  return { en: fill(text.en, of("en", values)), "zh-CN": fill(text["zh-CN"], of("zh-CN", values)) };
}

/** What a problem says, in both languages. */
export function told<Detail extends Text, Remedy extends Text = Detail>(
  { detail, remedy }: { readonly detail: Detail; readonly remedy?: Remedy },
  ...[values]: Filling<Detail["en"] | Remedy["en"]>
): Pick<ProblemDetails, "detail" | "remedy" | "zh"> {
  const said = (language: Language): { readonly detail: string; readonly remedy?: string } => ({
    detail: fill(detail[language], of(language, values)),
    ...(remedy && { remedy: fill(remedy[language], of(language, values)) }),
  });
  return { ...said("en"), zh: said("zh-CN") };
}

function of(language: Language, values: Readonly<Record<string, Value>> = {}): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "object" ? value[language] : value]),
  );
}
