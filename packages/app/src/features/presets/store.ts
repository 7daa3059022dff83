/** `presets.json`: durable when a change returns. */
import { join } from "node:path";
import { messageOf, readIfExists, replaceFile } from "@margay/core/internal";
import type { z } from "zod";
import type { App } from "../../app.ts";
import { PresetsFile, type PresetsSchema } from "./schema.ts";

type Presets = z.output<typeof PresetsSchema>["items"];

export interface PresetStore {
  /** By name. */
  of(person: string): Presets;
  set(person: string, presets: Presets): void;
}

/** For `services.once`. A damaged file is moved away: what a person wrote stays in it. */
export function openPresets({ loaded, log }: App): PresetStore {
  const path = join(loaded.places.home, "presets.json");
  let { people } = load(path, (message) => log.error("presets.damaged", { message }));
  return {
    of: (person) => people[person] ?? [],
    set: (person, presets) => {
      const next = { ...people, [person]: presets.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
      replaceFile(path, `${JSON.stringify({ version: 1, people: next }, undefined, 1)}\n`);
      people = next;
    },
  };
}

function load(path: string, damaged: (message: string) => void): z.output<typeof PresetsFile> {
  const text = readIfExists(path)?.toString("utf8");
  if (text === undefined) return { version: 1, people: {} };
  try {
    return PresetsFile.parse(JSON.parse(text));
  } catch (error) {
    replaceFile(`${path}.damaged`, text);
    damaged(messageOf(error));
    return { version: 1, people: {} };
  }
}
