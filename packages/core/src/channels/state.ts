/** What a channel keeps for itself: how far its platform was read, small values, frames that nobody could read. */
import { existsSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Json } from "../contract/base.ts";
import type { ChannelState } from "../contract/channel.ts";
import type { Docs } from "../contract/store.ts";
import { changeDoc } from "../lib/async/change-doc.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { parseJson } from "../lib/parse-json.ts";
import { openOwnDocs } from "../machine/files/file-docs.ts";
import { endOfTick, makeDirectory, replaceFile } from "../machine/files/files.ts";

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

/** Where the things of one channel are. */
export interface ChannelShelf {
  /** `channels/ID`: made when something is kept, private as all of the state directory. */
  readonly folder: string;
  readonly docs: Docs;
  /** In front of the names of its documents. */
  readonly prefix: string;
}

/** @param folder That of all channels. @param docs Absent: its documents are files of the folder, and nobody else's. */
export function channelShelf(folder: string, id: string, docs?: Docs): ChannelShelf {
  const own = join(folder, id);
  return docs === undefined
    ? { folder: own, docs: openOwnDocs(own), prefix: "" }
    : { folder: own, docs, prefix: `channels/${id}/` };
}

export function openChannelFolder({ folder, docs, prefix }: ChannelShelf, clock: Clock): ChannelFolder {
  const dead = join(folder, "dead");
  const cursorName = `${prefix}cursor.json`;
  let letters = 0; // of this process: keeps two of one moment apart
  const nameOf = (value: string): string => {
    if (!NAME.test(value)) throw new TypeError(`${value} is no name of a value`);
    return `${prefix}values/${value}.json`;
  };
  const remove = (name: string): Promise<void> => changeDoc(docs, name, () => [undefined, undefined]);
  return {
    cursor: () => {
      const doc = docs.peek(cursorName);
      const cursor = valueIn(doc?.body);
      if (cursor !== undefined || doc === undefined) return cursor;
      // From the place of a new channel on, what came meanwhile would be lost and nobody told.
      throw new RuntimeError(
        "channel.failed",
        `How far the platform was read cannot be read: ${cursorName} is damaged. Restore it from a backup, or remove it to read what comes from now on.`,
      );
    },
    setCursor: (cursor) => write(docs, cursorName, cursor),
    value: (name) => valueIn(docs.peek(nameOf(name))?.body),
    setValue: async (name, value) => {
      if (value === undefined) await remove(nameOf(name));
      else await write(docs, nameOf(name), value);
    },
    forget: async (start, before) => {
      await endOfTick();
      const all = await docs.list(`${prefix}values/${start}`);
      const old = all.filter((name) => (docs.peek(name)?.at ?? before) < before);
      for (const name of old) await remove(name);
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
    cursorAt: () => docs.peek(cursorName)?.at,
  };
}

/**
 * Before a channel runs: what was kept for another account is gone. How far one account was read says nothing of another:
 * it would skip what waits there.
 * @param account Equal for equal accounts.
 */
export async function claimChannelFolder(shelf: ChannelShelf, account: string): Promise<void> {
  const { docs, prefix } = shelf;
  const name = `${prefix}account.json`;
  if (valueIn(docs.peek(name)?.body) === account) return;
  await removeChannelFolder(shelf);
  await changeDoc(docs, name, () => [JSON.stringify(account), undefined]);
}

/** All that a channel has kept: it is gone. */
export async function removeChannelFolder({ folder, docs, prefix }: ChannelShelf): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  // What was no file of it.
  for (const part of ["values/", ""])
    for (const name of await docs.list(`${prefix}${part}`)) await changeDoc(docs, name, () => [undefined, undefined]);
}

/** What is damaged is as if it was not there. */
function valueIn(body: string | undefined): Json | undefined {
  return body === undefined ? undefined : (parseJson(body) as Json | undefined);
}

async function write(docs: Docs, name: string, value: Json): Promise<void> {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw new RuntimeError(
      "channel.failed",
      `A channel wanted to keep ${text.length} characters in one value. It keeps at most 64 KiB; report it to who made the channel.`,
    );
  await endOfTick();
  await changeDoc(docs, name, () => [text, undefined]);
}

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
