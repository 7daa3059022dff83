/** What was written while no socket was open: Slack tells it again for some minutes; its chats still have it. */
import { isGone } from "./faults.ts";
import { readBack } from "./history.ts";
import { textOf, type Wire } from "./json.ts";
import { isNewer, type Kept, timeOf, tsOf } from "./places.ts";
import { Refusal } from "./api.ts";
import type { Taking } from "./account.ts";
import { takeMessage } from "./take.ts";

const DAY_MS = 86_400_000;
const DAYS = 7;
/** Of one chat, the newest. */
const MAX_MESSAGES = 200;
/** So many are asked for to find them. */
const PAGES = 5;

/**
 * Each known chat and thread, the newest first. What comes live meanwhile is taken, and noted behind the gap when there is none.
 * @throws a fault, or what `inbox.accept` throws: all of it is to be asked for again.
 */
export async function backfill(known: readonly Kept[], taking: Taking): Promise<void> {
  const { account, signal } = taking;
  const { places, host } = account;
  const since = host.clock.now() - DAYS * DAY_MS;
  // A thread that nobody wrote in for so long is over.
  const asked = known.filter(({ thread, last }) => thread === undefined || timeOf(last) > since);
  for (const place of asked) places.hold(place);
  for (const place of asked) {
    signal.throwIfAborted();
    const oldest = timeOf(place.last) > since ? place.last : tsOf(since);
    const messages = await missed(place, oldest, taking);
    if (messages === undefined) continue;
    for (const message of messages) {
      const ts = textOf(message["ts"]) ?? "";
      const hasThread = Number(message["reply_count"] ?? 0) > 0 && place.thread === undefined;
      if (hasThread) places.hold({ channel: place.channel, thread: ts });
      await takeMessage({ ...message, channel: place.channel }, taking, true);
      if (!hasThread) continue;
      await takeReplies({ channel: place.channel, thread: ts }, taking);
    }
    await places.release(place);
  }
}

/** Undefined: it is none of ours any more. */
async function missed(place: Kept, oldest: string, { account, signal }: Taking): Promise<readonly Wire[] | undefined> {
  const { places, host } = account;
  const { channel, thread } = place;
  try {
    const { messages, isCut } = await readBack(place, oldest, PAGES, account, signal);
    if (isCut || messages.length > MAX_MESSAGES)
      host.log.warn("slack.backfill-cut", { channel, ...(thread !== undefined && { thread }), messages: MAX_MESSAGES });
    return messages.slice(-MAX_MESSAGES);
  } catch (error) {
    if (isGone(error)) {
      await places.forget(place);
      return undefined;
    }
    // One kind of chat may be closed to us, and the others are not.
    if (!(error instanceof Refusal && error.code === "missing_scope")) throw error;
    host.log.warn("slack.backfill-closed", { channel, needed: error.needed ?? "" });
    await places.release(place);
    return undefined;
  }
}

/** Of a thread that was begun in the gap. */
async function takeReplies(
  place: { readonly channel: string; readonly thread: string },
  taking: Taking,
): Promise<void> {
  const { account } = taking;
  const found = await missed({ ...place, last: place.thread, isOurs: false }, place.thread, taking);
  for (const message of found ?? [])
    if (isNewer(textOf(message["ts"]) ?? "0", place.thread))
      await takeMessage({ ...message, channel: place.channel }, taking, true);
  if (found !== undefined) await account.places.release(place);
}
