/** XMPP as a channel of margay: what people write to an account, and in its rooms, is answered there. */
import type { ChannelPlugin } from "@margay/core/plugin";
import manifest from "../channel.json" with { type: "json" };
import { openLink } from "./link.ts";
import { receive } from "./receive.ts";
import { openRooms } from "./rooms.ts";
import { findSentMessage, openSlot, sendMessage, type Sender, showTyping } from "./send.ts";
import { settingsOf } from "./settings.ts";
import { newResource, resourceName } from "./stream.ts";

export const plugin: ChannelPlugin = {
  contract: "channel/1",
  kind: "xmpp",
  create: ({ id, settings: given }, host) => {
    const settings = settingsOf({ id, settings: given }, host);
    const slot = openSlot(settings, host);
    const sender: Sender = { id, settings, host, joined: slot.wait };
    const account = {
      id,
      host,
      answer: async (chat: string, text: string, key: string, signal: AbortSignal): Promise<void> => {
        const parts = [{ type: "text", text }] as const;
        await sendMessage(
          { reply: `refused:${key}`, to: { channel: id, chat }, kind: "command", parts },
          sender,
          signal,
        );
      },
    };
    return {
      id,
      can: manifest.can as never,
      run: async (inbox, signal) => {
        const link = await openLink(settings, await resourceName(host), host, signal);
        try {
          const rooms = openRooms(link, settings.nickname, host);
          slot.put({ link, rooms });
          await receive({ account, settings, link, rooms, inbox, signal });
        } catch (error) {
          signal.throwIfAborted(); // whatever broke with it
          throw error;
        } finally {
          slot.clear();
          await link.close();
        }
      },
      send: (piece, signal) => sendMessage(piece, sender, signal),
      findSent: (piece, since, signal) => findSentMessage(piece, since, sender, signal),
      typing: (to, signal) => showTyping(to, sender, signal),
    };
  },
  probe: async (options, host, signal) => {
    const settings = settingsOf(options, host);
    // The channel may run meanwhile: this is another connection.
    const link = await openLink(settings, newResource(), host, signal);
    await link.close();
    return settings.jid;
  },
};
