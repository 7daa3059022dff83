/** The `cli` channel: replies for the person at this terminal. */
import { RuntimeError, type Channel, type OutboundMessage } from "@margay/core";
import { raceAbort, untilAborted } from "@margay/core/internal";

/** @returns when it is on the screen, or was already. */
export type ShowReply = (message: OutboundMessage) => void;

export interface TerminalChannel extends Channel {
  /** From now on replies go to this view; those that waited first. @returns the function that ends it. */
  attach(show: ShowReply): () => void;
}

/** Without a view, `send` waits: a reply is delivered when somebody can read it. It is sent again after a restart. */
export function createTerminalChannel(): TerminalChannel {
  let shown: ShowReply | undefined;
  const stopping = new AbortController();
  const waiting = new Set<() => void>();
  return {
    id: "cli",
    can: { edit: false, buttons: false, media: false, maxChars: Number.POSITIVE_INFINITY },
    attach(show) {
      shown = show;
      for (const wake of waiting) wake();
      waiting.clear();
      return () => {
        if (shown === show) shown = undefined;
      };
    },
    async run(_inbox, signal) {
      await untilAborted(signal);
      // Whoever stops waits for deliveries in hand, and nobody will read these before the next start.
      stopping.abort(new RuntimeError("process.stopping", "Nobody reads here any more.", { retryable: true }));
    },
    async send(message, signal) {
      const ends = AbortSignal.any([signal, stopping.signal]);
      while (!shown) {
        ends.throwIfAborted();
        const wake = Promise.withResolvers<void>();
        waiting.add(wake.resolve);
        await raceAbort(wake.promise, ends).finally(() => waiting.delete(wake.resolve));
      }
      signal.throwIfAborted();
      shown(message);
      return undefined;
    },
  };
}
