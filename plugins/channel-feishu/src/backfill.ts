/** What was written while nobody listened: the chats still have it. */
import type { Kept } from "./chats.ts";
import { Refusal } from "./errors.ts";
import { isGone, missingScopes } from "./faults.ts";
import { isRecord, recordsOf, textOf, type Wire } from "./json.ts";
import { readItem, type Said } from "./message.ts";
import { takeMessage, type Taking } from "./take.ts";

const DAYS = 7;
const DAY_MS = 86_400_000;
/** Of one chat, the newest. */
const MAX_MESSAGES = 200;
const PAGE = 50;
/** Between two questions: others of the app ask too. */
const PACE_MS = 25;

/** All that a connection asks for, one question after the other. */
export class Backfill {
  readonly #taking: Taking;
  readonly #known: ReadonlyMap<string, Kept>;
  readonly #found: (said: Said) => void;
  #turn: Promise<unknown> = Promise.resolve();
  #isTold = false;

  /**
   * @param known The chats and topics that are asked for.
   * @param found told of each message that nobody had taken
   */
  constructor(taking: Taking, known: ReadonlyMap<string, Kept>, found: (said: Said) => void) {
    this.#taking = taking;
    this.#known = known;
    this.#found = found;
  }

  /** What is behind the last message is taken, oldest first. @throws a fault, or what `inbox.accept` throws. */
  async run(id: string, kept: Kept): Promise<void> {
    const { account, signal, me } = this.#taking;
    const oldest = Math.max(kept.at, account.host.clock.now() - DAYS * DAY_MS);
    const items = await this.#itemsOf(id, kept, oldest);
    const topics = new Map<string, Kept>();
    for (const item of items.toReversed()) {
      signal.throwIfAborted();
      const said = this.#read(item, kept);
      if (said === undefined || said.at < oldest || said.id === kept.last) continue;
      if (await takeMessage(said, this.#taking)) this.#found(said);
      // The list of a chat names the beginning of its topics alone.
      const { thread, chat, isPrivate, at } = said;
      if (thread !== undefined && !this.#known.has(thread.id) && !topics.has(thread.id))
        topics.set(thread.id, { chat, isPrivate, root: thread.root, at, last: said.id });
    }
    if (items.length >= MAX_MESSAGES)
      account.host.log.warn("feishu.backfill-cut", { chat: id, messages: items.length, app: me.appId });
    for (const [topic, place] of topics) if (topic !== id) await this.run(topic, place);
  }

  #read(item: Wire, { isPrivate, chat }: Kept): Said | undefined {
    try {
      return readItem({ chat_id: chat, ...item }, this.#taking.me, isPrivate);
    } catch (error) {
      this.#taking.account.host.deadLetter(JSON.stringify(item), error);
      return undefined;
    }
  }

  /** Newest first. */
  async #itemsOf(id: string, kept: Kept, oldest: number): Promise<readonly Wire[]> {
    const items: Wire[] = [];
    for (let token = ""; items.length < MAX_MESSAGES;) {
      const page = await this.#page(id, kept, { oldest, token });
      items.push(...page.items);
      const last = page.items.at(-1);
      if (page.next === undefined || last === undefined || Number(last["create_time"]) < oldest) break;
      token = page.next;
    }
    return items.slice(0, MAX_MESSAGES);
  }

  #page(id: string, kept: Kept, { oldest, token }: { readonly oldest: number; readonly token: string }): Promise<Page> {
    const isTopic = kept.chat !== id;
    const query = {
      container_id_type: isTopic ? "thread" : "chat",
      container_id: id,
      // Of a topic Feishu does not take it.
      ...(!isTopic && { start_time: String(Math.floor(oldest / 1000)) }),
      sort_type: "ByCreateTimeDesc",
      page_size: String(PAGE),
      ...(token !== "" && { page_token: token }),
    };
    const mine = this.#turn.then(() => this.#ask(id, query));
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #ask(id: string, query: Readonly<Record<string, string>>): Promise<Page> {
    const { account, signal } = this.#taking;
    const { api, host, chats } = account;
    for (;;)
      try {
        await host.clock.sleep(PACE_MS, signal);
        const body = await api.call("GET", "/im/v1/messages", { signal, query });
        const data = isRecord(body["data"]) ? body["data"] : {};
        const next = data["has_more"] === true ? textOf(data["page_token"]) : undefined;
        return { items: recordsOf(data["items"]), ...(next !== undefined && { next }) };
      } catch (error) {
        if (error instanceof Refusal && error.retryAfterMs !== undefined) {
          await host.clock.sleep(error.retryAfterMs, signal);
          continue;
        }
        const scopes = missingScopes(error);
        if (scopes === undefined && !isGone(error)) throw error;
        if (scopes === undefined) await chats.forget(id);
        else if (!this.#isTold) {
          this.#isTold = true;
          const message = `Messages of groups that were written while margay was off may be missing: the app lacks ${scopes}.`;
          host.degraded(`${message} Add it on the page Permissions & Scopes, and publish a version.`);
          host.log.warn("feishu.backfill-impossible", { chat: id, message });
        }
        return { items: [] };
      }
  }
}

interface Page {
  readonly items: readonly Wire[];
  readonly next?: string;
}
