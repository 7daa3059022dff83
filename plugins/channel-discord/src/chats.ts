/** The channels that were spoken in: what they are, and their last message, for who has to ask what was missed. */
import type { ChannelHost, Json } from "@margay/core/plugin";
import { isRecord, recordsOf, textOf, type Wire } from "./json.ts";
import { isGone } from "./faults.ts";
import type { Rest } from "./rest.ts";

/** What a channel is. */
export interface Place {
  readonly guild?: string;
  /** Of a thread: the channel that it hangs below. */
  readonly parent?: string;
}

/** A channel that was spoken in. */
export interface Kept extends Place {
  /** The newest message that was taken, or sent. */
  readonly last: string;
}

/** More do not fit into one value. */
const MAX_KEPT = 600;
/** Types of channels that are threads. */
const THREADS = [10, 11, 12];

export class Chats {
  readonly #host: ChannelHost;
  readonly #rest: Rest;
  #kept: Map<string, Kept> | undefined;
  readonly #places = new Map<string, Place>();
  readonly #names = new Map<string, string>();
  /** Our own role in a guild: people pick it where they mean us. */
  readonly #roles = new Map<string, string>();

  constructor(host: ChannelHost, rest: Rest) {
    this.#host = host;
    this.#rest = rest;
  }

  /** All that are kept, at this moment. */
  kept(): ReadonlyMap<string, Kept> {
    return new Map(this.#all());
  }

  /** A message of it was taken, or sent. Nothing that is older takes it back. */
  async note(id: string, message: string, place: Place): Promise<void> {
    const before = this.#all().get(id);
    const last = before === undefined || isNewer(message, before.last) ? message : before.last;
    this.#all().delete(id); // the newest stand last
    this.#all().set(id, { ...before, ...place, last });
    await this.#save();
  }

  async forget(id: string): Promise<void> {
    if (this.#all().delete(id)) await this.#save();
  }

  nameOf(channel: string): string | undefined {
    return this.#names.get(channel);
  }

  ourRole(guild: string): string | undefined {
    return this.#roles.get(guild);
  }

  /** What the gateway says of channels on its own. */
  hear(type: string, data: Wire, me: string): void {
    if (type === "GUILD_CREATE" || type === "THREAD_LIST_SYNC") {
      const guild = textOf(data["id"]) ?? textOf(data["guild_id"]);
      for (const channel of [...recordsOf(data["channels"]), ...recordsOf(data["threads"])])
        this.#learn(channel, guild);
      const isOurs = ({ tags }: Wire): boolean => isRecord(tags) && tags["bot_id"] === me;
      const role = textOf(recordsOf(data["roles"]).find(isOurs)?.["id"]);
      if (guild !== undefined && role !== undefined) this.#roles.set(guild, role);
    } else if (/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE)$/.test(type)) this.#learn(data, textOf(data["guild_id"]));
  }

  /** A message says of its channel nothing but the id. @throws Refusal, NoAnswer; the reason of the signal. */
  async placeOf(id: string, guild: string | undefined, signal: AbortSignal): Promise<Place> {
    if (guild === undefined) return {};
    const known = this.#places.get(id) ?? this.#all().get(id);
    if (known !== undefined) return placeOf(known);
    try {
      return await this.lookUp(id, signal);
    } catch (error) {
      // Written in, and not to be seen by us: a channel like others.
      if (!isGone(error)) throw error;
      this.#places.set(id, { guild });
      return { guild };
    }
  }

  /** Asks Discord. @throws Refusal, NoAnswer; the reason of the signal. */
  async lookUp(id: string, signal: AbortSignal): Promise<Place> {
    const channel = await this.#rest.call("GET", `/channels/${id}`, { signal });
    const found = isRecord(channel) ? channel : {};
    this.#learn({ ...found, id }, textOf(found["guild_id"]));
    return this.#places.get(id) ?? {};
  }

  #learn(channel: Wire, guild: string | undefined): void {
    const { id, type, parent_id: parent, name } = channel;
    if (typeof id !== "string") return;
    const isThread = THREADS.includes(Number(type)) && typeof parent === "string";
    this.#places.set(id, { ...(guild !== undefined && { guild }), ...(isThread && { parent }) });
    if (typeof name === "string") this.#names.set(id, name);
  }

  #all(): Map<string, Kept> {
    this.#kept ??= read(this.#host.state.value("chats"));
    return this.#kept;
  }

  async #save(): Promise<void> {
    const all = this.#all();
    for (const id of [...all.keys()].slice(0, Math.max(0, all.size - MAX_KEPT))) all.delete(id);
    const value = [...all].map(([id, { last, guild = "", parent = "" }]) => [id, last, guild, parent]);
    await this.#host.state.setValue("chats", value);
  }
}

/** Ids of Discord count the milliseconds from here on. */
const EPOCH = 1_420_070_400_000;

export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH;
}

/** What is said at that moment has a higher one. */
export function idAt(ms: number): string {
  return (BigInt(Math.max(0, ms - EPOCH)) << 22n).toString();
}

/** Ids of Discord rise with the time, and are longer than a number can be. */
export function isNewer(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length;
}

function read(value: Json | undefined): Map<string, Kept> {
  const rows = Array.isArray(value) ? value : [];
  return new Map(
    rows.flatMap((row) => {
      const [id, last, guild, parent] = Array.isArray(row) ? row.map(textOf) : [];
      if (id === undefined || last === undefined) return [];
      return [[id, { last, ...placeOf({ guild, parent }) }] as const];
    }),
  );
}

function placeOf({
  guild,
  parent,
}: {
  readonly guild?: string | undefined;
  readonly parent?: string | undefined;
}): Place {
  return { ...(guild !== undefined && { guild }), ...(parent !== undefined && { parent }) };
}
