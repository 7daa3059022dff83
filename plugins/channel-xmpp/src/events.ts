/** What came over a connection, in its order, until somebody takes it; behind the last comes why it ended. */
import type { Stanza } from "./names.ts";
import type { Reading } from "./read.ts";

/** `online`: a new session, of which the server knows nothing yet. */
export type LinkEvent =
  | { readonly type: "message"; readonly stanza: Stanza; readonly reading: Reading }
  | { readonly type: "online" }
  | { readonly type: "resumed" };

export class Events {
  readonly #waiting: LinkEvent[] = [];
  #news = Promise.withResolvers<void>();
  #fault: Error | undefined;

  add(event: LinkEvent): void {
    this.#waiting.push(event);
    this.#news.resolve();
  }

  /** The first fault counts. */
  end(fault: Error): void {
    this.#fault ??= fault;
    this.#news.resolve();
  }

  /** @throws the fault with which it ended; the reason of the signal. */
  async next(signal: AbortSignal): Promise<LinkEvent> {
    const stop = (): void => this.#news.resolve();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const event = this.#waiting.shift();
        if (event !== undefined) return event;
        if (this.#fault !== undefined) throw this.#fault;
        this.#news = Promise.withResolvers();
        await this.#news.promise;
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  forget(which: (stanza: Stanza) => boolean): void {
    const kept = this.#waiting.filter((event) => event.type !== "message" || !which(event.stanza));
    this.#waiting.splice(0, this.#waiting.length, ...kept);
  }
}
