/** A problem whose texts are in the language of the caller. */
import type { Language, Text, Values } from "../../texts/text.ts";
import { Problem, type ProblemCode, type ProblemDetails } from "./problem.ts";
import { words } from "./words.ts";

export interface RefusalTexts {
  readonly detail: Text;
  readonly remedy?: Text;
  readonly values?: Values;
  readonly errors?: ProblemDetails["errors"];
}

export function refusal(code: ProblemCode, language: Language, texts: RefusalTexts): Problem {
  const { detail, remedy, values, errors } = texts;
  return new Problem(code, {
    detail: words(language, detail, values),
    ...(remedy !== undefined && { remedy: words(language, remedy, values) }),
    ...(errors !== undefined && { errors }),
  });
}
