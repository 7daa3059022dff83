/** Names of people, and what a message was: asked of Feishu, for a moment and once. */
import type { Address, ChannelHost } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import type { Remote } from "./content.ts";
import { NoAnswer, Refusal } from "./errors.ts";
import { missingScopes } from "./faults.ts";
import { isRecord, recordsOf, textOf, type Wire } from "./json.ts";

/** The platform waits for its acknowledgement while we ask. */
const MOMENT_MS = 1000;
const DAY_MS = 86_400_000;
/** Who may not ask does not ask again for so long. */
const PAUSE_MS = 3_600_000;
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
  readonly #names = new Map<string, { readonly name: string | undefined; readonly until: number }>();
  readonly #written = new Map<string, Wrote>();
  /** Where a message of ours stands. */
  readonly #sent = new Map<string, Address>();
  #pausedUntil = 0;

  constructor(api: Api, host: ChannelHost) {
    this.#api = api;
    this.#host = host;
  }

  /** Mentions say names on their own. */
  learn(id: string | undefined, name: string): void {
    if (id !== undefined && name !== "") this.#keepName(id, name);
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

  /** @throws the reason of the signal. */
  async nameOf(id: string, signal: AbortSignal): Promise<string | undefined> {
    const { clock, log } = this.#host;
    const known = this.#names.get(id);
    if (known !== undefined && known.until > clock.now()) return known.name;
    if (!id.startsWith("ou_") || this.#pausedUntil > clock.now()) return known?.name;
    const found = await this.#ask(`/contact/v3/users/${encodeURIComponent(id)}`, { user_id_type: "open_id" }, signal);
    if (found instanceof Error) {
      this.#pausedUntil = clock.now() + PAUSE_MS;
      const missing = missingScopes(found);
      log.warn("feishu.names-unknown", { message: missing === undefined ? found.message : `no permission ${missing}` });
      return known?.name;
    }
    const user = isRecord(found?.["user"]) ? found["user"] : {};
    if (found !== undefined) this.#keepName(id, textOf(user["name"]));
    return textOf(user["name"]) ?? known?.name;
  }

  /** @param read of an item of a list. @returns undefined: nobody can tell. @throws the reason of the signal. */
  async whatIs(message: string, read: (item: Wire) => Wrote, signal: AbortSignal): Promise<Wrote | undefined> {
    const known = this.#written.get(message);
    if (known?.text !== undefined) return known;
    const found = await this.#ask(`/im/v1/messages/${encodeURIComponent(message)}`, {}, signal);
    const [item] = found === undefined || found instanceof Error ? [] : recordsOf(found["items"]);
    if (item === undefined) return known;
    try {
      this.wrote(message, read(item));
    } catch {
      return known; // a form of message that nobody foresaw
    }
    return this.#written.get(message);
  }

  /** @returns what Feishu says; its refusal; undefined when it says nothing in that time. */
  async #ask(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Wire | Refusal | undefined> {
    try {
      const body = await this.#api.call("GET", path, { signal, query, ms: MOMENT_MS });
      return isRecord(body["data"]) ? body["data"] : {};
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refusal) return error;
      if (error instanceof NoAnswer) return undefined;
      throw error;
    }
  }

  #keepName(id: string, name: string | undefined): void {
    keep(this.#names, id, { name, until: this.#host.clock.now() + DAY_MS });
  }
}

/** The oldest go. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
}
