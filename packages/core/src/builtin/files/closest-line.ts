// The line that was probably meant by a text that is not there.
import { ellipsis } from "../../lib/text.ts";
import { show } from "../../machine/files/refusal.ts";

export interface Closest {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** When that is all: `case` or `white space`. */
  readonly differs?: "case" | "white space";
}

/** More lines than this are not compared. */
const MAX_LINES = 50_000;
const MAX_CHARS = 200;

/** Undefined for an empty file. When the first line of `wanted` is there, the first line after it that differs is told. */
export function closestLine(text: string, wanted: string): Closest | undefined {
  const lines = text.split("\n", MAX_LINES).map((line) => line.replace(/\r$/, ""));
  const target = wanted.split("\n").map((line) => line.replace(/\r$/, ""));
  if (text === "") return undefined;
  const first = Math.max(
    0,
    target.findIndex((line) => line.trim() !== ""),
  );
  const start = best(lines, target[first] ?? "");
  let step = 0;
  while (
    lines[start + step] === target[first + step] &&
    start + step < lines.length - 1 &&
    first + step < target.length - 1
  )
    step += 1;
  const found = lines[start + step] ?? "";
  const meant = target[first + step] ?? "";
  const differs = difference(found, meant);
  return { line: start + step + 1, text: ellipsis(show(found), 120), ...(differs !== undefined && { differs }) };
}

function best(lines: readonly string[], wanted: string): number {
  const pairs = pairsOf(wanted);
  let index = 0;
  let most = -1;
  for (const [at, line] of lines.entries()) {
    const score = line === wanted ? 2 : likeness(pairs, line);
    if (score > most) [index, most] = [at, score];
    if (score === 2) break;
  }
  return index;
}

/** Dice coefficient of the letter pairs, without case and white space. */
function likeness(pairs: ReadonlyMap<string, number>, line: string): number {
  const other = pairsOf(line);
  if (pairs.size === 0 || other.size === 0) return 0;
  let shared = 0;
  let total = 0;
  for (const [pair, count] of other) {
    shared += Math.min(count, pairs.get(pair) ?? 0);
    total += count;
  }
  for (const count of pairs.values()) total += count;
  return (2 * shared) / total;
}

function pairsOf(line: string): ReadonlyMap<string, number> {
  const plain = line.slice(0, MAX_CHARS).replaceAll(/\s+/g, "").toLowerCase();
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < plain.length; index += 1) {
    const pair = plain.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function difference(found: string, meant: string): Closest["differs"] {
  if (found === meant) return undefined;
  if (found.toLowerCase() === meant.toLowerCase()) return "case";
  return found.replaceAll(/\s+/g, "") === meant.replaceAll(/\s+/g, "") ? "white space" : undefined;
}
