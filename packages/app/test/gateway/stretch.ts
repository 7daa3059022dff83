// How long the event loop was kept at a time: in CPU time of its thread, which other processes do not change.
/** Twice the 20 ms that are asked: a collection of garbage in the process of the tests falls into some turn. */
export const KEPT_MS = 40;
/** What `work` takes on the machine that this was written on, with nothing beside it. */
const FLOOR_MS = 4;

/**
 * How many times slower this machine is than the one that limits were written on, from here on: eight programs on two cores
 * share caches too. Each call looks again, and the slowest look counts.
 */
export function watchPace(): () => number {
  const looks = [pace()];
  return () => {
    looks.push(pace());
    const slowest = Math.max(...looks);
    // The looks lie beside what is measured: on a machine that others slow down it may have been slower between.
    return slowest > 1.1 ? slowest * 1.25 : slowest;
  };
}

function pace(): number {
  const times: number[] = [];
  for (let run = 0; run < 7; run++) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1000);
  }
  const middle = times.toSorted((a, b) => a - b)[3] ?? 0;
  return Math.max(1, middle / FLOOR_MS);
}

function work(): void {
  const value: unknown = JSON.parse(`[${'{"a":[1,"b"]},'.repeat(10_000)}0]`);
  JSON.stringify(value);
}

export interface Stretches {
  /** Milliseconds of work between two turns of the loop: the longest. */
  readonly longestMs: number;
  /** The longest but one: without the one collection of garbage that a busy machine draws out. */
  readonly nextMs: number;
}

/** Looks at every turn of the event loop while `work` goes on. */
export async function stretchesOf<Value>(work: () => Promise<Value>): Promise<Stretches & { readonly value: Value }> {
  let over = false;
  let longest = 0;
  let next = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    next = Math.max(next, Math.min(longest, user + system));
    longest = Math.max(longest, user + system);
    before = process.threadCpuUsage();
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  try {
    const value = await work();
    await new Promise((done) => setImmediate(done));
    return { value, longestMs: longest / 1000, nextMs: next / 1000 };
  } finally {
    over = true;
  }
}
