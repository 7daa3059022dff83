/** One serial lane per key, a bounded number of lanes at work in each pool. Event-driven: nothing polls. */
import type { Clock, Millis } from "../../contract/base.ts";

export interface Lanes {
  /** Work on this key now, or again when the work in hand is done. */
  wake(key: string): void;
  /** Aborts the work in hand; resolves when it has ended. The lane can be woken again. */
  abort(key: string, reason: Error): Promise<void>;
  /** Aborts the work in hand and runs `task` when it has ended, before any other work on the key begins. */
  interrupt<Result>(key: string, reason: Error, task: () => Promise<Result>): Promise<Result>;
  /** Whether anything works or waits for a slot. */
  readonly busy: boolean;
  /** Resolves when nothing works or waits for a slot. Timers do not count. */
  idle(): Promise<void>;
  /** Aborts everything, forgets timers and accepts no more work. */
  close(reason: Error): Promise<void>;
}

export interface LanesOptions {
  /** Lanes at work at once in one pool. */
  readonly concurrency: () => number;
  /** The pool in which a key waits and works, asked when it is woken. Left out: one pool for all. */
  readonly poolOf?: (key: string) => string;
  readonly clock: Clock;
  /** `until`: wake me then; no slot is held meanwhile. */
  readonly work: (key: string, signal: AbortSignal) => Promise<{ readonly until?: Millis }>;
  /** Work that threw for another reason than its abort. */
  readonly failed: (key: string, error: unknown) => void;
}

interface Lane {
  readonly controller: AbortController;
  readonly done: Promise<void>;
  again: boolean;
}

interface Pool {
  /** Keys that wait for a slot, in order. */
  readonly queue: Set<string>;
  working: number;
}

interface LanesState extends LanesOptions {
  readonly lanes: Map<string, Lane>;
  readonly timers: Map<string, AbortController>;
  /** A pool lives while anything waits or works in it. */
  readonly pools: Map<string, Pool>;
  /** The pools of the keys that wait for a slot. */
  readonly queued: Map<string, Pool>;
  /** Keys that wait for a task of `interrupt`, and how many tasks. */
  readonly held: Map<string, number>;
  readonly idlers: (() => void)[];
  closed: boolean;
}

export function createLanes(options: LanesOptions): Lanes {
  const state: LanesState = {
    ...options,
    lanes: new Map(),
    timers: new Map(),
    pools: new Map(),
    queued: new Map(),
    held: new Map(),
    idlers: [],
    closed: false,
  };
  return {
    get busy() {
      return isBusy(state);
    },
    wake: (key) => wake(state, key),
    abort: (key, reason) => abort(state, key, reason),
    interrupt: (key, reason, task) => interrupt(state, key, reason, task),
    idle: () => (isBusy(state) ? new Promise((resolve) => state.idlers.push(resolve)) : Promise.resolve()),
    close: (reason) => close(state, reason),
  };
}

function isBusy({ lanes, queued }: LanesState): boolean {
  return lanes.size > 0 || queued.size > 0;
}

function wake(state: LanesState, key: string): void {
  const { lanes, timers } = state;
  if (state.closed) return;
  timers.get(key)?.abort(new Error("woken"));
  timers.delete(key);
  const lane = lanes.get(key);
  if (lane !== undefined) {
    lane.again = true;
    return;
  }
  enqueue(state, key);
  next(state);
}

function enqueue({ closed, pools, queued, poolOf = () => "" }: LanesState, key: string): void {
  if (closed || queued.has(key)) return;
  const name = poolOf(key);
  const pool = pools.get(name) ?? { queue: new Set(), working: 0 };
  pools.set(name, pool);
  pool.queue.add(key);
  queued.set(key, pool);
}

/** Starts what waits, as far as there are slots. */
function next(state: LanesState): void {
  const { concurrency, held, pools } = state;
  for (const [name, pool] of pools) {
    for (const key of pool.queue) {
      if (pool.working >= concurrency()) break;
      if (!held.has(key)) start(state, key, pool);
    }
    if (pool.working === 0 && pool.queue.size === 0) pools.delete(name);
  }
  settle(state);
}

function settle(state: LanesState): void {
  if (!isBusy(state)) for (const resolve of state.idlers.splice(0)) resolve();
}

function start(state: LanesState, key: string, pool: Pool): void {
  const { lanes, queued, work, failed } = state;
  pool.queue.delete(key);
  queued.delete(key);
  pool.working++;
  const controller = new AbortController();
  const done = Promise.withResolvers<void>();
  const lane: Lane = { controller, done: done.promise, again: false };
  lanes.set(key, lane);
  const finish = (until: Millis | undefined): void => {
    lanes.delete(key);
    pool.working--;
    done.resolve();
    if (lane.again) enqueue(state, key);
    else if (until !== undefined) wakeAt(state, key, until);
    next(state);
  };
  work(key, controller.signal).then(
    ({ until }) => finish(until),
    (error: unknown) => {
      if (!controller.signal.aborted || error !== controller.signal.reason) failed(key, error);
      finish(undefined);
    },
  );
}

function wakeAt(state: LanesState, key: string, until: Millis): void {
  const { clock, timers } = state;
  if (state.closed) return;
  const timer = new AbortController();
  timers.set(key, timer);
  clock.sleep(Math.max(0, until - clock.now()), timer.signal).then(
    () => wake(state, key),
    () => {}, // woken earlier, or closed
  );
}

async function abort({ lanes }: LanesState, key: string, reason: Error): Promise<void> {
  const lane = lanes.get(key);
  lane?.controller.abort(reason);
  await lane?.done;
}

async function interrupt<Result>(
  state: LanesState,
  key: string,
  reason: Error,
  task: () => Promise<Result>,
): Promise<Result> {
  const { held } = state;
  held.set(key, (held.get(key) ?? 0) + 1);
  try {
    await abort(state, key, reason);
    return await task();
  } finally {
    const others = (held.get(key) ?? 1) - 1;
    if (others > 0) held.set(key, others);
    else held.delete(key);
    next(state);
  }
}

async function close(state: LanesState, reason: Error): Promise<void> {
  const { lanes, pools, queued, timers } = state;
  state.closed = true;
  queued.clear();
  for (const { queue } of pools.values()) queue.clear();
  for (const timer of timers.values()) timer.abort(reason);
  timers.clear();
  const running = [...lanes.values()];
  for (const lane of running) lane.controller.abort(reason);
  await Promise.all(running.map((lane) => lane.done));
  settle(state);
}

/** Resolves when all are idle at once: what one of them ends with may set another to work. */
export async function allQuiet(
  all: readonly { readonly busy?: boolean; readonly idle: () => Promise<void> }[],
): Promise<void> {
  do for (const one of all) await one.idle();
  while (all.some(({ busy }) => busy === true));
}
