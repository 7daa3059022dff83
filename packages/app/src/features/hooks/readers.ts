/** For whom a webhook's turn is made: what it answers is told to nobody else. */
import type { Address, SessionStore } from "@margay/core";
import type { Audience } from "@margay/core/internal";
import type { HookConfig } from "../../config/config.ts";
import type { AudienceAt } from "../../host/readers.ts";
import { addressOf } from "../../host/target.ts";

export interface HookReadersSources {
  readonly audienceAt: AudienceAt;
  readonly sessions: Pick<SessionStore, "find" | "list">;
}

/**
 * `owner` for the owner alone. Chats with the same readers get a turn in their room; where they differ it is the owner's. In a
 * conversation that there is already, it is made for who reads that.
 */
export async function readerOf(
  { deliver, session }: Pick<HookConfig, "deliver" | "session">,
  { audienceAt, sessions }: HookReadersSources,
): Promise<Audience> {
  if (!hasOwn({ session }))
    return (await sessions.find(await namedSession(session, sessions)))?.state.audience ?? "owner";
  const there = new Set(await Promise.all(deliver.map(async (chat) => (await audienceAt(addressOf(chat))) ?? "owner")));
  const [only = "owner"] = there.size === 1 ? there : [];
  return only;
}

/** Of `deliver`, the chats that are read by nobody else, as it is now. */
export async function chatsFor(
  audience: Audience,
  { deliver }: Pick<HookConfig, "deliver">,
  { audienceAt }: Pick<HookReadersSources, "audienceAt">,
): Promise<readonly Address[]> {
  const chats = await Promise.all(
    deliver.map(async (chat) => {
      const to = addressOf(chat);
      return ((await audienceAt(to)) ?? "owner") === audience ? [to] : [];
    }),
  );
  return chats.flat();
}

/** Whether its calls have conversations of their own. */
export function hasOwn({ session }: Pick<HookConfig, "session">): boolean {
  return session === "own" || session === "fresh";
}

/** The key of a conversation that a webhook names, by key or by id. */
export async function namedSession(session: string, sessions: Pick<SessionStore, "list">): Promise<string> {
  return (await sessions.list()).find(({ id, fault }) => id === session && fault === undefined)?.key ?? session;
}
