/** Names of persons who are none any more: journals speak of them, and nobody else gets one. */
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { isRecord, makeDirectory, messageOf, readIfExists, replaceFile } from "@margay/core/internal";
import type { Places } from "../../config/paths.ts";

export function goneOf({ home }: Pick<Places, "home">): readonly string[] {
  const text = readIfExists(goneFile(home))?.toString("utf8");
  const value = text === undefined ? undefined : parsed(text, home);
  const gone = isRecord(value) ? value["gone"] : undefined;
  return Array.isArray(gone) ? gone.map(String) : [];
}

/** @throws RuntimeError `config.unreadable`: a name that was somebody's must not be given away. */
function parsed(text: string, home: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RuntimeError(
      "config.unreadable",
      `${goneFile(home)} cannot be read (${messageOf(error)}). Repair it, or remove it: then names of people who are gone are free again.`,
    );
  }
}

export function rememberGone(places: Pick<Places, "home">, person: string): void {
  makeDirectory(places.home);
  const gone = [...new Set([...goneOf(places), person])];
  replaceFile(goneFile(places.home), `${JSON.stringify({ version: 1, gone }, null, 2)}\n`);
}

function goneFile(home: string): string {
  return join(home, "people.json");
}
