/** Backups by themselves: made, read through and rehearsed by a process of their own, so that no turn waits for it. */
import type { Clock, Logger } from "@margay/core";
import { messageOf, type Docs, type Millis, untilAborted } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import type { Translate } from "../../texts/translate.ts";
import { runMargay } from "./own-process.ts";
import { readState, type BackupState } from "./state.ts";

export interface BackupsOptions {
  readonly docs: Docs;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As it is now. */
  readonly config: () => Config["backup"];
  /** Told when it is another one. @returns the function that ends it. */
  readonly watch: (changed: () => void) => () => void;
  /** To the person whom the assistant belongs to, where they can be reached. */
  readonly tell: (text: string) => Promise<void>;
  readonly t: Translate;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "error">;
}

type Task = "backup" | "check" | "drill";

const HOUR_MS: Millis = 3_600_000;
const DAY_MS: Millis = 24 * HOUR_MS;
const EVERY: Readonly<Record<Exclude<Config["backup"]["schedule"], "off">, Millis>> = {
  hourly: HOUR_MS,
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
};
/** What failed is tried again after this long. */
const AGAIN_MS: Millis = HOUR_MS;
/** A timer is set no longer than this: clocks are set, machines sleep. */
const LOOK_MS: Millis = HOUR_MS;

/** Until aborted. */
export async function runBackups(options: BackupsOptions, signal: AbortSignal): Promise<void> {
  const { config, clock } = options;
  const ran = new Map<Task, Millis>();
  while (!signal.aborted) {
    const next = soonest(config(), readState(options.docs), ran);
    if (next === undefined || next.at > clock.now()) {
      await pause(options, next && Math.min(next.at - clock.now(), LOOK_MS), signal);
      continue;
    }
    ran.set(next.task, clock.now());
    await perform(next.task, options, signal);
  }
}

/** What this process did counts by its own clock; what was done before it started, by what was noted. */
export function soonest(
  { schedule, target, drillDays }: Config["backup"],
  { last, tried, checked, drill }: BackupState,
  ran: ReadonlyMap<Task, Millis>,
): { readonly task: Task; readonly at: Millis } | undefined {
  if (schedule === "off" || target === null) return undefined;
  const at = (task: Task, done: { readonly at: Millis; readonly error?: string } | undefined, every: Millis): Millis =>
    (ran.get(task) ?? done?.at ?? 0) + (done?.error === undefined ? every : Math.min(every, AGAIN_MS));
  const tasks: readonly (readonly [Task, Millis] | undefined)[] = [
    ["backup", at("backup", tried, EVERY[schedule])],
    last === undefined ? undefined : ["check", at("check", checked, DAY_MS)],
    last === undefined || drillDays === 0 ? undefined : ["drill", at("drill", drill, drillDays * DAY_MS)],
  ];
  const [first] = tasks.filter((one) => one !== undefined).toSorted((a, b) => a[1] - b[1]);
  return first && { task: first[0], at: first[1] };
}

async function perform(task: Task, options: BackupsOptions, signal: AbortSignal): Promise<void> {
  const { docs, config, tell, t, log } = options;
  const before = failedIn(readState(docs))[task];
  try {
    log.info("backup.begun", { task });
    await runMargay(options, task === "backup" ? ["backup"] : ["backup", task], signal);
    log.info("backup.done", { task });
    if (task !== "backup" || !config().prune) return;
    log.info("backup.begun", { task: "prune" });
    await runMargay(options, ["backup", "prune"], signal);
  } catch (error) {
    if (signal.aborted) return;
    log.error("backup.failed", { task, message: messageOf(error) });
    if (before) return; // it was said when it began
    await tell(t(`backup.told.${task}`, { reason: messageOf(error) })).catch((failed: unknown) =>
      log.error("backup.untold", { message: messageOf(failed) }),
    );
  }
}

function failedIn({ tried, checked, drill }: BackupState): Readonly<Record<Task, boolean>> {
  const has = (one: { readonly error?: string } | undefined): boolean => one?.error !== undefined;
  return { backup: has(tried), check: has(checked), drill: has(drill) };
}

/** Until the time is over or the settings are others. @param ms Absent: only then. */
async function pause({ clock, watch }: BackupsOptions, ms: Millis | undefined, signal: AbortSignal): Promise<void> {
  const changed = new AbortController();
  const unwatch = watch(() => changed.abort());
  const either = AbortSignal.any([signal, changed.signal]);
  try {
    await (ms === undefined ? untilAborted(either) : clock.sleep(ms, either).catch(() => {})); // looked at anew
  } finally {
    unwatch();
  }
}
