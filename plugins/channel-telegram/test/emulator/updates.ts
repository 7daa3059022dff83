// Updates until they are confirmed: polls, the webhook, the 24 hours, and what can go wrong with them.

import type { Update, WebhookInfo } from "grammy/types";

import type { EmulatorClock } from "./clock.ts";
import { Refusal } from "./refusal.ts";

/** An update before it has its number. */
export type News = Omit<Update, "update_id">;

interface Entry {
  readonly update: Update;
  readonly at: number;
}

interface Poll {
  answer(updates: Update[]): void;
  refuse(refusal: Refusal): void;
}

interface Hook {
  readonly url: string;
  readonly secret: string | undefined;
  lastError?: { readonly at: number; readonly text: string };
}

const DAY = 86_400_000;
/** What comes only when it is asked for. */
const ON_REQUEST: ReadonlySet<string> = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

export class Updates {
  readonly #clock: EmulatorClock;
  readonly #changed: () => void;
  readonly #closed = new AbortController();
  #entries: Entry[] = [];
  #last: Entry[] = [];
  #again: Update[] = [];
  #reversed = false;
  #allowed: readonly string[] = [];
  #id = 700_000;
  #poll: Poll | undefined;
  #hook: Hook | undefined;
  #delivering = false;

  constructor(clock: EmulatorClock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Whether a poll waits at this moment. */
  get polling(): boolean {
    return this.#poll !== undefined;
  }

  /** Not confirmed and not expired. */
  pending(): readonly Update[] {
    this.#entries = this.#entries.filter(({ at }) => at > this.#clock.now() - DAY);
    return this.#entries.map(({ update }) => update);
  }

  /** Nothing happens when the bot did not ask for its kind. */
  add(news: News): void {
    const kind = Object.keys(news)[0] ?? "";
    if (this.#allowed.length > 0 ? !this.#allowed.includes(kind) : ON_REQUEST.has(kind)) return;
    const entry = { update: { update_id: ++this.#id, ...news }, at: this.#clock.now() };
    this.#entries.push(entry);
    this.#last = [...this.#last, entry].slice(-100);
    this.#wake();
  }

  #wake(): void {
    const poll = this.#poll;
    this.#poll = undefined;
    poll?.answer([]);
    void this.#deliver();
    this.#changed();
  }

  /** The next answer brings the last `count` updates once more, confirmed or not. */
  repeat(count: number): void {
    this.#again.push(...this.#last.slice(-count).map(({ update }) => update));
    this.#wake();
  }

  /** The next answer with more than one update has them in reverse. */
  reverse(): void {
    this.#reversed = true;
  }

  /** Numbers that no update will have. @returns the last of them */
  skip(count: number): number {
    this.#id += count;
    return this.#id;
  }

  /** @throws Refusal 409 when a later poll or a webhook takes over */
  async poll(
    asked: { offset?: number; limit?: number; timeout?: number; allowed_updates?: readonly string[] },
    gone: AbortSignal,
  ): Promise<Update[]> {
    if (this.#hook !== undefined)
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    this.#poll?.refuse(
      conflict("terminated by other getUpdates request; make sure that only one bot instance is running"),
    );
    this.#poll = undefined;
    if (asked.allowed_updates !== undefined) this.#allowed = asked.allowed_updates;
    const { offset = 0, timeout = 0 } = asked;
    const limit = Math.min(100, Math.max(1, asked.limit ?? 100));
    const pending = this.pending().length;
    if (offset < 0) this.#entries = this.#entries.slice(Math.max(0, pending + offset));
    else this.#entries = this.#entries.filter(({ update }) => update.update_id >= offset);
    if (this.#entries.length + this.#again.length === 0 && timeout > 0) await this.#wait(timeout, gone);
    return gone.aborted ? [] : this.#take(limit);
  }

  #take(limit: number): Update[] {
    const updates = [...this.#again.splice(0), ...this.pending()].slice(0, limit);
    if (!this.#reversed || updates.length < 2) return updates;
    this.#reversed = false;
    return updates.toReversed();
  }

  async #wait(timeout: number, gone: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<Update[]>();
    const poll: Poll = { answer: resolve, refuse: reject };
    const end = (): void => {
      if (this.#poll === poll) this.#poll = undefined;
      resolve([]);
    };
    using _timer = this.#clock.timer(Math.min(50, timeout) * 1000, end);
    gone.addEventListener("abort", end, { once: true });
    this.#poll = poll;
    this.#changed();
    await promise;
  }

  setHook(url: string, secret: string | undefined, allowed: readonly string[] | undefined, drop: boolean): void {
    if (drop) this.#entries = [];
    if (allowed !== undefined) this.#allowed = allowed;
    this.#hook = url === "" ? undefined : { url, secret };
    if (this.#hook !== undefined) this.#poll?.refuse(conflict("terminated by setWebhook request"));
    void this.#deliver();
  }

  hookInfo(): WebhookInfo {
    const hook = this.#hook;
    const failed = hook?.lastError;
    return {
      url: hook?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: this.pending().length,
      ...(hook && { max_connections: 40 }),
      ...(failed && { last_error_date: Math.floor(failed.at / 1000), last_error_message: failed.text }),
      ...(this.#allowed.length > 0 && { allowed_updates: [...this.#allowed] as (keyof News)[] }), // checked when they were set
    };
  }

  /** One after the other; what fails is sent again after a second. */
  async #deliver(): Promise<void> {
    if (this.#delivering) return;
    this.#delivering = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { hook, update } = next;
      const text = await deliverOne(hook, update, this.#closed.signal);
      if (text === undefined) this.#entries = this.#entries.filter((entry) => entry.update !== update);
      else {
        hook.lastError = { at: this.#clock.now(), text };
        await new Promise<void>((resolve) => void this.#clock.timer(1000, resolve));
      }
      this.#changed();
    }
    this.#delivering = false;
  }

  #next(): { readonly hook: Hook; readonly update: Update } | undefined {
    const [update] = this.pending();
    const hook = this.#closed.signal.aborted ? undefined : this.#hook;
    return hook === undefined || update === undefined ? undefined : { hook, update };
  }

  close(): void {
    this.#closed.abort();
    this.#wake();
  }
}

/** @returns what went wrong */
async function deliverOne({ url, secret }: Hook, update: Update, signal: AbortSignal): Promise<string | undefined> {
  const headers = {
    "content-type": "application/json",
    ...(secret !== undefined && { "x-telegram-bot-api-secret-token": secret }),
  };
  try {
    const { ok, status } = await fetch(url, { method: "POST", headers, body: JSON.stringify(update), signal });
    return ok ? undefined : `Wrong response from the webhook: ${status}`;
  } catch {
    return "Connection refused";
  }
}

function conflict(text: string): Refusal {
  return new Refusal(409, `Conflict: ${text}`);
}
