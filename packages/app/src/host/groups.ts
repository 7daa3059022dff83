/** Which groups margay is in, and how it behaves there: the configuration, and where an operator wrote `/here`; and which ones it has seen. */
import { join } from "node:path";
import {
  groupOf,
  type GroupManners,
  isRecord,
  makeDirectory,
  type Millis,
  parseJson,
  type PeopleOptions,
  readIfExists,
  replaceFile,
  takeTurns,
  visible,
} from "@margay/core/internal";
import type { Address } from "@margay/core";
import type { Config } from "../config/config.ts";
import { outsider } from "../config/people-faults.ts";
import type { Places } from "../config/paths.ts";

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
  readonly config: () => Pick<Config, "channelsById" | "people" | "persona">;
  readonly places: Pick<Places, "channels">;
}

const PATIENCE_MS = 2000;

export function openGroups({ config, places: { channels: directory } }: GroupsSources): Groups {
  const path = join(directory, "groups.json");
  const manners: Groups["manners"] = (origin) => {
    const { channelsById, people, persona } = config();
    const channel = Object.hasOwn(channelsById, origin.channel) ? channelsById[origin.channel] : undefined;
    if (channel === undefined) return undefined;
    const { groups, names, follow, bots, chats, allowFrom, operators, approvals } = channel;
    const chat = Object.hasOwn(chats, origin.chat) ? chats[origin.chat] : undefined;
    const isJoined = groupsIn(path)?.includes(groupOf(origin)) === true;
    if (chat === undefined && !isJoined) return undefined;
    // Who was called in is to answer, also where nothing is said about groups.
    const usual = isJoined && groups === "off" ? "named" : groups;
    const listed = chat?.allowFrom ?? [];
    const isClosed =
      listed.length > 0 && outsider(origin.channel, [...listed, ...allowFrom], operators, people) === undefined;
    const isHere = isClosed && (chat?.approvals ?? approvals) === "here";
    return {
      ...{ mode: chat?.groups ?? usual, names: names ?? [persona.name], follow, bots },
      ...(isHere && { approvals: "here" as const }),
    };
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

/** A group from which something came, read or not: that it is there and what it is called, and nothing of what is said. */
export interface SeenGroup {
  readonly chat: string;
  readonly title?: string;
  /** To the hour: a line more is no reason to write. */
  readonly at: Millis;
}

export interface SeenGroups {
  see(origin: Pick<Address, "channel" | "chat">, at: Millis, title?: string): void;
  /** Latest first. Read anew each time: with the account of a channel its groups are gone. */
  of(channel: string): readonly SeenGroup[];
}

/** A group of the settings, one where an operator wrote `/here`, or one from which something came. */
export type KnownGroup = Omit<SeenGroup, "at"> & { readonly at?: Millis };

export function knownGroups(
  channel: string,
  { channelsById }: Pick<Config, "channelsById">,
  seen: Pick<SeenGroups, "of">,
  here: Pick<Groups, "joined">,
): readonly KnownGroup[] {
  const { chats = {} } = Object.hasOwn(channelsById, channel) ? (channelsById[channel] ?? {}) : {};
  const known = new Map<string, KnownGroup>();
  for (const chat of [...Object.keys(chats), ...here.joined(channel)]) known.set(chat, { chat });
  for (const group of seen.of(channel)) known.set(group.chat, group);
  return [...known.values()];
}

/** Whoever adds a bot to more groups than that pushes out the quietest. */
const MAX_GROUPS = 100;
const MAX_TITLE = 100;
const HOUR_MS = 3_600_000;

/** What stands in the folder of the channel, which goes with its account. */
export function openSeenGroups({ channels }: Pick<Places, "channels">): SeenGroups {
  const folderOf = (channel: string): string => join(channels, channel);
  const of: SeenGroups["of"] = (channel) => seenIn(join(folderOf(channel), "groups.json"));
  return {
    of,
    see: ({ channel, chat }, at, title) => {
      const groups = of(channel);
      const before = groups.find((one) => one.chat === chat);
      const name = title === undefined ? before?.title : visible(title).replaceAll("\n", " ").slice(0, MAX_TITLE);
      if (before !== undefined && name === before.title && at - before.at < HOUR_MS) return;
      const seen: SeenGroup = { chat, ...(name !== undefined && { title: name }), at };
      const all = [seen, ...groups.filter((one) => one !== before)].toSorted((a, b) => b.at - a.at);
      makeDirectory(folderOf(channel));
      const text = JSON.stringify({ version: 1, groups: all.slice(0, MAX_GROUPS) });
      replaceFile(join(folderOf(channel), "groups.json"), text);
    },
  };
}

/** As the platform called a group last. */
export function titlesOf(places: Pick<Places, "channels">): NonNullable<PeopleOptions["titleOf"]> {
  const seen = openSeenGroups(places);
  return ({ channel, chat }) => seen.of(channel).find((group) => group.chat === chat)?.title;
}

/** A damaged file is as if it was not there: the next line of each group writes it anew. */
function seenIn(path: string): readonly SeenGroup[] {
  const value = parseJson(readIfExists(path)?.toString("utf8") ?? "");
  const groups = isRecord(value) ? value["groups"] : undefined;
  return Array.isArray(groups) ? groups.filter((one) => isSeen(one)) : [];
}

function isSeen(value: unknown): value is SeenGroup {
  return (
    isRecord(value) &&
    typeof value["chat"] === "string" &&
    typeof value["at"] === "number" &&
    (value["title"] === undefined || typeof value["title"] === "string")
  );
}
