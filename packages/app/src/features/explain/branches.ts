/** The same turn in other branches of a conversation: what followed there on the same messages. */
import { allOf } from "@margay/core/internal";
import type { Summary, TurnId } from "@margay/core/internal";
import type { z } from "zod";
import { eventsOf, mayRead, type Caller } from "../../host/sessions/access.ts";
import type { TurnBranchesResult } from "./schema.ts";

export type TurnBranch = z.infer<typeof TurnBranchesResult>["items"][number];

/**
 * Branches with another turn in the place of this one: what stands before it is the same in both, it is not.
 * A turn that was copied as it is has none of that branch.
 */
export async function branchesOf(caller: Caller, session: Summary, turn: string): Promise<readonly TurnBranch[]> {
  const { index, marks } = eventsOf(caller.services);
  const all = await index.all();
  const family = new Map(all.map((one) => [one.id, one]));
  const found: TurnBranch[] = [];
  for (const other of all) {
    const shared = sharedCommits(session, other, family);
    if (other.id === session.id || shared === 0) continue;
    if (marks.of(other.id).trashedAt !== undefined || !mayRead(caller, other)) continue;
    if ((await firstTurnAfter(caller, session, shared)) !== turn) continue;
    const counterpart = await firstTurnAfter(caller, other, shared);
    if (counterpart === undefined) continue;
    const title = marks.of(other.id).title ?? other.title;
    found.push({ session: other.id, title, turn: counterpart, updatedAt: other.updatedAt });
  }
  return found.toSorted((a, b) => b.updatedAt - a.updatedAt);
}

type Family = ReadonlyMap<string, Summary>;

/** How many commits both have from where they come from; 0: they are not related. */
function sharedCommits(one: Summary, other: Summary, family: Family): number {
  const line = ancestry(one, family);
  for (const [ancestor, commits] of ancestry(other, family)) {
    const mine = line.get(ancestor);
    if (mine !== undefined) return Math.min(mine, commits); // the nearest comes first
  }
  return 0;
}

/** Itself and what it was copied from, the nearest first, each with the number of commits that are the same. */
function ancestry(summary: Summary, family: Family): ReadonlyMap<string, number> {
  const line = new Map<string, number>([[summary.id, summary.lastSeq]]);
  let at: Summary | undefined = summary;
  let same = summary.lastSeq;
  while (at?.forkedFrom !== undefined && !line.has(at.forkedFrom.session)) {
    same = Math.min(same, at.forkedFrom.seq);
    line.set(at.forkedFrom.session, same); // also of one that was deleted since
    at = family.get(at.forkedFrom.session);
  }
  return line;
}

async function firstTurnAfter(caller: Caller, { id }: Summary, seq: number): Promise<TurnId | undefined> {
  for await (const { records } of eventsOf(caller.services).reader.whole(id, seq))
    for (const { turn } of allOf(records, "turn.started")) return turn;
  return undefined;
}
