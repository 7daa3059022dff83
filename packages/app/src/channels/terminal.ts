/** The `cli` channel: replies for the person at this terminal. */
import { untilAborted, type Channel, type OutboundMessage } from "@margay/core";

/** @returns when it is on the screen, or was already. */
export type ShowReply = (message: OutboundMessage) => void;

export interface TerminalChannel extends Channel {
  /** From now on replies go to this view; those that waited first. @returns the function that ends it. */
  attach(show: ShowReply): () => void;
}

const MAX_CHARS = 1_000_000; // a terminal has no limit of its own

/** Without a view, `send` waits: a reply is delivered when somebody can read it. */
export function createTerminalChannel(): TerminalChannel {
  let shown: ShowReply | undefined;
  const waiting = new Set<() => void>();
  return {
    id: "cli",
    can: { edit: false, buttons: false, media: false, maxChars: MAX_CHARS },
    attach(show) {
      shown = show;
      for (const wake of waiting) wake();
      waiting.clear();
      return () => {
        if (shown === show) shown = undefined;
      };
    },
    run(_inbox, signal) {
      return untilAborted(signal);
    },
    async send(message, signal) {
      signal.throwIfAborted();
      while (!shown) {
        await new Promise<void>((resolve, reject) => {
          const onAbort = (): void => {
            waiting.delete(wake);
            reject(signal.reason as Error); // an abort reason is what the signal's owner chose to throw
          };
          const wake = (): void => {
            signal.removeEventListener("abort", onAbort);
            resolve();
          };
          waiting.add(wake);
          signal.addEventListener("abort", onAbort, { once: true });
        });
      }
      shown(message);
      return undefined;
    },
  };
}
