/** The chats and threads that were spoken in, and how far each was read: this is the cursor. */
import type { ChannelHost, Json } from "@margay/core/plugin";
import { isRecord, textOf } from "./json.ts";

export interface Place {
  readonly channel: string;
  readonly thread?: string | undefined;
}

export interface Kept extends Place {
  /** The newest message that was taken. */
  readonly last: string;
  /** A thread that was opened for us. */
  readonly isOurs: boolean;
}

/** More do not fit into the cursor. */
const MAX_KEPT = 600;

export class Places {
  readonly #host: ChannelHost;
  #kept: Map<string, Kept> | undefined;

  constructor(host: ChannelHost) {
    this.#host = host;
  }

  /** All that are kept. */
  kept(): readonly Kept[] {
    return [...this.#all().values()];
  }

  isOurs(place: Place): boolean {
    return this.#all().get(nameOf(place))?.isOurs ?? false;
  }

  /** Before a message is offered: a place that nobody knows is asked from this message on, should it come to that. */
  async begin(place: Place, ts: string, isOurs = false): Promise<void> {
    const before = this.#all().get(nameOf(place));
    if (before !== undefined && (before.isOurs || !isOurs)) return;
    await this.#put({ ...place, last: before?.last ?? justBefore(ts), isOurs });
  }

  /** A message of it was taken. Nothing that is older takes it back. */
  async note(place: Place, ts: string): Promise<void> {
    const before = this.#all().get(nameOf(place));
    const last = before === undefined || isNewer(ts, before.last) ? ts : before.last;
    await this.#put({ ...place, last, isOurs: before?.isOurs ?? false });
  }

  async forget(place: Place): Promise<void> {
    if (this.#all().delete(nameOf(place))) await this.#save();
  }

  async #put(kept: Kept): Promise<void> {
    this.#all().delete(nameOf(kept)); // the newest stand last
    this.#all().set(nameOf(kept), kept);
    await this.#save();
  }

  #all(): Map<string, Kept> {
    this.#kept ??= read(this.#host.state.cursor());
    return this.#kept;
  }

  async #save(): Promise<void> {
    const all = this.#all();
    for (const name of [...all.keys()].slice(0, Math.max(0, all.size - MAX_KEPT))) all.delete(name);
    const places = [...all.values()].map(({ channel, thread = "", last, isOurs }) => [channel, thread, last, isOurs]);
    await this.#host.state.setCursor({ places });
  }
}

/** Times of Slack count microseconds: more than a number holds. */
export function isNewer(ts: string, than: string): boolean {
  return micros(ts) > micros(than);
}

export function timeOf(ts: string): number {
  return Number(micros(ts) / 1000n);
}

export function tsOf(ms: number): string {
  return `${Math.floor(ms / 1000)}.${String(Math.floor(ms % 1000)).padStart(3, "0")}000`;
}

function justBefore(ts: string): string {
  const before = String(micros(ts) - 1n).padStart(7, "0");
  return `${before.slice(0, -6)}.${before.slice(-6)}`;
}

function micros(ts: string): bigint {
  const [seconds = "0", rest = ""] = ts.split(".");
  return BigInt(seconds) * 1_000_000n + BigInt(rest.padEnd(6, "0").slice(0, 6));
}

export function nameOf({ channel, thread = "" }: Place): string {
  return `${channel}/${thread}`;
}

function read(cursor: Json | undefined): Map<string, Kept> {
  const rows = isRecord(cursor) && Array.isArray(cursor["places"]) ? cursor["places"] : [];
  return new Map(
    rows.flatMap((row): readonly (readonly [string, Kept])[] => {
      const [channel, thread, last, isOurs]: readonly unknown[] = Array.isArray(row) ? row : [];
      const id = textOf(channel);
      const ts = textOf(last);
      if (id === undefined || ts === undefined || !/^\d+\.\d{6}$/.test(ts)) return [];
      const place = { channel: id, thread: textOf(thread) };
      return [[nameOf(place), { ...place, last: ts, isOurs: isOurs === true }]];
    }),
  );
}
