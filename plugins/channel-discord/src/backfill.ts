/** What was written while nobody listened: a session that could not be taken up loses it, the channels still have it. */
import type { Backfill, SpokenPlace } from "@margay/core/plugin";
import { idAt, isNewer, type Kept, timeOf } from "./chats.ts";
import { isGone } from "./faults.ts";
import { recordsOf, textOf, type Wire } from "./json.ts";
import { Refusal } from "./rest.ts";
import { takeMessage, type Taking } from "./take.ts";

const PAGE = 100;

interface Missed extends SpokenPlace, Kept {}

/** @param chats As they were before the connection: what is behind their last message is asked for. */
export function backfillOf(chats: ReadonlyMap<string, Kept>, taking: Taking): Backfill<Missed, Wire> {
  return {
    // Threads of Discord are channels: each is asked by itself.
    places: () => [...chats].map(([id, kept]) => ({ ...kept, id, chat: id, at: timeOf(kept.last) })),
    async missed({ id, last }, { since, most }) {
      const oldest = idAt(since);
      const after = isNewer(last, oldest) ? last : oldest;
      const said: Wire[] = [];
      for (let before: string | undefined; said.length <= most;) {
        const page = await pageOf(id, before, taking);
        if (page === undefined) return "gone";
        const behind = page.filter((message) => isNewer(textOf(message["id"]) ?? "", after));
        said.push(...behind);
        before = textOf(page.at(-1)?.["id"]);
        if (behind.length < PAGE) break;
      }
      return { said: said.toReversed() };
    },
    async take(message, { guild }) {
      await takeMessage({ ...message, ...(guild !== undefined && { guild_id: guild }) }, taking);
      return undefined;
    },
  };
}

/** Newest first. Undefined: the channel is none of ours any more. */
async function pageOf(
  channel: string,
  before: string | undefined,
  taking: Taking,
): Promise<readonly Wire[] | undefined> {
  const { account, signal } = taking;
  const { rest, host, chats } = account;
  for (;;)
    try {
      const query = new URLSearchParams({ limit: String(PAGE), ...(before !== undefined && { before }) });
      return recordsOf(await rest.call("GET", `/channels/${channel}/messages?${String(query)}`, { signal }));
    } catch (error) {
      if (isGone(error)) {
        await chats.forget(channel);
        return undefined;
      }
      if (!(error instanceof Refusal) || error.status !== 429) throw error;
      await host.clock.sleep(error.retryAfterMs ?? 1000, signal);
    }
}
