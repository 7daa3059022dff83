/** What stands at a target beside a moved home: it becomes a home once. Sealed, as all there is. */
import { hostname } from "node:os";
import { RuntimeError } from "@margay/core";
import type { Millis } from "@margay/core/internal";
import { timeText } from "../../../host/cli/values.ts";
import type { Translate } from "../../../texts/translate.ts";
import { seal, unseal } from "../store/seal.ts";
import type { Taken } from "../store/snapshot.ts";
import type { Store } from "../store/store.ts";

interface Ticket {
  /** Who has it: the home that was made of it, or the old one that was taken back. */
  readonly claimed?: Claim;
}

interface Claim {
  readonly host: string;
  readonly home: string;
  readonly at: Millis;
}

/** @returns undefined when there is none: the move was not finished. @throws RuntimeError `backup.damaged`. */
export async function ticketOf(store: Store, move: string): Promise<Ticket | undefined> {
  const bytes = await store.target.read(nameOf(move));
  const plain = bytes && unseal(store.keys.content, nameOf(move), bytes);
  if (bytes === undefined) return undefined;
  if (plain !== undefined) return JSON.parse(plain.toString("utf8")) as Ticket; // sealed by us
  throw new RuntimeError(
    "backup.damaged",
    `${nameOf(move)} in ${store.target.name} is damaged: nobody can say which home answers after the move. If no other one was made of it, add --lost.`,
  );
}

export async function writeTicket(store: Store, move: string, ticket: Ticket): Promise<void> {
  await store.target.write(nameOf(move), seal(store.keys.content, nameOf(move), Buffer.from(JSON.stringify(ticket))));
}

/**
 * The caller holds the lock of the target. Who has it already gets it again: a run that was killed is repeated.
 * @param lost The home that has it is gone for good, as the person says.
 * @throws RuntimeError `state.moved` naming who has it; `usage.wrong` when the old home still answers.
 */
export async function claim(
  store: Store,
  { name, snapshot: { move = "" } }: Pick<Taken, "name" | "snapshot">,
  { home, at, lost, t }: { readonly home: string; readonly at: Millis; readonly lost: boolean; readonly t: Translate },
): Promise<void> {
  const ticket = lost ? {} : await ticketOf(store, move);
  if (ticket === undefined) throw new RuntimeError("usage.wrong", t("moved.noTicket", { name: name.slice(0, 12) }));
  refuseOther(ticket, home, t);
  await writeTicket(store, move, { claimed: { host: hostname(), home, at } });
}

/** @throws RuntimeError `state.moved`. */
export function refuseOther({ claimed }: Ticket, home: string, t: Translate): void {
  if (claimed === undefined || (claimed.home === home && claimed.host === hostname())) return;
  const at = timeText(claimed.at);
  throw new RuntimeError("state.moved", t("moved.claimed", { home: claimed.home, host: claimed.host, at }));
}

/** At the top of a target; says which move it was, and nothing of it. */
function nameOf(move: string): string {
  return `move-${move}`;
}
