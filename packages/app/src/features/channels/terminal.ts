/** The `cli` channel: replies for the person at this terminal. */
import { RuntimeError, type Channel, type OutboundMessage } from "@margay/core";
import { raceAbort, untilAborted } from "@margay/core/internal";

/**
 * @param alone No other view shows it.
 * @returns when it is on the screen, or was already; of a screen elsewhere a promise, which rejects when it will not be: it is
 * shown in another one then.
 */
export type ShowReply = (message: OutboundMessage, alone: boolean) => unknown;

/** Which chats a view shows. Absent: whatever no other view does. */
export type ShowsChat = (chat: string) => boolean;

export interface TerminalChannel extends Channel {
  /** From now on replies go to this view; those that waited first. @returns the function that ends it. */
  attach(show: ShowReply, shows?: ShowsChat): () => void;
}

interface View {
  readonly show: ShowReply;
  readonly shows: ShowsChat | undefined;
}

/** Without a view, `send` waits: a reply is delivered when somebody can read it. It is sent again after a restart. */
export function createTerminalChannel(): TerminalChannel {
  let views: readonly View[] = [];
  const stopping = new AbortController();
  const waiting = new Set<() => void>();
  return {
    id: "cli",
    can: { once: "no", text: { dialect: "markdown", max: Number.POSITIVE_INFINITY } },
    attach(show, shows) {
      const view = { show, shows };
      views = [...views, view];
      for (const wake of waiting) wake();
      waiting.clear();
      return () => {
        views = views.filter((each) => each !== view);
      };
    },
    async run(_inbox, signal) {
      await untilAborted(signal);
      // Whoever stops waits for deliveries in hand, and nobody will read these before the next start.
      stopping.abort(new RuntimeError("process.stopping", "Nobody reads here any more.", { retryable: true }));
    },
    async send(message, signal) {
      const ends = AbortSignal.any([signal, stopping.signal]);
      for (;;) {
        const chosen = viewsFor(message.to.chat, views);
        if (chosen.length > 0) {
          signal.throwIfAborted();
          const showing = await Promise.allSettled(
            chosen.map(({ show }) => shownBy(show, message, { alone: chosen.length === 1, ends })),
          );
          if (showing.some(({ status }) => status === "fulfilled")) return undefined;
          const [failed] = showing;
          if (failed?.status === "rejected" && chosen.every((view) => views.includes(view))) throw failed.reason;
        }
        ends.throwIfAborted();
        if (viewsFor(message.to.chat, views).length > 0) continue; // one came while another one went
        const wake = Promise.withResolvers<void>();
        waiting.add(wake.resolve);
        await raceAbort(wake.promise, ends).finally(() => waiting.delete(wake.resolve));
      }
    },
  };
}

async function shownBy(
  show: ShowReply,
  message: OutboundMessage,
  { alone, ends }: { readonly alone: boolean; readonly ends: AbortSignal },
): Promise<void> {
  const showing = show(message, alone);
  if (showing instanceof Promise) await raceAbort(showing, ends); // what is on this screen is shown whatever ends
}

/** All that show the chat; else the last one that shows everything, else the last one. */
function viewsFor(chat: string, views: readonly View[]): readonly View[] {
  const mine = views.filter(({ shows }) => shows?.(chat) === true);
  if (mine.length > 0) return mine;
  const last = views.findLast(({ shows }) => shows === undefined) ?? views.at(-1);
  return last === undefined ? [] : [last];
}
