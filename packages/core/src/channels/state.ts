/** What a channel keeps in a folder of its own: how far its platform was read, small values, frames that nobody could read. */
import { existsSync, readdirSync, rmSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Json, Millis } from "../contract/base.ts";
import type { ChannelState } from "../contract/channel.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { parseJson } from "../lib/parse-json.ts";
import { endOfTick, makeDirectory, readIfExists, replaceFile } from "../machine/files/files.ts";

export interface ChannelFolder extends ChannelState {
  deadLetter(frame: string | Uint8Array): void;
  /** How many frames are kept aside. */
  deadLetters(): number;
  /** When the platform was last read further. Undefined: never. */
  cursorAt(): number | undefined;
}

const NAME = /^[a-z0-9-]{1,80}$/;
const MAX_VALUE_BYTES = 65_536;
const MAX_FRAME_BYTES = 65_536;
const MAX_DEAD = 1000;
const DEAD_MS = 30 * 86_400_000;

/** @param folder `channels/ID`: made when something is kept, private as all of the state directory. */
export function openChannelFolder(folder: string, clock: Clock): ChannelFolder {
  const values = join(folder, "values");
  const dead = join(folder, "dead");
  const cursorPath = join(folder, "cursor.json");
  let letters = 0; // of this process: keeps two of one moment apart
  const valuePath = (name: string): string => {
    if (!NAME.test(name)) throw new TypeError(`${name} is no name of a value`);
    return join(values, `${name}.json`);
  };
  return {
    cursor: () => {
      const cursor = read(cursorPath);
      if (cursor !== undefined || !existsSync(cursorPath)) return cursor;
      // From the place of a new channel on, what came meanwhile would be lost and nobody told.
      throw new RuntimeError(
        "channel.failed",
        `How far the platform was read cannot be read: ${cursorPath} is damaged. Restore it from a backup, or remove it to read what comes from now on.`,
      );
    },
    setCursor: async (cursor) => {
      await write(folder, cursorPath, cursor);
    },
    value: (name) => read(valuePath(name)),
    setValue: async (name, value) => {
      const path = valuePath(name);
      if (value === undefined) rmSync(path, { force: true });
      else await write(values, path, value);
    },
    forget: async (prefix, before) => {
      await endOfTick();
      const old = filesIn(values).filter((name) => name.startsWith(prefix) && modifiedAt(join(values, name)) < before);
      for (const name of old) rmSync(join(values, name), { force: true });
      return old.length;
    },
    deadLetter: (frame) => {
      makeDirectory(dead);
      const now = clock.now();
      const kept = filesIn(dead).toSorted();
      const over = kept.filter(
        (name, place) => place <= kept.length - MAX_DEAD || Number.parseInt(name, 10) < now - DEAD_MS,
      );
      for (const name of over) unlinkSync(join(dead, name));
      letters += 1;
      const bytes = typeof frame === "string" ? Buffer.from(frame) : frame;
      replaceFile(join(dead, `${now}-${letters}`), bytes.subarray(0, MAX_FRAME_BYTES));
    },
    deadLetters: () => filesIn(dead).length,
    cursorAt: () => {
      const at = statSync(cursorPath, { throwIfNoEntry: false })?.mtimeMs;
      return at === undefined ? undefined : Math.round(at);
    },
  };
}

/**
 * Before a channel runs: what was kept for another account is gone. How far one account was read says nothing of another:
 * it would skip what waits there.
 * @param account Equal for equal accounts.
 */
export function claimChannelFolder(folder: string, account: string): void {
  const path = join(folder, "account.json");
  if (read(path) === account) return;
  removeChannelFolder(folder);
  makeDirectory(folder);
  replaceFile(path, JSON.stringify(account));
}

/** All that a channel has kept: it is gone. */
export function removeChannelFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** A damaged file is as if it was not there. */
function read(path: string): Json | undefined {
  const bytes = readIfExists(path);
  return bytes === undefined ? undefined : (parseJson(bytes.toString("utf8")) as Json | undefined);
}

async function write(folder: string, path: string, value: Json): Promise<void> {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw new RuntimeError(
      "channel.failed",
      `A channel wanted to keep ${text.length} characters in one value. It keeps at most 64 KiB; report it to who made the channel.`,
    );
  await endOfTick();
  makeDirectory(folder);
  replaceFile(path, text);
}

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function modifiedAt(path: string): Millis {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
