/** What was written while no socket was open: Slack tells it again for some minutes; its chats still have it. */
import type { Backfill, SpokenPlace } from "@margay/core/plugin";
import type { Taking } from "./account.ts";
import { Refusal } from "./api.ts";
import { isGone } from "./faults.ts";
import { readBack } from "./history.ts";
import { textOf, type Wire } from "./json.ts";
import { type Kept, nameOf, timeOf, tsOf } from "./places.ts";
import { takeMessage } from "./take.ts";

/** So many are asked for to find them. */
const PAGES = 5;

interface Missed extends SpokenPlace, Kept {}

export function backfillOf(taking: Taking): Backfill<Missed, Wire> {
  const { account, signal } = taking;
  const { places, host } = account;
  return {
    places: () => places.kept().map((kept) => missedIn(kept)),
    async missed(place, { since }) {
      const { channel, thread, last } = place;
      try {
        const oldest = timeOf(last) > since ? last : tsOf(since);
        const { messages, isCut } = await readBack(place, oldest, PAGES, account, signal);
        // What a thread hangs below is of its channel.
        return { said: messages.filter(({ ts }) => ts !== thread), isCut };
      } catch (error) {
        if (isGone(error)) {
          await places.forget(place);
          return "gone";
        }
        // One kind of chat may be closed to us, and the others are not.
        if (!(error instanceof Refusal && error.code === "missing_scope")) throw error;
        host.log.warn("slack.backfill-closed", { channel, needed: error.needed ?? "" });
        return "closed";
      }
    },
    async take(message, { channel, thread }) {
      await takeMessage({ ...message, channel }, taking);
      const ts = textOf(message["ts"]);
      if (ts === undefined || thread !== undefined || Number(message["reply_count"] ?? 0) === 0) return undefined;
      return missedIn({ channel, thread: ts, last: ts, isOurs: false });
    },
  };
}

function missedIn(kept: Kept): Missed {
  const { channel, thread, last } = kept;
  return { ...kept, id: thread === undefined ? channel : nameOf(kept), chat: channel, at: timeOf(last) };
}
