/** Under which key a CountBot's conversation goes on: of all that were in one chat, the latest does in it. */
import type { JsonObject } from "@margay/core";

export interface Conversation {
  readonly name?: string;
  readonly createdAt?: string;
}

/**
 * `telegram:default:42:20260115_100000` and `telegram:42:…`: of all conversations in one chat, the latest goes on in it.
 * In the order in which they are to be read.
 */
export function keysOf(
  groups: ReadonlyMap<string, readonly JsonObject[]>,
  conversations: ReadonlyMap<string, Conversation>,
  time: string | undefined,
): readonly (readonly [string, string])[] {
  const lastOf = (id: string): string => (time === undefined ? "" : String(groups.get(id)?.at(-1)?.[time] ?? ""));
  const latest = new Map<string, string>();
  for (const id of groups.keys()) {
    const chat = chatOf(conversations.get(id)?.name ?? "");
    const other = chat === undefined ? undefined : latest.get(chat);
    if (chat !== undefined && (other === undefined || lastOf(id) > lastOf(other))) latest.set(chat, id);
  }
  return [...groups.keys()].map((id) => {
    const chat = chatOf(conversations.get(id)?.name ?? "");
    return [
      id,
      chat !== undefined && latest.get(chat) === id ? chat : id.includes(":") ? id : `countbot:${id}`,
    ] as const;
  });
}

export function isChatName(name: string): boolean {
  return /^[a-z]+:\S+$/.test(name);
}

function chatOf(name: string): string | undefined {
  if (!isChatName(name)) return undefined;
  const [channel = "", ...rest] = name.replace(/:\d{8}_\d{6}$/, "").split(":");
  // Another account of the same platform is another bot: its chats are others.
  if (rest.length < 2) return `${channel}:${rest.join(":")}`;
  return rest[0] === "default" ? `${channel}:${rest.slice(1).join(":")}` : undefined;
}
