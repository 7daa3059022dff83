/** Groups from which something came, read or not: that they are there and what they are called, and nothing of what is said. */
import { join } from "node:path";
import {
  isRecord,
  makeDirectory,
  type Millis,
  parseJson,
  readIfExists,
  replaceFile,
  visible,
} from "@margay/core/internal";
import type { Address } from "@margay/core";
import type { Config } from "../../config/config.ts";
import type { Places } from "../../config/paths.ts";
import type { Groups } from "./groups.ts";

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
  const of: SeenGroups["of"] = (channel) => groupsIn(join(folderOf(channel), "groups.json"));
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

/** A damaged file is as if it was not there: the next line of each group writes it anew. */
function groupsIn(path: string): readonly SeenGroup[] {
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
