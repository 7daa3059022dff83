/** What was written while nobody listened: a session that could not be taken up loses it, the channels still have it. */
import type { Place } from "./chats.ts";
import { isGone } from "./faults.ts";
import { recordsOf, textOf, type Wire } from "./json.ts";
import { Refusal } from "./rest.ts";
import { takeMessage, type Taking } from "./take.ts";

const DAYS = 7;
const DAY_MS = 86_400_000;
/** Of one channel. */
const MAX_MESSAGES = 200;
const PAGE = 100;
/** Ids of Discord count the milliseconds from here on. */
const EPOCH = 1_420_070_400_000;

/**
 * @param chats As they were before the connection: what is behind their last message is taken, oldest first.
 * @throws a fault, or what `inbox.accept` throws: all of it is to be asked for again.
 */
export async function backfill(
  chats: ReadonlyMap<string, Place & { readonly last: string }>,
  taking: Taking,
): Promise<void> {
  const { account, signal } = taking;
  const oldest = (BigInt(account.host.clock.now() - DAYS * DAY_MS - EPOCH) << 22n).toString();
  for (const [channel, { last, guild }] of chats) {
    let after = BigInt(last) > BigInt(oldest) ? last : oldest;
    for (let count = 0; ;) {
      const page = await pageOf(channel, after, taking);
      if (page === undefined) break;
      for (const message of page) {
        signal.throwIfAborted();
        await takeMessage({ ...message, ...(guild !== undefined && { guild_id: guild }) }, taking);
        after = textOf(message["id"]) ?? after;
      }
      count += page.length;
      if (page.length < PAGE) break;
      if (count < MAX_MESSAGES) continue;
      account.host.log.warn("discord.backfill-cut", { channel, messages: count });
      break;
    }
  }
}

/** Oldest first. Undefined: the channel is none of ours any more. */
async function pageOf(channel: string, after: string, taking: Taking): Promise<readonly Wire[] | undefined> {
  const { account, signal } = taking;
  const { rest, host, chats } = account;
  for (;;)
    try {
      const query = new URLSearchParams({ after, limit: String(PAGE) });
      const found = recordsOf(await rest.call("GET", `/channels/${channel}/messages?${String(query)}`, { signal }));
      return found.toReversed();
    } catch (error) {
      if (isGone(error)) {
        await chats.forget(channel);
        return undefined;
      }
      if (!(error instanceof Refusal) || error.status !== 429) throw error;
      await host.clock.sleep(error.retryAfterMs ?? 1000, signal);
    }
}
