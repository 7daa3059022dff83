/** What was said in a chat or a thread, asked for again. */
import { messageOf } from "./api.ts";
import { isSlow } from "./faults.ts";
import { isRecord, recordsOf, textOf, type Wire } from "./json.ts";
import { isNewer, type Place } from "./places.ts";
import type { Account } from "./account.ts";

const PAGE = 200;

export interface Said {
  /** Oldest first. */
  readonly messages: readonly Wire[];
  /** There is more between them and `oldest`. */
  readonly isCut: boolean;
}

/**
 * @param oldest The ts behind which it begins.
 * @param pages At most so many are asked for.
 * @throws Refusal, NoAnswer; the reason of the signal.
 */
export async function readBack(
  { channel, thread }: Place,
  oldest: string,
  pages: number,
  { api, pace, host }: Pick<Account, "api" | "pace" | "host">,
  signal: AbortSignal,
): Promise<Said> {
  const found: Wire[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const body = await patiently();
    found.push(...recordsOf(body["messages"]));
    const meta = isRecord(body["response_metadata"]) ? body["response_metadata"] : {};
    cursor = body["has_more"] === true ? textOf(meta["next_cursor"]) : undefined;
    if (cursor === undefined) break;
  }
  const messages = found
    // A thread is told with what it hangs below.
    .filter(({ ts }) => typeof ts === "string" && isNewer(ts, oldest))
    .toSorted((a, b) => (isNewer(String(a["ts"]), String(b["ts"])) ? 1 : -1));
  return { messages, isCut: cursor !== undefined };

  async function patiently(): Promise<Wire> {
    for (;;) {
      await pace.turn(signal);
      try {
        const args = {
          channel,
          oldest,
          limit: PAGE,
          include_all_metadata: true,
          ...(cursor !== undefined && { cursor }),
        };
        const { body } =
          thread === undefined
            ? await api.call("conversations.history", args, signal)
            : await api.call("conversations.replies", { ...args, ts: thread }, signal);
        return body;
      } catch (error) {
        if (!isSlow(error)) throw error;
        host.log.debug("slack.history-slow", { channel, message: messageOf(error) });
        await host.clock.sleep(error.retryAfterMs ?? 1000, signal);
      }
    }
  }
}
