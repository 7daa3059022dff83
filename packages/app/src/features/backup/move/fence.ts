/**
 * Which home answers after a move. `moved.json` in the home that was left decides it: with it that home is fenced, without it the
 * new one is. `arrival.json` in the new one says where to look, until it was started for the first time.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { isRecord, readIfExists, replaceFile, syncDirectory, type Millis } from "@margay/core/internal";
import { timeText } from "../../../host/cli/values.ts";
import type { Check } from "../../../host/finding.ts";
import type { Translate } from "../../../texts/translate.ts";

/** In the home that was left. */
export interface Moved {
  /** Of this move: what arrived has the same. */
  readonly id: string;
  readonly at: Millis;
  /** A folder, or the target of a backup. */
  readonly to: string;
  readonly kind: "home" | "target";
  /** A process had died there: what it left open is settled by whoever starts next. */
  readonly live: boolean;
}

/** In a home that came by a move and was not started yet. */
export interface Arrival {
  readonly id: string;
  /** Where it was. */
  readonly from: string;
  /** The move is finished: the old home need not be looked at, which may be on a disk that is gone by now. */
  readonly ready: boolean;
}

/** @throws RuntimeError `state.moved` when the file is there and cannot be read: nobody can say that this home answers. */
export function movedOf(home: string): Moved | undefined {
  return read<Moved>(home, MOVED);
}

export function arrivalOf(home: string): Arrival | undefined {
  return read<Arrival>(home, ARRIVAL);
}

/** From here on this home answers no more. */
export function fence(home: string, moved: Moved): void {
  write(home, MOVED, moved);
}

/** From here on it answers again. */
export function unfence(home: string): void {
  remove(home, MOVED);
}

export function noteArrival(home: string, arrival: Arrival): void {
  write(home, ARRIVAL, arrival);
}

/**
 * What whoever starts on a home does first, under its lock.
 * @throws RuntimeError `state.moved`, saying which one answers.
 */
export function needHere(home: string, t: Translate): void {
  needAnswering(home, t);
  if (arrivalOf(home) !== undefined) remove(home, ARRIVAL);
}

/** @throws RuntimeError `state.moved`. */
export function needAnswering(home: string, t: Translate): void {
  const text = whereItIs(home, t);
  if (text !== undefined) throw new RuntimeError("state.moved", text);
}

export const checkMoved: Check = ({ t, places: { home } }) => {
  const text = whereItIs(home, t);
  return text === undefined ? [] : [{ id: "moved", level: "problem", text }];
};

/** @returns undefined when this one answers. */
function whereItIs(home: string, t: Translate): string | undefined {
  const moved = movedOf(home);
  if (moved !== undefined) return t(`moved.${moved.kind}`, { home, to: moved.to, at: timeText(moved.at) });
  const arrival = arrivalOf(home);
  if (arrival === undefined || arrival.ready || movedOf(arrival.from)?.id === arrival.id) return undefined;
  return t("moved.unfinished", { home, from: arrival.from });
}

const MOVED = "moved.json";
const ARRIVAL = "arrival.json";

function read<Note extends Moved | Arrival>(home: string, name: string): Note | undefined {
  const bytes = readIfExists(join(home, name));
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (isRecord(value) && typeof value["id"] === "string") return value as unknown as Note; // written below, as a whole
  } catch {
    // Said below.
  }
  throw new RuntimeError(
    "state.moved",
    `${join(home, name)} cannot be read, so nobody can say whether this home answers. Look whether it was moved to another place; if not, remove that file.`,
  );
}

function write(home: string, name: string, note: Moved | Arrival): void {
  replaceFile(join(home, name), `${JSON.stringify(note)}\n`);
}

function remove(home: string, name: string): void {
  rmSync(join(home, name), { force: true });
  syncDirectory(home);
}
