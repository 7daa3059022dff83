/** Which groups margay is in, and how it behaves there: the configuration, and where an operator wrote `/here`; and which ones it has seen. */
import {
  changeDoc,
  groupOf,
  type GroupManners,
  isRecord,
  type Millis,
  parseJson,
  type PeopleOptions,
  visible,
} from "@margay/core/internal";
import type { Address } from "@margay/core";
import type { Config } from "../config/config.ts";
import { outsider } from "../config/people-faults.ts";
import type { Places } from "../config/paths.ts";

export interface Groups {
  /** Undefined: not there. Read anew each time. */
  manners(origin: Pick<Address, "channel" | "chat">): GroupManners | undefined;
  /** @param joins false: no more. @returns false when it is not so: the configuration is stronger, or what is kept cannot be read. */
  join(origin: Pick<Address, "channel" | "chat">, joins: boolean): Promise<boolean>;
  /** Chats of a channel where an operator wrote `/here`. */
  joined(channel: string): readonly string[];
}

export interface GroupsSources {
  /** As it is now. */
  readonly config: () => Pick<Config, "channelsById" | "people" | "persona">;
  readonly places: Pick<Places, "docs">;
}

const JOINED = "channels/groups.json";

export function openGroups({ config, places: { docs } }: GroupsSources): Groups {
  const kept = (): readonly string[] | undefined => {
    try {
      return groupsIn(docs.peek(JOINED)?.body);
    } catch {
      return undefined; // not ours to read
    }
  };
  const joined = (): readonly string[] => kept() ?? [];
  const manners: Groups["manners"] = (origin) => {
    const { channelsById, people, persona } = config();
    const channel = Object.hasOwn(channelsById, origin.channel) ? channelsById[origin.channel] : undefined;
    if (channel === undefined) return undefined;
    const { groups, names, follow, bots, chats, allowFrom, operators, approvals } = channel;
    const chat = Object.hasOwn(chats, origin.chat) ? chats[origin.chat] : undefined;
    const isJoined = joined().includes(groupOf(origin));
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
      return joined().flatMap((group) => (group.startsWith(prefix) ? [group.slice(prefix.length)] : []));
    },
    join: async (origin, joins) => {
      if (kept() === undefined) return false;
      await changeDoc(docs, JOINED, (body) => {
        const known = groupsIn(body);
        if (known === undefined) return [body, undefined]; // who writes then would lose all others
        const others = known.filter((group) => group !== groupOf(origin));
        const groups = joins ? [...others, groupOf(origin)] : others;
        return [`${JSON.stringify({ version: 1, groups }, null, 2)}\n`, undefined];
      });
      return joins === ((manners(origin)?.mode ?? "off") !== "off");
    },
  };
}

/** @returns undefined for what cannot be read: nothing is heard in any of its groups. */
function groupsIn(body = '{ "groups": [] }'): readonly string[] | undefined {
  const value = parseJson(body);
  return isRecord(value) && Array.isArray(value["groups"]) ? value["groups"].map(String) : undefined;
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
  see(origin: Pick<Address, "channel" | "chat">, at: Millis, title?: string): Promise<void>;
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
export function openSeenGroups({ docs }: Pick<Places, "docs">): SeenGroups {
  const nameOf = (channel: string): string => `channels/${channel}/groups.json`;
  const of: SeenGroups["of"] = (channel) => seenIn(docs.peek(nameOf(channel))?.body);
  return {
    of,
    see: async ({ channel, chat }, at, title) => {
      const name = title === undefined ? undefined : visible(title).replaceAll("\n", " ").slice(0, MAX_TITLE);
      const isNews = (before: SeenGroup | undefined): boolean =>
        before === undefined || (name !== undefined && name !== before.title) || at - before.at >= HOUR_MS;
      if (!isNews(of(channel).find((one) => one.chat === chat))) return;
      await changeDoc(docs, nameOf(channel), (body) => {
        const groups = seenIn(body);
        const before = groups.find((one) => one.chat === chat);
        const called = name ?? before?.title;
        const seen: SeenGroup = { chat, ...(called !== undefined && { title: called }), at };
        const all = [seen, ...groups.filter((one) => one !== before)].toSorted((a, b) => b.at - a.at);
        return [JSON.stringify({ version: 1, groups: all.slice(0, MAX_GROUPS) }), undefined];
      });
    },
  };
}

/** As the platform called a group last. */
export function titlesOf(places: Pick<Places, "docs">): NonNullable<PeopleOptions["titleOf"]> {
  const seen = openSeenGroups(places);
  return ({ channel, chat }) => seen.of(channel).find((group) => group.chat === chat)?.title;
}

/** What is damaged is as if it was not there: the next line of each group writes it anew. */
function seenIn(body = ""): readonly SeenGroup[] {
  const value = parseJson(body);
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
