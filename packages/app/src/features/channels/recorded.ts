/** A channel whose clients read the journal: a reply is delivered as soon as it is queued, for it is there already. */
import { type Channel } from "@margay/core";
import { untilAborted } from "@margay/core/internal";

export function createRecordedChannel(id: string): Channel {
  return {
    id,
    can: {
      once: "no",
      text: { dialect: "markdown", max: Number.POSITIVE_INFINITY },
      media: { maxBytes: Number.POSITIVE_INFINITY },
    }, // nothing is sent
    run: (_inbox, signal) => untilAborted(signal),
    send: () => Promise.resolve(undefined),
  };
}
