/** Which conversation something that is said in a chat belongs to, by the settings: asked for each message. */
import type { AgentOptions } from "@margay/core";
import { sessionKeyOf } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";

export function sessionOf(config: () => Pick<Config, "channelsById">): NonNullable<AgentOptions["sessionOf"]> {
  return ({ origin, from, chat: how }) => {
    const { channelsById } = config();
    const settings = Object.hasOwn(channelsById, origin.channel) ? channelsById[origin.channel] : undefined;
    const { channel, chat } = origin;
    const own = settings !== undefined && Object.hasOwn(settings.chats, chat) ? settings.chats[chat] : undefined;
    const manner = own?.session ?? settings?.session ?? "perThread";
    if (manner === "perThread") return sessionKeyOf(origin);
    // In private there is one person; and what is sent to a group is for all of it.
    const isTheirs = manner === "perSender" && how === "group" && from !== undefined;
    return sessionKeyOf({ channel, chat, ...(isTheirs && { thread: `from:${from.id}` }) });
  };
}
