/** Slack as a channel of margay: an app that answers in private chats, channels and threads, over Socket Mode. */
import type { ChannelHost, ChannelOptions, ChannelPlugin } from "@margay/core/plugin";
import manifest from "../channel.json" with { type: "json" };
import { type Api, openApi } from "./api.ts";
import { findSent } from "./find-sent.ts";
import { needed, textOf } from "./json.ts";
import type { Me } from "./message.ts";
import { namesOf } from "./names.ts";
import { openFile } from "./open-file.ts";
import { Pace } from "./pace.ts";
import { Places } from "./places.ts";
import { probe } from "./probe.ts";
import { reacting } from "./reactions.ts";
import { receive } from "./receive.ts";
import { editPiece, removeMessage, sendPiece, sendTyping } from "./send.ts";
import { settingsOf } from "./settings.ts";
import type { Account } from "./account.ts";

export const plugin: ChannelPlugin = {
  contract: "channel/1",
  kind: "slack",
  create: (options, host) => {
    const account = accountOf(options, host);
    return {
      id: options.id,
      can: manifest.can as never,
      run: (inbox, signal) => receive(account, inbox, signal),
      send: async (piece, signal) => {
        try {
          return await sendPiece(piece, account, signal);
        } catch (error) {
          account.sends.refused?.(error);
          throw error;
        }
      },
      findSent: (piece, since, signal) => findSent(piece, since, account, signal),
      edit: (platformId, piece, signal) => editPiece(platformId, piece, account, signal),
      remove: (platformId, _to, signal) => removeMessage(platformId, account, signal),
      fetchMedia: (file, signal) => openFile(file, account, signal),
      nameOf: namesOf(account),
      typing: (to, signal) => sendTyping(to, account, signal),
      react: reacting(account),
    };
  },
  probe: (options, host, signal) => probe(accountOf(options, host), signal),
};

function accountOf(options: ChannelOptions, host: ChannelHost): Account {
  const settings = settingsOf(options, host);
  const api = openApi(settings, host);
  return {
    id: options.id,
    settings,
    api,
    places: new Places(host),
    pace: new Pace(host.clock),
    who: whoIs(api),
    host,
    sends: {},
  };
}

function whoIs(api: Api): Account["who"] {
  let known: Me | undefined;
  return async (signal) => {
    if (known !== undefined) return known;
    const { body } = await api.call("auth.test", {}, signal);
    known = { user: needed(body["user_id"], "user_id"), bot: textOf(body["bot_id"]), name: textOf(body["user"]) ?? "" };
    return known;
  };
}
