/** Personas as the wire shows them, and which of them speaks. */
import { personaPresets, sha256, type Persona } from "@margay/core/internal";
import type { z } from "zod";
import type { PersonaSchema } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";

/** A preset that an own persona cannot replace, then the own ones. */
export function allOf({ app }: Services, language: "en" | "zh-CN"): readonly Persona[] {
  return [...personaPresets(language), ...app.inside.personas.own()];
}

export function isBuiltin(id: string): boolean {
  return personaPresets("en").some((preset) => preset.id === id);
}

/** Undefined while the free text of the settings speaks, or SOUL.md. */
export function activeOf({ app }: Services): string | undefined {
  const { preset, custom } = app.inside.loaded().config.persona;
  return preset === null || (custom ?? "").trim() !== "" ? undefined : preset;
}

export function viewOf(persona: Persona, services: Services): z.input<typeof PersonaSchema> {
  return {
    ...persona,
    traits: [...persona.traits],
    hash: hashOf(persona),
    builtin: isBuiltin(persona.id),
    active: activeOf(services) === persona.id,
  };
}

export function hashOf({ id, name, description, traits, style, custom }: Persona): string {
  return sha256(JSON.stringify([id, name, description, traits, style, custom ?? null]));
}
