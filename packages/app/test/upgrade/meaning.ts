/** What a release says about the conversations of a home: how it explains each commit, and what it shows. */
import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { House } from "./house.ts";

/** Beside the journals. */
export const MEANING = "meaning.json";

export interface Meaning {
  readonly key: string;
  /** A line for each commit: what the loop wanted, whether that came, and what was written. */
  readonly explained: readonly string[];
  /** Rows of `sessions show`. */
  readonly shown: readonly object[];
}

/** By the name of the journal's file. @param program Its `bin/margay.js`. */
export async function meaningOf(
  { home }: Pick<House, "home">,
  program: string,
): Promise<Readonly<Record<string, Meaning>>> {
  const env = { PATH: process.env["PATH"], HOME: dirname(home), MARGAY_HOME: home, NO_COLOR: "1" };
  const run = async (...words: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [program, ...words, "--json"], { env, maxBuffer: 1e8 })).stdout;
  const listed = JSON.parse(await run("sessions", "list")) as readonly { readonly id: string; readonly key: string }[];
  const meaning: Record<string, Meaning> = {};
  for (const { id, key } of listed.toSorted((one, other) => one.id.localeCompare(other.id)))
    meaning[id] = {
      key,
      explained: explainedOf(await run("explain", key)),
      shown: shownOf(await run("sessions", "show", key)),
    };
  return meaning;
}

interface Explained {
  readonly wanted: { readonly do: string };
  readonly verdict: string;
  readonly promptHashOk?: boolean;
  readonly records: readonly string[];
}

export function explainedOf(text: string): readonly string[] {
  return linesOf<Explained>(text).map(
    ({ wanted, verdict, promptHashOk, records }) =>
      `${wanted.do} ${verdict}${promptHashOk === undefined ? "" : `, its prompt ${promptHashOk ? "proved" : "not proved"}`}: ${records.join(" ")}`,
  );
}

export function shownOf(text: string): readonly object[] {
  return linesOf<object>(text);
}

function linesOf<Line>(text: string): readonly Line[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line); // printed by margay
}
