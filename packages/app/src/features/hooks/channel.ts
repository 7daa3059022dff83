/** The channel that turns of webhooks answer on: what is "sent" there goes to the chats the hook names, and is a row there. */
import { type Address, type Channel, type MessageBus } from "@margay/core";
import { sessionKeyOf, untilAborted } from "@margay/core/internal";

export interface HookChannelOptions {
  /** Where an answer of `gateway.hooks.{chat}` goes, as it is now; `thread`: whom it was made for. */
  readonly deliver: (from: Address) => Promise<readonly Address[]>;
  readonly bus: () => Pick<MessageBus, "send">;
}

/** Sent again after a crash it is no second message: the reply's id is kept. */
export function hookChannel({ deliver, bus }: HookChannelOptions): Channel {
  return {
    id: "hook",
    can: {
      once: "no",
      text: { dialect: "markdown", max: Number.POSITIVE_INFINITY },
      media: { maxBytes: Number.POSITIVE_INFINITY },
    },
    run: (_inbox, signal) => untilAborted(signal),
    send: async (message) => {
      if (message.kind === "progress" || message.kind === "approval") return undefined;
      const hook = message.to.chat;
      for (const to of await deliver(message.to))
        await bus().send(sessionKeyOf(to), {
          ...message,
          reply: `hook:${hook}:${message.reply}`,
          to,
          from: { id: `hook:${hook}`, name: hook, kind: "schedule" },
        });
      return undefined;
    },
  };
}
