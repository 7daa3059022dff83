/** Looks at workspaces while confined programs run in them and when they have ended, and keeps aside what runs by itself. */
import type { Stats } from "node:fs";
import { join, relative } from "node:path";
import type { Clock, Millis } from "../../../contract/base.ts";
import { isInside } from "../../files/paths.ts";
import { type Lease, TICK_MS } from "../leases.ts";
import { type Surveyor, WHOLE } from "../survey.ts";
import { statsAt } from "./entries.ts";
import { leftBehind } from "./left-behind.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { KeptAside, QuarantineStore } from "./store.ts";

/** What was found of a program while it ran and at its end. */
export interface LeftReport {
  readonly kept: readonly KeptAside[];
  /** Paths below the workspace that could not be moved away. */
  readonly stuck: readonly string[];
  /** Whether all of the workspace was looked at. */
  readonly complete: boolean;
}

export interface Keeper {
  /** Looks again and again until the end. @param lease Undefined: of a program without one, nothing is known. */
  watch(lease: Lease | undefined, since?: Millis): { end(): Promise<LeftReport> };
  /** Before margay itself, or a tool that a person allowed, writes there. @param path absolute. */
  writing(path: string, at: Millis): void;
  /** What is still in a workspace and runs by itself; undefined: nothing. */
  stuckIn(workspace: string): string | undefined;
}

export interface KeeperOptions {
  readonly store: QuarantineStore;
  readonly writes: OwnWrites;
  readonly survey: Surveyor;
  readonly clock: Clock;
  /** Told of each thing once. */
  readonly kept?: ((item: KeptAside) => void) | undefined;
}

const FRESH_MS = 60_000;
const INTERVAL_MS = 100;
/** Looking takes at most this part of the time. */
const SHARE = 1 / 10;

interface Watched {
  readonly workspace: string;
  kept: KeptAside[];
  stuck: string[];
}

export function createKeeper({ store, writes, survey, clock, kept: told }: KeeperOptions): Keeper {
  const watched = new Set<Watched>();
  const stuck = new Set<string>();
  const createdAt = clock.monotonic();
  /** Programs that were running when the process before this one was killed may still be found. */
  const isFresh = (): boolean => clock.monotonic() - createdAt < FRESH_MS;
  const isOurs = (path: string, { ctimeMs }: Stats): boolean => writes.made(path, ctimeMs);
  const look = async (lease: Lease, whole: boolean): Promise<boolean> => {
    const found = await survey(lease.workspace, whole ? { bounds: WHOLE, last: true } : {});
    for (const one of leftBehind(lease, found, isOurs)) {
      const result = store.keep(lease.workspace, one);
      if (result === undefined) continue;
      // Which of those that run made it nobody knows.
      const all = [...watched].filter(({ workspace }) => workspace === lease.workspace);
      if ("reason" in result) {
        stuck.add(one.path);
        for (const each of all) each.stuck.push(result.path);
      } else {
        told?.(result);
        for (const each of all) each.kept.push(result);
      }
    }
    return found.complete;
  };
  const follow = async (lease: Lease, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      await look(lease, false).catch(() => undefined); // the look at the end says so
      const took = clock.monotonic() - startedAt;
      await clock.sleep(Math.max(INTERVAL_MS, took / SHARE), signal).catch(() => undefined);
    }
  };
  return {
    watch: (started, since) => {
      if (started === undefined) return { end: () => Promise.resolve({ kept: [], stuck: [], complete: true }) };
      // Of a program that was there before, a person may have exchanged what was guarded.
      const lease = since === undefined ? started : { ...started, since: since - TICK_MS, guarded: [] };
      const own: Watched = { workspace: lease.workspace, kept: [], stuck: [] };
      const ended = new AbortController();
      watched.add(own);
      const following = follow(lease, ended.signal);
      return {
        end: async () => {
          ended.abort(new Error("ended"));
          await following;
          const complete = await look(lease, true).catch(() => false);
          watched.delete(own);
          if (watched.size === 0 && !isFresh()) writes.clear();
          const stuckNow = [...new Set(own.stuck)].filter((path) => statsAt(join(lease.workspace, path)) !== undefined);
          const kept = own.kept.toSorted((one, other) => (one.path < other.path ? -1 : 1));
          return { kept, stuck: stuckNow, complete };
        },
      };
    },
    writing: (path, at) => {
      if (watched.size > 0 || isFresh()) writes.add(path, at);
    },
    stuckIn: (workspace) => {
      for (const path of stuck) {
        if (statsAt(path) === undefined) stuck.delete(path);
        else if (isInside(workspace, path)) return relative(workspace, path);
      }
      return undefined;
    },
  };
}
