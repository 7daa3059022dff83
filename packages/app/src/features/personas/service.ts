/** Personas that the person made, read when a prompt is made. */
import { RuntimeError } from "@margay/core";
import { changeDoc, messageOf, parsedDoc, personaPresets, type Docs } from "@margay/core/internal";
import type { Logger } from "@margay/core";
import type { ContextOptions, Persona } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import type { Language } from "../../texts/text.ts";

export interface Personas {
  /** Own ones, in the order in which they were made. @throws RuntimeError `config.unreadable`. */
  own(): readonly Persona[];
  /** Adds one, or replaces the one with its id. */
  save(persona: Persona): Promise<void>;
  remove(id: string): Promise<void>;
  /** Whether a chat can have it: a preset or an own one. */
  has(id: string): boolean;
}

const NAME = "personas.json";

export function openPersonas(docs: Docs, language: Language): Personas {
  const own = parsedDoc(docs, NAME, parse);
  const change = (make: (before: readonly Persona[]) => readonly Persona[]): Promise<void> =>
    changeDoc(docs, NAME, (body) => [
      `${JSON.stringify({ version: 1, personas: make(parse(body)) }, null, 2)}\n`,
      undefined,
    ]);
  return {
    own,
    save: (persona) =>
      change((before) => {
        const isKnown = before.some(({ id }) => id === persona.id);
        return isKnown ? before.map((one) => (one.id === persona.id ? persona : one)) : [...before, persona];
      }),
    remove: (id) => change((before) => before.filter((one) => one.id !== id)),
    has: (id) => [...personaPresets(language), ...own()].some((one) => one.id === id),
  };
}

/** As the prompt of a new epoch asks for it: a switch holds from there on, without a restart. */
export function livePersona(
  loaded: () => Pick<Loaded, "config">,
  personas: Personas,
  log: Logger,
): ContextOptions["persona"] {
  const persona = (): Loaded["config"]["persona"] => loaded().config.persona;
  return {
    get name() {
      return persona().name;
    },
    get userName() {
      return persona().userName ?? undefined;
    },
    get userAddress() {
      return persona().userAddress ?? undefined;
    },
    get preset() {
      return persona().preset;
    },
    get custom() {
      return persona().custom;
    },
    get own() {
      try {
        return personas.own();
      } catch (error) {
        log.error("personas.unreadable", { message: messageOf(error) });
        return []; // a prompt is made all the same
      }
    },
  };
}

function parse(text: string | undefined): readonly Persona[] {
  if (text === undefined) return [];
  try {
    const value = JSON.parse(text) as { readonly version?: unknown; readonly personas?: unknown }; // looked at below
    if (value.version === 1 && Array.isArray(value.personas) && value.personas.every(isPersona)) return value.personas;
    throw new Error("it is not in the expected form");
  } catch (error) {
    throw new RuntimeError(
      "config.unreadable",
      `${NAME} of the state directory cannot be read (${messageOf(error)}). Repair it, or remove it and make the personas again.`,
      { cause: error, details: { name: NAME } },
    );
  }
}

function isPersona(value: unknown): value is Persona {
  if (typeof value !== "object" || value === null) return false;
  const { id, name, description, traits, style, custom } = value as Readonly<Record<string, unknown>>; // an object
  return (
    [id, name, description, style].every((text) => typeof text === "string") &&
    Array.isArray(traits) &&
    traits.every((trait) => typeof trait === "string") &&
    (custom === undefined || typeof custom === "string")
  );
}
