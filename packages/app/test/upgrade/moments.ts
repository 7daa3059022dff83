/** The moments at which the new release is killed, spread over what it does with an old home. */
import type { CrashPoint } from "@margay/core/internal/testing";

/** `start`: before it listens. `recovery`: what was there is finished. `raise`: a journal gets its new version. `first turn`: somebody speaks. */
export type Phase = "start" | "recovery" | "raise" | "first turn";
export const PHASES: readonly Phase[] = ["start", "recovery", "raise", "first turn"];

export type Moment = { readonly phase: Phase; readonly text: string } & (
  | { readonly afterMs: number }
  /** `raised`: only commits that raise a journal count. */
  | { readonly at: CrashPoint; readonly raised?: true }
  /** Before the copy of a journal gets its name, for the n-th time. */
  | { readonly copy: number; readonly name: string }
);

/** What a life had that nobody disturbed. */
export interface Course {
  /** Until it listens. */
  readonly startMs: number;
  /** Commits until what was there was done, and until everything was. */
  readonly recovery: number;
  readonly commits: number;
  /** The endings of the copies that it made, and how many of each. */
  readonly copies: ReadonlyMap<string, number>;
}

const WAYS = ["before", "torn", "after"] as const;

/** @param count In all, so many of each phase that differ by one at most; each phase from its begin to its end. */
export function momentsOf(course: Course, count: number, random: () => number): readonly Moment[] {
  const raises = raisesOf(course);
  return PHASES.flatMap((phase, index) => {
    const own = Math.floor(count / PHASES.length) + (index < count % PHASES.length ? 1 : 0);
    return Array.from({ length: own }, (_, number): Moment => {
      const share = (number + random()) / own;
      const when = WAYS[Math.floor(random() * WAYS.length)] ?? "after";
      const { recovery, commits, startMs } = course;
      if (phase === "start") {
        const afterMs = Math.round(share * startMs);
        return { phase, afterMs, text: `after ${afterMs} ms` };
      }
      const raise = raises[Math.floor(share * raises.length)];
      if (phase === "raise" && raise !== undefined) return raise;
      const [from, to] = phase === "first turn" ? [recovery, commits - LAST] : [0, recovery];
      const commit = Math.min(to, from + 1 + Math.floor(share * (to - from)));
      return { phase, at: { commit, when }, text: `${when} commit ${commit} of ${commits}` };
    });
  });
}

/** A life has some commits more or less, by how its deliveries fall. */
const LAST = 4;

function raisesOf({ copies }: Course): readonly Moment[] {
  const all = [...copies].flatMap(([name, number]) =>
    Array.from({ length: number }, (_, index) => ({ name, copy: index + 1 })),
  );
  return all.flatMap(({ name, copy }, index): readonly Moment[] => [
    { phase: "raise", copy, name, text: `before copy ${copy} is called ${name}` },
    ...WAYS.map((when): Moment => ({
      phase: "raise",
      at: { commit: index + 1, when },
      raised: true,
      text: `${when} raise ${index + 1} of ${all.length}`,
    })),
  ]);
}
