/** Which answers were read here: the last seen seq of each chat, kept in this browser. */
import { signal } from "@preact/signals";

const STORED = "margay.seen";
const KEPT = 500;

const seen = signal<Readonly<Record<string, number>>>(read());

export function markSeen(session: string, seq: number): void {
  if ((seen.value[session] ?? 0) >= seq) return;
  const entries = Object.entries({ ...seen.value, [session]: seq }).slice(-KEPT);
  seen.value = Object.fromEntries(entries);
  localStorage.setItem(STORED, JSON.stringify(seen.value));
}

/** A chat that was never opened here is not unread: else everything would be after a login. */
export function isUnread(session: string, lastSeq: number): boolean {
  const last = seen.value[session];
  return last !== undefined && last < lastSeq;
}

export function lastSeen(session: string): number | undefined {
  return seen.peek()[session];
}

function read(): Readonly<Record<string, number>> {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? "{}") as Record<string, number>; // written above
  } catch {
    return {};
  }
}
