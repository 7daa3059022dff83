/** For whom a webhook's turn is made: what it answers is told to nobody else. */
import type { Address, SessionStore } from "@margay/core";
import type { Audience } from "@margay/core/internal";
import type { HookConfig } from "../../config/config.ts";
import type { AudienceAt } from "../../host/readers.ts";
import { addressOf } from "../../host/target.ts";

export interface HookReaders {
  /** Absent: whoever reads the conversation that it goes to. */
  readonly audience?: Audience;
  /** Of `deliver`, those that are read by whom it is made for. */
  readonly chats: readonly Address[];
}

export interface HookReadersSources {
  readonly audienceAt: AudienceAt;
  readonly sessions: Pick<SessionStore, "find" | "list">;
}

/**
 * Chats with the same readers get a turn in their room. Where they differ it is the owner's, and goes to the owner's chats
 * alone. In a conversation that there is already, it is made for who reads that.
 */
export async function readersOf(
  { deliver, session }: Pick<HookConfig, "deliver" | "session">,
  { audienceAt, sessions }: HookReadersSources,
): Promise<HookReaders> {
  const chats = await Promise.all(
    deliver.map(async (chat) => ({ to: addressOf(chat), audience: (await audienceAt(addressOf(chat))) ?? "owner" })),
  );
  const isOwn = session === "own" || session === "fresh";
  const there = new Set(chats.map(({ audience }) => audience));
  const [only = "owner"] = there.size === 1 ? there : [];
  const audience = isOwn
    ? only
    : ((await sessions.find(await namedSession(session, sessions)))?.state.audience ?? "owner");
  return {
    ...(isOwn && { audience }),
    chats: chats.filter((chat) => chat.audience === audience).map(({ to }) => to),
  };
}

/** The key of a conversation that a webhook names, by key or by id. */
export async function namedSession(session: string, sessions: Pick<SessionStore, "list">): Promise<string> {
  return (await sessions.list()).find(({ id, fault }) => id === session && fault === undefined)?.key ?? session;
}
