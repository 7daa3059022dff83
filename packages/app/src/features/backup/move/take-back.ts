/** The old home answers again, where no other one has begun. The caller holds its lock. */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { RuntimeError } from "@margay/core";
import { lockDirectory, type Millis } from "@margay/core/internal";
import type { Translate } from "../../../texts/translate.ts";
import type { Store } from "../store/store.ts";
import { arrivalOf, noteArrival, unfence, type Moved } from "./fence.ts";
import { refuseOther, ticketOf, writeTicket } from "./ticket.ts";

interface Back {
  readonly home: string;
  readonly moved: Moved;
  /** The other home is gone for good, as the person says. */
  readonly lost: boolean;
  readonly now: Millis;
  readonly t: Translate;
}

/** @throws RuntimeError `state.moved` when that home was started, or nobody can say; `state.locked`. */
export function takeBackFromHome({ home, moved, lost, t }: Back): void {
  const { to, id } = moved;
  if (!existsSync(to)) {
    if (!lost) throw new RuntimeError("state.moved", t("move.gone", { to }));
    return unfence(home);
  }
  using _lock = lockDirectory(to);
  const arrival = arrivalOf(to);
  const isFresh = arrival?.id === id;
  if (!isFresh && !lost) throw new RuntimeError("state.moved", t("move.started", { to, home }));
  // First that one looks here again before it starts, then this one answers: at each moment it is one of them.
  noteArrival(to, { id, from: home, ready: false });
  unfence(home);
}

/** @param store Absent for one that is lost. @throws RuntimeError `state.moved` when a home was made of it. */
export async function takeBackFromTarget(store: Store | undefined, { home, moved, now, t }: Back): Promise<void> {
  if (store !== undefined) {
    const ticket = await ticketOf(store, moved.id);
    if (ticket !== undefined) refuseOther(ticket, home, t);
    await writeTicket(store, moved.id, { claimed: { host: hostname(), home, at: now } });
  }
  unfence(home);
}
