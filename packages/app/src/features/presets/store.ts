/** Prompts that are kept under a name: durable when a change resolves. */
import { changeDoc, keepAside, messageOf, parsedDoc } from "@margay/core/internal";
import type { z } from "zod";
import type { App } from "../../app.ts";
import { PresetsFile, type PresetsSchema } from "./schema.ts";

type Presets = z.output<typeof PresetsSchema>["items"];

export interface PresetStore {
  /** By name. */
  of(person: string): Presets;
  /** @param change May throw: then everything stays as it was. */
  change(person: string, change: (presets: Presets) => Presets): Promise<void>;
}

const NAME = "presets.json";
const NONE: z.output<typeof PresetsFile> = { version: 1, people: {} };

/** For `services.once`. What is damaged is moved away: what a person wrote stays in it. */
export function openPresets({ loaded, log }: App): PresetStore {
  const { docs } = loaded.places;
  const parse = (body: string | undefined): typeof NONE => {
    const found = read(body);
    if (typeof found !== "string") return found;
    log.error("presets.damaged", { message: found });
    return NONE;
  };
  const now = parsedDoc(docs, NAME, parse);
  return {
    of: (person) => now().people[person] ?? [],
    change: async (person, change) => {
      await keepAside(docs, [NAME, `${NAME}.damaged`], (body) => typeof read(body) === "string");
      await changeDoc(docs, NAME, (body) => {
        const { people } = parse(body);
        const presets = change(people[person] ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
        return [
          `${JSON.stringify({ version: 1, people: { ...people, [person]: presets } }, undefined, 1)}\n`,
          undefined,
        ];
      });
    },
  };
}

/** @returns why it cannot be read. */
function read(body: string | undefined): typeof NONE | string {
  try {
    return body === undefined ? NONE : PresetsFile.parse(JSON.parse(body));
  } catch (error) {
    return messageOf(error);
  }
}
