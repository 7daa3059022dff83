/** `shares.json` of the state directory: what persons let others have without being asked. Nothing else writes it. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Logger } from "@margay/core";
import {
  isRecord,
  type PeopleOptions,
  readIfExists,
  replaceFile,
  sha256,
  type Share,
  type Shares,
} from "@margay/core/internal";
import { OWNER } from "../../host/people.ts";

/** Enough of an id to be meant. */
const MIN_ID_CHARS = 4;

export interface SharesOptions {
  readonly home: string;
  /** Undefined: nobody any more. */
  readonly roleOf: PeopleOptions["roleOf"];
  readonly changed: (name: "share.granted" | "share.ended", share: Share) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `prune`: what was shared by or with somebody who is gone ends for good. */
export function openShares(options: SharesOptions): Shares & { prune(): void } {
  const { home, roleOf, changed, clock, log } = options;
  const path = join(home, "shares.json");
  const write = (shares: readonly Share[]): void =>
    replaceFile(path, `${JSON.stringify({ version: 1, shares }, null, 2)}\n`);
  // There is always an owner, also where `people` names none.
  const isThere = (one: string): boolean => one === OWNER || roleOf(one) !== undefined;
  const all = (): readonly Share[] => {
    const found = read(path);
    // A file that can't be read shares nothing: it is asked about again.
    if (found === undefined) log.error("shares.damaged", { path });
    return (found ?? []).filter(({ of, reader }) => isThere(of) && isThere(reader));
  };
  return {
    list: (person) => all().filter(({ of }) => of === person),
    save: (given) => {
      const at = clock.now();
      const before = all();
      // The same for the same text and reader, so that it is kept once.
      const saved = given.map((each) => ({ ...each, id: idOf(each), at }));
      const fresh = saved.filter(({ id }) => before.every((one) => one.id !== id));
      if (read(path) === undefined) renameSync(path, join(home, "shares.damaged.json")); // a person may repair it
      write([...before, ...fresh]);
      for (const each of fresh) changed("share.granted", each);
    },
    remove: (person, id) => {
      const before = all();
      const [share, ...others] = before.filter(
        (each) => each.of === person && id.length >= MIN_ID_CHARS && each.id.startsWith(id),
      );
      if (share === undefined || others.length > 0) return undefined;
      write(before.filter((each) => each !== share));
      changed("share.ended", share);
      return share;
    },
    prune: () => {
      const left = all();
      const ended = (read(path) ?? []).filter((each) => left.every(({ id }) => id !== each.id));
      if (ended.length === 0) return;
      write(left);
      for (const each of ended) changed("share.ended", each);
    },
  };
}

function idOf({ of, reader, hash }: Omit<Share, "id" | "at">): string {
  return sha256(JSON.stringify([of, reader, hash])).slice(0, 16);
}

/** Undefined: it is damaged. */
function read(path: string): readonly Share[] | undefined {
  const text = readIfExists(path)?.toString("utf8");
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    const shares = isRecord(value) ? value["shares"] : undefined;
    return Array.isArray(shares) && shares.every(isShare) ? shares : undefined;
  } catch {
    return undefined;
  }
}

function isShare(value: unknown): value is Share {
  if (!isRecord(value)) return false;
  return ["id", "of", "reader", "hash", "shown"].every((key) => typeof value[key] === "string");
}
