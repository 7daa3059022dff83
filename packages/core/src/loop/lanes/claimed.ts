/** Sessions that several processes may drive: here as long as the store says so. */
import type { Millis, Seq } from "../../contract/base.ts";
import type { Session } from "../../contract/session.ts";
import type { Claim, Work } from "../../contract/store.ts";
import type { Rested } from "../loop.ts";

export interface Claimed extends Disposable {
  /** Whichever process it is that looks at it. */
  wake(key: string): void;
  /** Drives one that is ours, and gives it back. */
  drive(
    key: string,
    signal: AbortSignal,
    work: (key: string, signal: AbortSignal) => Promise<Rested>,
    find: (key: string) => Promise<Session | undefined>,
  ): Promise<Rested>;
}

/** @param work What the store hands out. @param lanes Of this process: `look` wakes the one of a session. */
export function claimed(
  work: Work,
  lanes: { readonly look: (key: string) => void; readonly now: () => Millis },
): Claimed {
  const ours = new Map<string, Claim>();
  const taking = work.take((claim) => {
    ours.set(claim.key, claim);
    lanes.look(claim.key);
  });
  return {
    wake: (key) => work.wake(key),
    drive: async (key, signal, drive, find) => {
      const claim = ours.get(key);
      if (claim === undefined || claim.lost.aborted) return {}; // woken when it was another's again
      try {
        const { until } = await drive(key, AbortSignal.any([signal, claim.lost]));
        const head = (await find(key))?.state.seq ?? (0 as Seq); // there is none, so nothing was committed
        if ((await claim.end(head, until)) === "again") return { until: lanes.now() };
      } finally {
        if (claim.lost.aborted) forget(ours, claim);
      }
      forget(ours, claim);
      return {};
    },
    [Symbol.dispose]: () => taking[Symbol.dispose](),
  };
}

function forget(ours: Map<string, Claim>, claim: Claim): void {
  if (ours.get(claim.key) === claim) ours.delete(claim.key);
}
