/** Telegram as a channel of margay: a bot that answers in private chats, groups and topics. */
import type { ChannelPlugin } from "@margay/core/plugin";
import manifest from "../channel.json" with { type: "json" };
import { openApi } from "./api.ts";
import { setCommands } from "./commands.ts";
import { openDrafts } from "./drafts.ts";
import { editPiece, removeMessage } from "./edits.ts";
import { faultOf } from "./faults.ts";
import { openFile } from "./open-file.ts";
import { react } from "./reactions.ts";
import { receive } from "./receive.ts";
import { sendPiece, sendTyping } from "./send.ts";
import { settingsOf } from "./settings.ts";

export const plugin: ChannelPlugin = {
  contract: "channel/1",
  kind: "telegram",
  create: (options, host) => {
    const settings = settingsOf(options, host);
    const api = openApi(settings, host);
    const drafts = openDrafts({ api, host }, settings.drafts);
    return {
      id: options.id,
      can: manifest.can as never,
      run: (inbox, signal) => receive({ id: options.id, api, host, drafts }, inbox, signal),
      send: (piece, signal) => sendPiece(piece, { api, host }, signal),
      edit: (platformId, piece, signal) => editPiece(platformId, piece, { api, host }, signal),
      remove: (platformId, to, signal) => removeMessage(platformId, to, { api, host }, signal),
      openStream: (first, signal) => drafts.open(first, signal),
      fetchMedia: (file, signal) => openFile(file, { api, host }, signal),
      typing: (to, signal) => sendTyping(to, { api, host }, signal),
      react: (of, emoji, isOn, _to, signal) => react(of, isOn ? emoji : undefined, { api, host }, signal),
      commands: (list, signal) => setCommands(list, { api, host }, signal),
    };
  },
  probe: async (options, host, signal) => {
    try {
      const me = await openApi(settingsOf(options, host), host).call("getMe", {}, { signal });
      if (!me.can_read_all_group_messages)
        host.log.info("telegram.privacy-mode", {
          message:
            "In groups the bot is given commands, answers to it and its name alone, unless it is an administrator.",
        });
      return `@${me.username}`;
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, host);
    }
  },
};
