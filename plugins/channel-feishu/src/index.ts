/** Feishu and Lark as a channel of margay: an app's bot that answers in private chats, groups and topics. */
import type { ChannelHost, ChannelOptions, ChannelPlugin } from "@margay/core/plugin";
import manifest from "../channel.json" with { type: "json" };
import { openApi } from "./api.ts";
import { Chats } from "./chats.ts";
import { faultOf } from "./faults.ts";
import { People } from "./people.ts";
import { probe } from "./probe.ts";
import { reacting } from "./reactions.ts";
import type { Run } from "./receive.ts";
import { editPiece, sendPiece } from "./send.ts";
import { settingsOf } from "./settings.ts";
import { openStreams } from "./streams.ts";
import type { Account } from "./take.ts";

export const plugin: ChannelPlugin = {
  contract: "channel/1",
  kind: "feishu",
  create: (options, host) => {
    const account = accountOf(options, host);
    const run: Run = { from: 0, to: 0 };
    return {
      id: options.id,
      can: manifest.can as never,
      run: async (inbox, signal) => {
        const { receive } = await import("./receive.ts");
        return receive(account, inbox, signal, run);
      },
      send: async (piece, signal) => {
        try {
          return await sendPiece(piece, account, signal);
        } catch (error) {
          account.sends.refused?.(error);
          throw error;
        }
      },
      edit: (platformId, piece, signal) => editPiece(platformId, piece, account, signal),
      nameOf: (id, kind, signal) =>
        kind === "person" ? account.people.nameOf(id, signal) : account.people.titleOf(id, signal),
      react: reacting(account),
      fetchMedia: ({ locator }, signal) => {
        const { message, kind, key } = locator as Readonly<Record<string, string>>; // made by content.ts
        const path = `/im/v1/messages/${encodeURIComponent(message ?? "")}/resources/${encodeURIComponent(key ?? "")}`;
        return account.api.open(path, { type: kind ?? "file" }, signal);
      },
    };
  },
  probe: async (options, host, signal) => {
    try {
      return await probe(accountOf(options, host), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw faultOf(error, host);
    }
  },
  login: async function* (options, host, signal) {
    const { login } = await import("./login.ts");
    yield* login(options, host, signal);
  },
};

function accountOf(options: ChannelOptions, host: ChannelHost): Account {
  const settings = settingsOf(options, host);
  const api = openApi(settings, host);
  const streams = openStreams(api, host);
  const people = new People(api, host);
  return { id: options.id, settings, api, chats: new Chats(host), people, streams, host, sends: {} };
}
