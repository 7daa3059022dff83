/** What persons let others have without being asked. */
import type { Clock, Logger } from "@margay/core";
import {
  changeDoc,
  isRecord,
  keepAside,
  sha256,
  type Docs,
  type PeopleOptions,
  type Share,
  type Shares,
} from "@margay/core/internal";
import { OWNER } from "../../host/people.ts";

/** Enough of an id to be meant. */
const MIN_ID_CHARS = 4;
const NAME = "shares.json";

export interface SharesOptions {
  readonly docs: Docs;
  /** Undefined: nobody any more. */
  readonly roleOf: PeopleOptions["roleOf"];
  readonly changed: (name: "share.granted" | "share.ended", share: Share) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `prune`: what was shared by or with somebody who is gone ends for good. */
export function openShares(options: SharesOptions): Shares & { prune(): Promise<void> } {
  const { docs, roleOf, changed, clock, log } = options;
  // There is always an owner, also where `people` names none.
  const isThere = (one: string): boolean => one === OWNER || roleOf(one) !== undefined;
  /** Over, also when the one who had left is back before that is written. */
  const ended = new Set<string>();
  const left = (body: string | undefined): readonly Share[] =>
    (sharesIn(body) ?? []).filter(({ id, of, reader }) => !ended.has(id) && isThere(of) && isThere(reader));
  const all = (): readonly Share[] => {
    const body = docs.peek(NAME)?.body;
    // What can't be read shares nothing: it is asked about again.
    if (sharesIn(body) === undefined) log.error("shares.damaged", { name: NAME });
    return left(body);
  };
  return {
    list: (person) => all().filter(({ of }) => of === person),
    save: async (given) => {
      const at = clock.now();
      // The same for the same text and reader, so that it is kept once.
      const saved = given.map((each) => ({ ...each, id: idOf(each), at }));
      await keepAside(docs, [NAME, "shares.damaged.json"], (body) => sharesIn(body) === undefined);
      const fresh = await changeDoc(docs, NAME, (body) => {
        const before = left(body);
        const added = saved.filter(({ id }) => before.every((one) => one.id !== id));
        return [textOf([...before, ...added]), added];
      });
      for (const each of fresh) changed("share.granted", each);
    },
    remove: async (person, id) => {
      const removed = await changeDoc(docs, NAME, (body) => {
        const before = left(body);
        const [share, ...others] = before.filter(
          (each) => each.of === person && id.length >= MIN_ID_CHARS && each.id.startsWith(id),
        );
        return share === undefined || others.length > 0
          ? [body, undefined]
          : [textOf(before.filter((each) => each !== share)), share];
      });
      if (removed !== undefined) changed("share.ended", removed);
      return removed;
    },
    prune: async () => {
      const now = docs.peek(NAME)?.body;
      const kept = new Set(left(now).map(({ id }) => id));
      const gone = (sharesIn(now) ?? []).filter(({ id }) => !kept.has(id));
      if (gone.length === 0) return;
      for (const { id } of gone) ended.add(id);
      try {
        await changeDoc(docs, NAME, (body) => [textOf(left(body)), undefined]);
      } finally {
        for (const { id } of gone) ended.delete(id);
      }
      for (const each of gone) changed("share.ended", each);
    },
  };
}

function idOf({ of, reader, hash }: Omit<Share, "id" | "at">): string {
  return sha256(JSON.stringify([of, reader, hash])).slice(0, 16);
}

function textOf(shares: readonly Share[]): string {
  return `${JSON.stringify({ version: 1, shares }, null, 2)}\n`;
}

/** Undefined: it is damaged. */
function sharesIn(body: string | undefined): readonly Share[] | undefined {
  if (body === undefined) return [];
  try {
    const value: unknown = JSON.parse(body);
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
