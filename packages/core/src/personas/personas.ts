// Personality presets and how the chosen one reads in the prompt.
import { speaker } from "../lib/texts.ts";
import { ENGLISH_PRESETS } from "./presets-en.ts";
import { CHINESE_PRESETS } from "./presets-zh-cn.ts";
import type { Persona } from "./persona.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

/** `persona.*` of the configuration. */
export interface PersonaSettings {
  readonly name: string;
  readonly userName?: string | undefined;
  readonly userAddress?: string | undefined;
  /** Id of a built-in or own persona; null: SOUL.md speaks. */
  readonly preset?: string | null;
  /** Free text in place of the preset's, at most 2,000 characters. */
  readonly custom?: string | null;
  /** Personas the person added or copied. A built-in id cannot be replaced. */
  readonly own?: readonly Persona[];
}

export const MAX_CUSTOM_CHARS = 2_000;

const texts = speaker(en, zh);

export function personaPresets(language: "en" | "zh-CN"): readonly Persona[] {
  return Object.values(language === "en" ? ENGLISH_PRESETS : CHINESE_PRESETS);
}

/** A built-in or own persona by id. */
export function findPersona(settings: PersonaSettings, id: string, language: "en" | "zh-CN"): Persona | undefined {
  return [...personaPresets(language), ...(settings.own ?? [])].find((persona) => persona.id === id);
}

/**
 * The personality part of the identity section.
 * @param chosen The session's own choice (`/persona`); it goes before the configuration's preset and custom text.
 */
export function personaText(
  settings: PersonaSettings,
  chosen: string | undefined,
  language: "en" | "zh-CN",
): string | undefined {
  const override = chosen === undefined ? undefined : findPersona(settings, chosen, language);
  const custom = settings.custom?.trim().slice(0, MAX_CUSTOM_CHARS) ?? "";
  if (override === undefined && custom !== "") return `Personality:\n${custom}`;
  const preset = settings.preset ?? undefined;
  const persona = override ?? (preset === undefined ? undefined : findPersona(settings, preset, language));
  if (persona === undefined) return undefined;
  const own = persona.custom?.trim().slice(0, MAX_CUSTOM_CHARS) ?? "";
  const say = texts(language);
  if (own !== "") return say("own", { text: own });
  const { name, description, traits, style } = persona;
  return say("persona", { name, description, traits: traits.join(say("comma")), style });
}
