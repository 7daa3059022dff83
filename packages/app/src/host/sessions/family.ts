/** A conversation, those it comes from and all that came of them; without those in the trash. */
import type { Summary } from "@margay/core/internal";
import type { Services } from "../api/services.ts";
import { eventsOf } from "./access.ts";
import { titleOf } from "./marks.ts";

export interface Relative {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly createdAt: number;
  /** The one it was copied from; it may be gone. */
  readonly from?: string;
}

/** @returns none when there is no conversation of that key. */
export async function familyOf(services: Services, key: string): Promise<readonly Relative[]> {
  const { index, marks } = eventsOf(services);
  const all = new Map(
    (await index.all()).filter(({ id }) => marks.of(id).trashedAt === undefined).map((one) => [one.id, one]),
  );
  /** Of one that is gone its id is left. */
  const rootOf = (one: Summary): string => {
    const from = one.forkedFrom?.session;
    const parent = from === undefined ? undefined : all.get(from);
    return parent === undefined ? (from ?? one.id) : rootOf(parent);
  };
  const here = [...all.values()].find((one) => one.key === key);
  if (here === undefined) return [];
  const root = rootOf(here);
  return [...all.values()]
    .filter((one) => rootOf(one) === root)
    .map((one) => ({
      ...{ id: one.id, key: one.key, title: titleOf(marks.of(one.id), one), createdAt: one.createdAt },
      ...(one.forkedFrom !== undefined && { from: one.forkedFrom.session }),
    }));
}
