/** Names of people; and what a message was: asked of Feishu, for a moment and once. */
import type { Address, ChannelHost } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import type { Remote } from "./content.ts";
import { NoAnswer, Refusal } from "./errors.ts";
import { faultOf } from "./faults.ts";
import { isRecord, recordsOf, textOf, type Wire } from "./json.ts";

/** The platform waits for its acknowledgement while we ask. */
const MOMENT_MS = 1000;
const MAX_KEPT = 10_000;
/** Of a message that may be answered: one more than is shown of it, so that it shows that there is more. */
const MAX_TEXT = 2001;

/** One message: whose it is, `ou_…` or the id of an app, what it says, and its files. Without `text`: it may have changed, and is asked for. */
export interface Wrote {
  readonly author: string;
  readonly text?: string;
  readonly files: readonly Remote[];
}

export class People {
  readonly #api: Api;
  readonly #host: ChannelHost;
  /** What the mentions of somebody say. */
  readonly #mentioned = new Map<string, string>();
  readonly #written = new Map<string, Wrote>();
  /** Where a message of ours stands. */
  readonly #sent = new Map<string, Address>();

  constructor(api: Api, host: ChannelHost) {
    this.#api = api;
    this.#host = host;
  }

  /** Mentions say names on their own. */
  learn(id: string | undefined, name: string): void {
    if (id !== undefined && name !== "") keep(this.#mentioned, id, name);
  }

  wrote(message: string, { author, text, files }: Wrote): void {
    keep(this.#written, message, { author, files, ...(text !== undefined && { text: text.slice(0, MAX_TEXT) }) });
  }

  sent(message: string, to: Address): void {
    keep(this.#sent, message, to);
  }

  /** Of a message that was sent in this run. */
  placeOf(message: string): Address | undefined {
    return this.#sent.get(message);
  }

  /** Who may not be asked for may have been mentioned. @throws a fault; the reason of the signal. */
  async nameOf(id: string, signal: AbortSignal): Promise<string | undefined> {
    if (!id.startsWith("ou_")) return undefined;
    try {
      const path = `/contact/v3/users/${encodeURIComponent(id)}`;
      const { data } = await this.#api.call("GET", path, { signal, query: { user_id_type: "open_id" } });
      const user = isRecord(data) && isRecord(data["user"]) ? data["user"] : {};
      return textOf(user["name"]) ?? this.#mentioned.get(id);
    } catch (error) {
      signal.throwIfAborted();
      const mentioned = this.#mentioned.get(id);
      if (mentioned !== undefined) return mentioned;
      throw faultOf(error, this.#host);
    }
  }

  /** @throws as {@link nameOf}. */
  async titleOf(chat: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const { data } = await this.#api.call("GET", `/im/v1/chats/${encodeURIComponent(chat)}`, { signal });
      return isRecord(data) ? textOf(data["name"]) : undefined;
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, this.#host);
    }
  }

  /** @param read of an item of a list. @returns undefined: nobody can tell. @throws the reason of the signal. */
  async whatIs(message: string, read: (item: Wire) => Wrote, signal: AbortSignal): Promise<Wrote | undefined> {
    const known = this.#written.get(message);
    if (known?.text !== undefined) return known;
    const found = await this.#ask(`/im/v1/messages/${encodeURIComponent(message)}`, {}, signal);
    const [item] = recordsOf(found?.["items"]);
    if (item === undefined) return known;
    try {
      this.wrote(message, read(item));
    } catch {
      return known; // a form of message that nobody foresaw
    }
    return this.#written.get(message);
  }

  /** @returns what Feishu says; undefined when it refuses, or says nothing in that time. */
  async #ask(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Wire | undefined> {
    try {
      const body = await this.#api.call("GET", path, { signal, query, ms: MOMENT_MS });
      return isRecord(body["data"]) ? body["data"] : {};
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refusal || error instanceof NoAnswer) return undefined;
      throw error;
    }
  }
}

/** The oldest go. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
}
