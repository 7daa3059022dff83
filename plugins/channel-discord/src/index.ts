/** Discord as a channel of margay: a bot that answers in private messages, channels and threads. */
import type { ChannelHost, ChannelOptions, ChannelPlugin } from "@margay/core/plugin";
import manifest from "../channel.json" with { type: "json" };
import { Chats } from "./chats.ts";
import { setCommands } from "./commands.ts";
import { faultOf } from "./faults.ts";
import { isRecord, textOf } from "./json.ts";
import { reacting } from "./reactions.ts";
import { receive } from "./receive.ts";
import { openRest } from "./rest.ts";
import { editPiece, removeMessage } from "./edits.ts";
import { sendPiece, sendTyping } from "./send.ts";
import { settingsOf } from "./settings.ts";
import type { Account } from "./take.ts";

export const plugin: ChannelPlugin = {
  contract: "channel/1",
  kind: "discord",
  create: (options, host) => {
    const account = accountOf(options, host);
    const run = { failures: 0 };
    return {
      id: options.id,
      can: manifest.can as never,
      run: (inbox, signal) => receive(account, inbox, signal, run),
      send: (piece, signal) => sendPiece(piece, account, signal),
      edit: (platformId, piece, signal) => editPiece(platformId, piece, account, signal),
      remove: (platformId, to, signal) => removeMessage(platformId, to, account, signal),
      fetchMedia: ({ locator, mediaType }, signal) => host.download(String(locator), { mediaType, signal }),
      typing: (to, signal) => sendTyping(to, account, signal),
      react: reacting(account),
      commands: (list, signal) => setCommands(list, account, signal),
    };
  },
  probe: async (options, host, signal) => {
    try {
      const me = await accountOf(options, host).rest.call("GET", "/users/@me", { signal });
      return (isRecord(me) ? textOf(me["username"]) : undefined) ?? "";
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, host);
    }
  },
};

function accountOf(options: ChannelOptions, host: ChannelHost): Account {
  const settings = settingsOf(options, host);
  const rest = openRest(settings, host);
  return { id: options.id, settings, rest, chats: new Chats(host, rest), host };
}
