/** What a turn changed in the workspace and in a folder that appears there, taken back as one. */
import type { TurnChanges } from "./manifest.ts";
import type { UndoPlan } from "./plan.ts";
import type { Undo, Undone } from "./undo.ts";

export type TurnUndo = Pick<Undo, "list" | "plan" | "apply">;

/** @param folder.undo undefined as long as nothing was written there: nothing is opened then. @param folder.as its name in the workspace. */
export function withFolder(
  own: TurnUndo,
  folder: { readonly undo: () => TurnUndo | undefined; readonly as: string },
): TurnUndo {
  const placed = <T extends { readonly path: string }>(item: T): T => ({ ...item, path: `${folder.as}/${item.path}` });
  const placedPlan = (plan: UndoPlan): UndoPlan => ({ ...plan, items: plan.items.map(placed) });
  const placedUndone = ({ plan, restored }: Undone): Undone => ({
    plan: placedPlan(plan),
    restored: restored.map(placed),
  });
  return {
    list: async (session) => {
      const there = (await folder.undo()?.list(session)) ?? [];
      const all = [
        ...(await own.list(session)),
        ...there.map((turn) => ({ ...turn, changes: turn.changes.map(placed) })),
      ];
      const turns = Map.groupBy(all, ({ session: of, turn }) => `${of} ${turn}`);
      return [...turns.values()].map(joined).toSorted((a, b) => b.at - a.at);
    },
    plan: async (target) => {
      const there = await folder.undo()?.plan(target);
      const here = await own.plan(target);
      if (there === undefined || here === "busy") return here;
      if (there === "busy") return there;
      return here === undefined ? placedPlan(there) : joinedPlans(here, placedPlan(there));
    },
    apply: async (request) => {
      const undo = folder.undo();
      // Nothing of it is done while a command of that turn runs.
      if (undo === undefined || (await own.plan(request)) === "busy") return own.apply(request);
      const here = await own.apply(request);
      const there = await undo.apply(request);
      if (there === undefined || there === "busy" || here === "busy") return here;
      if (here === undefined) return placedUndone(there);
      const { plan, restored } = placedUndone(there);
      return { plan: joinedPlans(here.plan, plan), restored: [...here.restored, ...restored] };
    },
  };
}

function joined(parts: readonly TurnChanges[]): TurnChanges {
  return parts.reduce(({ undone, ...one }, other) => ({
    ...one,
    at: Math.min(one.at, other.at),
    changes: [...one.changes, ...other.changes],
    excluded: [...one.excluded, ...other.excluded],
    gaps: [...one.gaps, ...other.gaps],
    // Taken back when all of it is.
    ...(undone !== undefined && other.undone !== undefined && { undone }),
  }));
}

function joinedPlans(one: UndoPlan, other: UndoPlan): UndoPlan {
  return {
    items: [...one.items, ...other.items],
    excluded: [...one.excluded, ...other.excluded],
    gaps: [...one.gaps, ...other.gaps],
  };
}
