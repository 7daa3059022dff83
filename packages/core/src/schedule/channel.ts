/** The channel a schedule's turns answer on: what is "sent" there goes on to the chat it is meant for, and is a row there. */
import type { Millis } from "../contract/base.ts";
import type { OutboundMessage } from "../contract/bus.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address, Sender } from "../contract/message.ts";
import { untilAborted } from "../lib/async/abort.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import type { ScheduleHost } from "./follow-turn.ts";

export interface RelayOptions {
  readonly id: string;
  readonly host: () => Pick<ScheduleHost, "bus">;
  /** Where it goes, and in whose name. Undefined: it stays in its own session. */
  readonly route: (
    message: OutboundMessage,
    text: string,
  ) => Promise<(Pick<OutboundMessage, "silent"> & { readonly to: Address; readonly from: Sender }) | undefined>;
}

/** Sent again after a crash it is neither a second message nor a second row: the reply's id is kept. */
export function relayChannel({ id, host, route }: RelayOptions): Channel {
  return {
    id,
    can: {
      once: "no",
      text: { dialect: "markdown", max: Number.POSITIVE_INFINITY },
      media: { maxBytes: Number.POSITIVE_INFINITY },
    },
    run: (_inbox, signal) => untilAborted(signal),
    send: async (message) => {
      if (message.kind === "progress" || message.kind === "approval") return undefined;
      const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      const target = await route(message, text);
      if (target === undefined) return undefined;
      const reply = `${id}:${message.to.chat}:${message.reply}`;
      await host().bus.send(sessionKeyOf(target.to), { ...message, reply, ...target });
      return undefined;
    },
  };
}

/** That a result could reach nobody is told once a day at most. */
export function undeliverableId(session: string, now: Millis): string {
  return `${session}:undeliverable:${new Date(now).toISOString().slice(0, 10)}`;
}
