/** One connection of one account: it comes back by itself while the server keeps our session, and says when it cannot. */
import { randomUUID } from "node:crypto";
import type { ChannelHost } from "@margay/core/plugin";
import { Events, type LinkEvent } from "./events.ts";
import { connectFault, notConnected, refusal, unanswered } from "./faults.ts";
import { NS, type Stanza } from "./names.ts";
import type { Reading } from "./read.ts";
import { bareOf, type Settings } from "./settings.ts";
import { openStream, type Stream, type Xml } from "./stream.ts";

/** An element to send, as `xml` makes it. */
export type Written = ReturnType<Xml>;

export interface Link {
  readonly xml: Xml;
  /** The part of our address that is this program. */
  readonly resource: string;
  /** Asked at once of whatever comes: who is behind a nickname may be another one a moment later. Undefined: it is done. */
  listen(read: (stanza: Stanza) => Reading | undefined): void;
  /** @throws the fault with which it ended; the reason of the signal. */
  next(signal: AbortSignal): Promise<LinkEvent>;
  /** Takes away what waits and was not handed out. */
  forget(which: (stanza: Stanza) => boolean): void;
  /** @throws an error of the server, or that there is no answer. */
  request(iq: Written): Promise<Stanza>;
  /** Whether anybody reads it is not known. */
  write(stanza: Written): Promise<void>;
  /** Resolves when the server has it. @throws a fault, whose `sent` says what became of it. */
  deliver(message: Written, to: string): Promise<void>;
  /** What the archive sends for a query is no message. */
  collect(query: string, take: (result: Stanza, from: string) => void): Disposable;
  /** Says goodbye, for at most two seconds. */
  close(): Promise<void>;
}

/** Between attempts to resume; then the host begins anew. */
const AGAIN_MS = [100, 1_000, 3_000];
const ACK_MS = 10_000;
const GOODBYE_MS = 2_000;
/** A server that says nothing by itself is asked so often. */
const ASK_MS = 30_000;

