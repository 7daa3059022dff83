/** Which groups margay is in, and how it behaves there: the configuration, and where an operator wrote `/here`. */
import { join } from "node:path";
import { groupOf, type GroupManners, makeDirectory, readIfExists, replaceFile, takeTurns } from "@margay/core/internal";
import type { Address } from "@margay/core";
import type { Config } from "../../config/config.ts";
import type { Places } from "../../config/paths.ts";

export interface Groups {
  /** Undefined: not there. Read anew each time. */
  manners(origin: Pick<Address, "channel" | "chat">): GroupManners | undefined;
  /** @param joins false: no more. @returns false when it is not so: the configuration is stronger, or the file is damaged. */
  join(origin: Pick<Address, "channel" | "chat">, joins: boolean): boolean;
  /** Chats of a channel where an operator wrote `/here`. */
  joined(channel: string): readonly string[];
}

export interface GroupsSources {
  /** As it is now. */
  readonly config: () => Pick<Config, "channelsById" | "persona">;
  readonly places: Pick<Places, "channels">;
}

const PATIENCE_MS = 2000;

export function openGroups({ config, places: { channels: directory } }: GroupsSources): Groups {
  const path = join(directory, "groups.json");
  const manners: Groups["manners"] = (origin) => {
    const { channelsById, persona } = config();
    const channel = Object.hasOwn(channelsById, origin.channel) ? channelsById[origin.channel] : undefined;
    if (channel === undefined) return undefined;
    const { groups, names, follow, bots, chats } = channel;
    const chat = Object.hasOwn(chats, origin.chat) ? chats[origin.chat] : undefined;
    const isJoined = groupsIn(path)?.includes(groupOf(origin)) === true;
    if (chat === undefined && !isJoined) return undefined;
    // Who was called in is to answer, also where nothing is said about groups.
    const usual = isJoined && groups === "off" ? "named" : groups;
    return { mode: chat?.groups ?? usual, names: names ?? [persona.name], follow, bots };
  };
  return {
    manners,
    joined: (channel) => {
      const prefix = groupOf({ channel, chat: "" });
      return (groupsIn(path) ?? []).flatMap((group) => (group.startsWith(prefix) ? [group.slice(prefix.length)] : []));
    },
    join: (origin, joins) => {
      makeDirectory(directory);
      takeTurns(directory, PATIENCE_MS, () => {
        const known = groupsIn(path);
        if (known === undefined) return; // who writes then would lose all others
        const others = known.filter((group) => group !== groupOf(origin));
        const groups = joins ? [...others, groupOf(origin)] : others;
        replaceFile(path, `${JSON.stringify({ version: 1, groups }, null, 2)}\n`);
      });
      return joins === ((manners(origin)?.mode ?? "off") !== "off");
    },
  };
}

/** @returns undefined for a file that cannot be read: nothing is heard in any of its groups. */
function groupsIn(path: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(readIfExists(path)?.toString("utf8") ?? '{ "groups": [] }');
    if (typeof value !== "object" || value === null || !("groups" in value)) return undefined;
    return Array.isArray(value.groups) ? value.groups.map(String) : undefined;
  } catch {
    return undefined; // damaged, or not ours to read
  }
}

/** Whether somebody may speak to margay in this chat, beside those who may anywhere. */
export function isAdmittedIn(
  { channelsById }: Pick<Config, "channelsById">,
  { channel, chat }: Pick<Address, "channel" | "chat">,
  sender: string,
): boolean {
  const { chats = {} } = Object.hasOwn(channelsById, channel) ? (channelsById[channel] ?? {}) : {};
  const { allowFrom = [] } = Object.hasOwn(chats, chat) ? (chats[chat] ?? {}) : {};
  return allowFrom.includes(sender) || allowFrom.includes("*");
}
