/** Texts of the gateway's own routes, beside the code that says them: only a gateway loads them. */
import { fill, type Language, type Text, type Values } from "../../texts/text.ts";

export function words(language: Language, text: Text, values?: Values): string {
  return fill(text[language], values);
}