/** Connected and logged in. @param resource Two connections with the same one end each other. @throws a fault. */
export async function openLink(
  settings: Settings,
  resource: string,
  host: ChannelHost,
  signal: AbortSignal,
): Promise<Link> {
  const stream = await openStream(settings, resource, host.clock);
  const stop = (): void => stream.cut();
  signal.addEventListener("abort", stop, { once: true });
  const link = new LiveLink({ stream, resource, settings, host });
  try {
    signal.throwIfAborted();
    await link.begin();
    signal.throwIfAborted();
    return link;
  } catch (error) {
    await link.close();
    signal.throwIfAborted();
    throw connectFault(error, settings, host);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

interface Parts {
  readonly stream: Stream;
  readonly resource: string;
  readonly settings: Settings;
  readonly host: ChannelHost;
}

class LiveLink implements Link {
  readonly xml: Xml;
  readonly resource: string;
  readonly #parts: Parts;
  readonly #over = new AbortController();
  readonly #events = new Events();
  readonly #collectors = new Map<string, (result: Stanza, from: string) => void>();
  readonly #waiting = new Map<string, { readonly to: string; settle(error?: Error): void }>();
  #isUp = false;
  #isMending = false;
  #read: (stanza: Stanza) => Reading | undefined = () => undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.xml = parts.stream.xml;
    this.resource = parts.resource;
    const { client, management } = parts.stream;
    client.on("element", () => parts.host.alive());
    client.on("stanza", (stanza: Stanza) => this.#take(stanza));
    management.on("ack", ({ attrs }) => this.#waiting.get(attrs["id"] ?? "")?.settle());
    // The server has forgotten our session: nobody says any more what became of it.
    management.on("fail", ({ attrs }) =>
      this.#waiting.get(attrs["id"] ?? "")?.settle(unanswered(parts.settings, parts.host)),
    );
  }

  /** The first connection. */
  async begin(): Promise<void> {
    const { client } = this.#parts.stream;
    await this.#connect();
    let cause: Error | undefined;
    client.on("error", (error) => {
      // Behind a word of the server the socket breaks too, which is no reason to come back.
      if (fieldName(cause) !== "StreamError") cause = error;
    });
    client.on("disconnect", () => {
      this.#isUp = false;
      const why = cause;
      cause = undefined;
      if (this.#isMending) return; // an attempt of it failed
      this.#isMending = true;
      void this.#comeBack(why).finally(() => (this.#isMending = false));
    });
    void this.#ask();
  }

  async #connect(): Promise<void> {
    const how = await this.#parts.stream.connect();
    this.#isUp = true;
    this.#events.add({ type: how });
  }

  async #comeBack(why: Error | undefined): Promise<void> {
    const { settings, host } = this.#parts;
    let fault = connectFault(why ?? new Error("the connection was closed"), settings, host);
    const isEnd = why !== undefined && fieldName(why) === "StreamError";
    for (const ms of isEnd ? [] : AGAIN_MS) {
      try {
        await host.clock.sleep(ms, this.#over.signal);
        await this.#connect();
        return;
      } catch (error) {
        if (this.#over.signal.aborted) return;
        fault = connectFault(error, settings, host);
      }
    }
    this.#end(fault);
  }

  #end(fault: Error): void {
    this.#over.abort(fault);
    for (const { settle } of [...this.#waiting.values()])
      settle(unanswered(this.#parts.settings, this.#parts.host, fault));
    this.#events.end(fault);
  }

  #take(stanza: Stanza): void {
    if (stanza.name === "iq") return; // an answer, or answered by the library
    const result = stanza.getChild("result", NS.archive);
    if (result !== undefined) {
      const { jid } = this.#parts.settings;
      this.#collectors.get(result.attrs["queryid"] ?? "")?.(result, bareOf(stanza.attrs["from"] ?? jid));
      return;
    }
    if (stanza.name === "message" && stanza.attrs["type"] === "error") this.#refused(stanza);
    else {
      const reading = this.#read(stanza);
      if (reading !== undefined) this.#events.add({ type: "message", stanza, reading });
    }
  }

  #refused(stanza: Stanza): void {
    const { host } = this.#parts;
    const from = bareOf(stanza.attrs["from"] ?? "");
    const waiting = this.#waiting.get(stanza.attrs["id"] ?? "");
    if (waiting?.to === from) waiting.settle(refusal(stanza, from, host));
    else host.log.warn("xmpp.came-back", { from, message: refusal(stanza, from, host).message });
  }

  listen(read: (stanza: Stanza) => Reading | undefined): void {
    this.#read = read;
  }

  next(signal: AbortSignal): Promise<LinkEvent> {
    return this.#events.next(signal);
  }

  forget(which: (stanza: Stanza) => boolean): void {
    this.#events.forget(which);
  }

  async request(iq: Written): Promise<Stanza> {
    const { settings, host } = this.#parts;
    // While a connection is being made the server takes it for a part of that, breaks it off, and never answers.
    if (!this.#isUp) throw notConnected(settings, host);
    iq.attrs["id"] ??= randomUUID(); // whoever guesses it could answer in the server's place
    const ended = Promise.withResolvers<never>();
    const stop = (): void => ended.reject(this.#over.signal.reason);
    this.#over.signal.addEventListener("abort", stop, { once: true });
    if (this.#over.signal.aborted) stop();
    try {
      return await Promise.race([this.#parts.stream.client.iqCaller.request(iq), ended.promise]);
    } finally {
      this.#over.signal.removeEventListener("abort", stop);
    }
  }

  async write(stanza: Written): Promise<void> {
    if (this.#isUp) await this.#parts.stream.client.send(stanza);
  }

  async deliver(message: Written, to: string): Promise<void> {
    const { stream, settings, host } = this.#parts;
    if (!this.#isUp) throw notConnected(settings, host);
    const id = String(message.attrs["id"]);
    const outcome = Promise.withResolvers<void>();
    const settle = (error?: Error): void => (error === undefined ? outcome.resolve() : outcome.reject(error));
    this.#waiting.set(id, { to, settle });
    using _late = host.clock.timer(ACK_MS, () => {
      const fault = unanswered(settings, host);
      settle(fault);
      // The library would send it once more when the session is resumed, behind the back of whoever looked for it.
      this.#end(fault);
      stream.cut();
    });
    try {
      await Promise.race([stream.client.send(message), outcome.promise]).catch((error: unknown) => {
        throw error instanceof Error && "kind" in error ? error : unanswered(settings, host, error);
      });
      // A server without acknowledgements answers what it was asked later.
      if (!stream.management.enabled) void this.#ping().then(() => settle(), settle);
      await outcome.promise;
    } finally {
      this.#waiting.delete(id);
    }
  }

  async #ping(): Promise<void> {
    const { settings, host } = this.#parts;
    try {
      await this.request(this.xml("iq", { type: "get", to: settings.domain }, this.xml("ping", { xmlns: NS.ping })));
    } catch (error) {
      // A refused ping is an answer as well.
      if (fieldName(error) !== "StanzaError") throw unanswered(settings, host, error);
    }
  }

  /** With acknowledgements the library asks. */
  async #ask(): Promise<void> {
    const { clock } = this.#parts.host;
    try {
      for (;;) {
        await clock.sleep(ASK_MS, this.#over.signal);
        if (this.#isUp && !this.#parts.stream.management.enabled) await this.#ping().catch(() => {});
      }
    } catch {
      // it is over
    }
  }

  collect(query: string, take: (result: Stanza, from: string) => void): Disposable {
    this.#collectors.set(query, take);
    return { [Symbol.dispose]: () => void this.#collectors.delete(query) };
  }

  async close(): Promise<void> {
    const { stream, host, settings } = this.#parts;
    this.#end(notConnected(settings, host));
    const { client } = stream;
    const enough = Promise.withResolvers<void>();
    using _timer = host.clock.timer(GOODBYE_MS, enough.resolve);
    const bye = client.status === "online" ? client.stop().catch(() => {}) : undefined;
    await Promise.race([bye, enough.promise]);
    stream.cut();
    client.emit("offline"); // the library's own timers end with it
  }
}

function fieldName(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}
