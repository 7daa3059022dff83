/** E-mail as a channel of margay: what arrives in a mailbox is answered by mail. */
import type { ChannelHost, ChannelOptions, ChannelPlugin } from "@margay/core/plugin";
import manifest from "../channel.json" with { type: "json" };
import { openImap } from "./imap.ts";
import { receive } from "./receive.ts";
import { findSentMail, type Sender, sendMail, tryLogin } from "./send.ts";
import { settingsOf } from "./settings.ts";

export const plugin: ChannelPlugin = {
  contract: "channel/1",
  kind: "email",
  create: (options, host) => {
    const sender = senderOf(options, host);
    return {
      id: options.id,
      can: manifest.can as never,
      run: (inbox, signal) =>
        receive(
          {
            ...sender,
            answer: async (to, text, key) => {
              const piece = {
                reply: `refused:${key}`,
                to: { channel: options.id, ...to },
                kind: "command",
                parts: [{ type: "text", text }],
              } as const;
              await sendMail(piece, sender, signal);
            },
          },
          inbox,
          signal,
        ),
      send: (piece, signal) => sendMail(piece, sender, signal),
      findSent: (piece, _since, signal) => findSentMail(piece, sender, signal),
    };
  },
  probe: async (options, host, signal) => {
    const sender = senderOf(options, host);
    const client = await openImap(sender.settings, host, signal);
    client.close();
    await tryLogin(sender);
    return sender.settings.from;
  },
};

function senderOf(options: ChannelOptions, host: ChannelHost): Sender {
  return { id: options.id, settings: settingsOf(options, host), host };
}
