/** Guessing is slowed down: five failures of an address in a quarter of an hour lock it out, each time for twice as long. */
import type { Clock } from "@margay/core";
import { clientKey } from "../http/address.ts";
import { Problem } from "../api/problem.ts";
import { told } from "../api/words.ts";
import { TEXT } from "./api-texts.ts";

export interface Lockout {
  /** Before a password or code is looked at. @throws Problem `auth.locked`. */
  check(address: string, kind: "password" | "code"): void;
  failed(address: string, kind: "password" | "code"): void;
  succeeded(address: string): void;
}

const WINDOW_MS = 15 * 60_000;
const FAILURES = 5;
const FIRST_LOCK_MS = 15 * 60_000;
const LONGEST_LOCK_MS = 24 * 3_600_000;
/** All addresses together: then passwords are off for a while. */
const FAILURES_AN_HOUR = 50;
const HOUR_MS = 3_600_000;
const MAX_ADDRESSES = 10_000;

interface Record {
  failures: readonly number[];
  locks: number;
  lockedUntil: number;
}

export function createLockout(clock: Clock): Lockout {
  const records = new Map<string, Record>();
  let passwordFailures: readonly number[] = [];
  let passwordsOffUntil = 0;
  return {
    check: (address, kind) => {
      const now = clock.now();
      const until = records.get(clientKey(address))?.lockedUntil ?? 0;
      const locked = Math.max(until, kind === "password" ? passwordsOffUntil : 0);
      if (locked > now) throw lockedOut(locked - now);
    },
    failed: (address, kind) => {
      const now = clock.now();
      const key = clientKey(address);
      const record = records.get(key) ?? { failures: [], locks: 0, lockedUntil: 0 };
      record.failures = [...record.failures.filter((at) => now - at < WINDOW_MS), now];
      if (record.failures.length >= FAILURES) {
        record.lockedUntil = now + Math.min(LONGEST_LOCK_MS, FIRST_LOCK_MS * 2 ** record.locks);
        record.locks += 1;
        record.failures = [];
      }
      records.delete(key);
      records.set(key, record);
      const oldest = records.size > MAX_ADDRESSES ? records.keys().next().value : undefined;
      if (oldest !== undefined) records.delete(oldest);
      if (kind !== "password") return;
      passwordFailures = [...passwordFailures.filter((at) => now - at < HOUR_MS), now];
      if (passwordFailures.length < FAILURES_AN_HOUR) return;
      passwordsOffUntil = now + WINDOW_MS;
      passwordFailures = [];
    },
    succeeded: (address) => {
      records.delete(clientKey(address));
    },
  };
}

function lockedOut(leftMs: number): Problem {
  return new Problem("auth.locked", {
    ...told({ detail: TEXT.tooManyWrong, remedy: TEXT.waitOrRun }),
    retryAfterMs: leftMs,
    headers: { "retry-after": String(Math.ceil(leftMs / 1000)) },
  });
}
