/** A kind of channel as clients see it, in the language of whoever asks. */
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import type { Language } from "../../texts/text.ts";
import type { ChannelKind } from "./kinds.ts";

/** As clients see it: what a text may be, and not how it is printed. */
export function kindView({ kind, title, needs, login = "none", can, schema, guide }: ChannelKind, language: Language) {
  return {
    kind,
    title,
    needs,
    login,
    can: {
      edit: can.edit === true,
      buttons: can.buttons === true,
      media: can.media !== undefined,
      maxChars: can.text.max,
    },
    schema: inLanguage(schema, language),
    guide: { ...guide },
  };
}

/** A manifest says titles and descriptions in both languages: the second one as `x-zh-title` and `x-zh`. */
function inLanguage(schema: JsonObject, language: Language): JsonObject {
  const translated = (value: Json): Json => {
    if (Array.isArray(value)) return value.map((item: Json) => translated(item));
    if (!isRecord(value)) return value;
    const { "x-zh": chinese, "x-zh-title": title, ...rest } = value;
    const inside = Object.fromEntries(Object.entries(rest).map(([name, item]) => [name, translated(item)]));
    return language === "en"
      ? inside
      : {
          ...inside,
          ...(typeof title === "string" && { title }),
          ...(typeof chinese === "string" && { description: chinese }),
        };
  };
  return translated(schema) as JsonObject; // an object stays one
}
