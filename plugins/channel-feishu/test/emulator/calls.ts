// Feishu calling an address of the app: encrypted and signed as Feishu does it, and told again when nobody took it.
import { createCipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import { isRecord, type Json } from "./http.ts";

export interface CallRecord {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** 0: nobody answered. */
  status: number;
  answer: string;
}

/** An answer that comes later does not count. */
const ANSWER_MS = 3000;

/** Something that Feishu tells until it is taken. */
interface Event {
  readonly payload: Json;
  sent: number;
  answer?: Json;
}

export class Calls {
  readonly records: CallRecord[] = [];
  /** What nobody took, and is told again when its time has come. */
  readonly waiting = new Set<Event>();
  /** Nobody reaches the app. */
  isDown = false;
  readonly encryptKey = "an encrypt key of the app";
  readonly verificationToken = "v-token-of-the-app";
  /** Where; undefined: the app is told over its connections. */
  url: string | undefined;
  readonly #now: () => number;
  readonly #changed: () => void;
  readonly #open = new Set<Promise<unknown>>();

  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  /** As the console does when an address is entered. It signs nothing then. @returns whether the word came back. */
  async verify(url: string, token = this.verificationToken): Promise<boolean> {
    const challenge = randomUUID();
    const { body } = this.sealed({ challenge, token, type: "url_verification" });
    const { status, answer } = await this.send(body, { "content-type": "application/json" }, url);
    const said: unknown = status === 200 ? JSON.parse(answer) : undefined;
    const isRight = isRecord(said) && said["challenge"] === challenge;
    if (isRight) this.url = url;
    return isRight;
  }

  /** The token is of the app, as it stands in each event. */
  deliver(event: Event): void {
    event.sent += 1;
    const header = isRecord(event.payload["header"]) ? event.payload["header"] : {};
    const { body, headers } = this.sealed({ ...event.payload, header: { ...header, token: this.verificationToken } });
    void this.send(body, headers).then(({ status, answer }) => {
      const said: unknown = status === 200 && answer !== "" ? JSON.parse(answer) : {};
      if (status === 200 && isRecord(said)) event.answer = said;
      else this.waiting.add(event);
      this.#changed();
    });
  }

  /** The time has come to tell again what nobody took: each time signed anew. */
  retry(): void {
    for (const event of [...this.waiting]) {
      this.waiting.delete(event);
      this.deliver(event);
    }
  }

  /** Encrypted, and what signs it. */
  sealed(payload: Json): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
    const iv = randomBytes(16);
    const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(this.encryptKey).digest(), iv);
    const bytes = Buffer.concat([iv, cipher.update(JSON.stringify(payload)), cipher.final()]);
    const body = JSON.stringify({ encrypt: bytes.toString("base64") });
    return { body, headers: this.signed(body) };
  }

  signed(body: string, time = String(Math.floor(this.#now() / 1000)), key = this.encryptKey): Record<string, string> {
    const nonce = randomUUID();
    return {
      "content-type": "application/json",
      "x-lark-request-timestamp": time,
      "x-lark-request-nonce": nonce,
      "x-lark-signature": createHash("sha256").update(`${time}${nonce}${key}${body}`).digest("hex"),
    };
  }

  send(body: string, headers: Readonly<Record<string, string>>, url = this.url): Promise<CallRecord> {
    const record: CallRecord = { body, headers, status: 0, answer: "" };
    this.records.push(record);
    const sent = (async () => {
      try {
        if (this.isDown) throw new Error("down");
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

  /** All that is under way has its answer. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }
}
