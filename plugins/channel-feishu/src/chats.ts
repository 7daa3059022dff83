/** The chats and topics that were spoken in, and how far each was taken: who was away asks for what is behind that. */
import type { ChannelHost, Json } from "@margay/core/plugin";
import { textOf } from "./json.ts";

/** A chat, or a topic in one. */
export interface Place {
  readonly chat: string;
  readonly isPrivate: boolean;
  /** The message that the topic began with. */
  readonly root?: string;
}

export interface Kept extends Place {
  /** Of the newest message that was taken. */
  readonly at: number;
  readonly last: string;
}

/** More do not fit into one value. */
const MAX_KEPT = 300;

export class Chats {
  readonly #host: ChannelHost;
  #kept: Map<string, Kept> | undefined;

  constructor(host: ChannelHost) {
    this.#host = host;
  }

  /** By the id of the chat or the topic; at this moment. */
  kept(): ReadonlyMap<string, Kept> {
    return new Map(this.#all());
  }

  /**
   * A message was taken, or sent: in a chat, and in a topic of it. Nothing that is older takes that back.
   * @param topic whose history alone names it: of its chat it says nothing
   */
  async note(
    { id: message, at }: { readonly id: string; readonly at: number },
    places: ReadonlyMap<string, Place>,
    topic?: string,
  ): Promise<void> {
    const all = this.#all();
    for (const [id, place] of places) {
      const before = all.get(id);
      all.delete(id); // the newest stand last
      const isNewest = before === undefined || (at >= before.at && (topic === undefined || topic === id));
      all.set(id, isNewest ? { ...place, at, last: message } : { ...before, ...place });
    }
    for (const old of [...all.keys()].slice(0, Math.max(0, all.size - MAX_KEPT))) all.delete(old);
    await this.#save();
  }

  async forget(id: string): Promise<void> {
    if (this.#all().delete(id)) await this.#save();
  }

  #all(): Map<string, Kept> {
    this.#kept ??= read(this.#host.state.value("chats"));
    return this.#kept;
  }

  async #save(): Promise<void> {
    const rows = [...this.#all()].map(([id, { chat, isPrivate, root = "", at, last }]) => [
      id,
      at,
      last,
      isPrivate,
      ...(chat === id ? [] : [chat, root]),
    ]);
    await this.#host.state.setValue("chats", rows);
  }
}

function read(value: Json | undefined): Map<string, Kept> {
  return new Map(
    (Array.isArray(value) ? value : []).flatMap((row) => {
      const [id, at, last, isPrivate, chat, root] = Array.isArray(row) ? row : [];
      if (typeof id !== "string" || typeof at !== "number" || typeof last !== "string") return [];
      const found = textOf(root);
      const kept = { chat: textOf(chat) ?? id, isPrivate: isPrivate === true, at, last };
      return [[id, { ...kept, ...(found !== undefined && { root: found }) }] as const];
    }),
  );
}
