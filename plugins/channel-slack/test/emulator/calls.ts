// Slack calling an address of the app: signed as Slack signs, and told again when nobody took it.

import { createHmac } from "node:crypto";
import type { Wire } from "./http.ts";

export interface CallRecord {
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** From 0. */
  readonly attempt: number;
  /** 0: nobody answered. */
  status: number;
  answer: string;
}

/** A call that nobody answers in that time is told again. */
const ANSWER_MS = 3000;
/** How often an event is told again. */
const RETRIES = 3;

/** What an app is called with. Its secret is that of the app. */
export class Calls {
  readonly records: CallRecord[] = [];
  /** What nobody took, and is told again when its time has come. */
  readonly waiting = new Map<string, { readonly body: string; attempt: number; reason: string }>();
  /** Where; undefined: the app is told over its sockets. */
  url: string | undefined;
  /** Nobody reaches the app. */
  isDown = false;
  readonly secret = "8f742231b10e8888abcd99ee77aa85a5";
  readonly #now: () => number;
  readonly #changed: () => void;
  readonly #open = new Set<Promise<unknown>>();

  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  /** As the page of the app does when an address is entered: it must say the word. */
  async verify(url: string): Promise<boolean> {
    const challenge = `word-${this.records.length}`;
    const { status, answer } = await this.#call({
      type: "url_verification",
      body: JSON.stringify({ token: "old", challenge, type: "url_verification" }),
      url,
    });
    const isRight = status === 200 && (answer === challenge || JSON.parse(answer || "null")?.challenge === challenge);
    if (isRight) this.url = url;
    return isRight;
  }

  tell(type: string, payload: Wire): void {
    if (type === "events_api") this.#event(JSON.stringify({ token: "old", ...payload }), 0, "");
    else if (type === "interactive") void this.#form(type, { payload: JSON.stringify(payload) });
    else void this.#form(type, payload as Record<string, string>); // fields of a command are texts
  }

  /** Slack looks whether somebody is there. */
  check(): Promise<CallRecord> {
    return this.#form("ssl_check", { ssl_check: "1", token: "old" });
  }

  /** The time of a retry has come. */
  retry(): void {
    for (const [event, { body, attempt, reason }] of [...this.waiting]) {
      this.waiting.delete(event);
      this.#event(body, attempt + 1, reason);
    }
  }

  /** The same bytes and headers once more, as somebody who has heard them would send. */
  replay(
    { body, headers, type }: CallRecord,
    changes: Readonly<Record<string, string>> = {},
    other = body,
  ): Promise<CallRecord> {
    return this.#send({ type, body: other, headers: { ...headers, ...changes }, attempt: 0, status: 0, answer: "" });
  }

  /** Nothing is under way, and nothing is going to be told again. */
  get isTaken(): boolean {
    return this.#open.size === 0 && this.waiting.size === 0;
  }

  /** Signed, whatever it is. */
  raw(body: string): void {
    void this.#call({ type: "raw", body });
  }

  /** All that is under way has its answer. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  #event(body: string, attempt: number, reason: string): void {
    const more = attempt === 0 ? {} : { "x-slack-retry-num": String(attempt), "x-slack-retry-reason": reason };
    void this.#call({ type: "events_api", body, attempt, more }).then(({ status }) => {
      if (status >= 200 && status < 300) return;
      if (attempt < RETRIES)
        this.waiting.set(body, { body, attempt, reason: status === 0 ? "http_timeout" : "http_error" });
      this.#changed();
    });
  }

  #form(type: string, fields: Readonly<Record<string, string>>): Promise<CallRecord> {
    return this.#call({ type, body: String(new URLSearchParams(fields)), form: true });
  }

  #call(call: {
    readonly type: string;
    readonly body: string;
    readonly url?: string;
    readonly form?: true;
    readonly attempt?: number;
    readonly more?: Readonly<Record<string, string>>;
  }): Promise<CallRecord> {
    const { type, body, form, attempt = 0, more = {} } = call;
    const headers = {
      "content-type": form === true ? "application/x-www-form-urlencoded" : "application/json",
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      ...sign(this.secret, String(Math.floor(this.#now() / 1000)), body),
      ...more,
    };
    return this.#send({ type, body, headers, attempt, status: 0, answer: "" }, call.url);
  }

  #send(record: CallRecord, url = this.url): Promise<CallRecord> {
    this.records.push(record);
    const sent = (async () => {
      try {
        if (this.isDown) throw new Error("down");
        const { body, headers } = record;
        const answer = await fetch(url ?? "", {
          method: "POST",
          body,
          headers,
          signal: AbortSignal.timeout(ANSWER_MS),
        });
        record.answer = await answer.text();
        record.status = answer.status;
      } catch {
        record.status = 0;
      }
      this.#changed();
      return record;
    })();
    this.#open.add(sent);
    void sent.then(() => this.#open.delete(sent));
    return sent;
  }
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function sign(secret: string, time: string, body: string): Readonly<Record<string, string>> {
  const hash = createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${hash}` };
}
