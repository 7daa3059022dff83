/** Keeps two homes from writing to one server at the same time: a small file there that says who writes, and since when. */
import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "@margay/core";
import { RuntimeError } from "@margay/core";
import { isRecord, type Millis } from "@margay/core/internal";
import type { BackupTarget } from "../store/target.ts";

/** What a server or a program does; the lock is made of it. */
export type Remote = Omit<BackupTarget, "lock" | "folder">;

interface Held {
  /** Of a home on a machine; says nothing about either. */
  readonly owner: string;
  readonly run: string;
  readonly at: Millis;
}

export const LOCK_FILE = "lock";
/** It is written anew while the target is used, this often. */
const RENEW_MS: Millis = 5 * 60_000;
/** One that is older was left by a run that died. Longer than any single request lasts, and clocks differ. */
const STALE_MS: Millis = 60 * 60_000;

/**
 * Servers know no lock that all of them keep: it is written, and read again. Two runs that begin within the same second may both
 * hold it; the home's own lock is against that for one home.
 */
export function withLock(remote: Remote, home: string, clock: Clock): BackupTarget {
  const owner = createHash("sha256").update(`${hostname()}\0${home}`).digest("hex").slice(0, 32);
  const run = randomBytes(16).toString("hex");
  let renewed: Millis | undefined;
  const renew = async (): Promise<void> => {
    renewed = clock.now();
    await remote.write(LOCK_FILE, Buffer.from(JSON.stringify({ owner, run, at: renewed } satisfies Held)));
  };
  const used = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    if (renewed !== undefined && clock.now() - renewed > RENEW_MS) await renew();
    return result;
  };
  return {
    ...remote,
    list: (folder) => used(remote.list(folder)),
    read: (path) => used(remote.read(path)),
    write: (path, bytes) => used(remote.write(path, bytes)),
    lock: async () => {
      const before = heldIn(await remote.read(LOCK_FILE));
      const isOther = before !== undefined && before.owner !== owner && clock.now() - before.at < STALE_MS;
      if (isOther) throw locked(remote.name);
      await renew();
      if (heldIn(await remote.read(LOCK_FILE))?.run !== run) throw locked(remote.name);
      return {
        [Symbol.asyncDispose]: async () => {
          renewed = undefined;
          // One that stays is taken over by this home's next run, by others when it is old.
          await remote.remove(LOCK_FILE).catch(() => {});
        },
      };
    },
  };
}

function heldIn(bytes: Uint8Array | undefined): Held | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes ?? []).toString("utf8"));
    return isRecord(value) && typeof value["at"] === "number" ? (value as unknown as Held) : undefined; // written above
  } catch {
    return undefined; // half written, or none
  }
}

function locked(name: string): RuntimeError {
  return new RuntimeError(
    "state.locked",
    `Another home writes to ${name}, or a run of it died there less than an hour ago. Try again later, or give each home a place of its own.`,
    { retryable: true },
  );
}
