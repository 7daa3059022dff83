/** What a program left in a workspace that runs by itself outside of the sandbox, or steers the agent. */
import type { Stats } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { runsByItself } from "../../../lib/paths/runs-later.ts";
import { isInside } from "../../files/paths.ts";
import type { Lease } from "../leases.ts";
import { homeIn, type Survey } from "../survey.ts";
import { type LeftBehind, linkAt, namesIn, statsAt } from "./entries.ts";
import { gitLeftBehind } from "./git-left-behind.ts";

/** Of a folder that a package brought along, so many entries are looked at for a change. */
const MAX_INSIDE = 1_000;

/**
 * Only what is newer than the program, so that nothing of a person's is touched that was there before. Never throws for what
 * goes meanwhile. @param isOurs Whether margay itself wrote it while the program ran.
 */
export function leftBehind(
  lease: Lease,
  survey: Survey,
  isOurs: (path: string, stats: Stats) => boolean,
): readonly LeftBehind[] {
  const { workspace, since } = lease;
  const known = new Set(lease.known);
  const home = homeIn(workspace);
  const isNew = (path: string): boolean => {
    const stats = statsAt(path);
    if (stats === undefined || stats.ctimeMs < since || known.has(`${stats.dev}:${stats.ino}`)) return false;
    return !isOurs(path, stats);
  };
  const links = new Map(lease.guarded.flatMap(({ path, link }) => (link === undefined ? [] : [[path, link] as const])));
  const isAsBefore = (path: string): boolean => {
    const link = links.get(path);
    return link !== undefined && linkAt(path) === link;
  };
  const byName = (path: string): readonly LeftBehind[] => {
    const name = basename(path);
    if (name === ".git") return []; // what it leads to counts
    const folder = relative(workspace, dirname(path));
    return runsByItself(name, { folder, home }) ? [{ path, why: name }] : [];
  };
  const named = [...survey.named, ...survey.links].filter((path) => isNew(path) && !isAsBefore(path)).flatMap(byName);
  const vendored = survey.vendored.filter((path) => isNew(path) || isChangedInside(path, since)).flatMap(byName);
  const found = [...named, ...vendored, ...exchanged(lease, isAsBefore), ...gitLeftBehind(lease, survey, isNew)];
  // What lies in another goes with it.
  return [...new Map(found.map((one) => [one.path, one])).values()].filter(
    ({ path }) => !found.some((other) => other.path !== path && isInside(other.path, path)),
  );
}

/** Names that no mount could hold, and that are something else now. */
function exchanged({ guarded }: Lease, isAsBefore: (path: string) => boolean): readonly LeftBehind[] {
  return guarded.flatMap(({ path, link, identity }): readonly LeftBehind[] => {
    if (link !== undefined)
      return isAsBefore(path) ? [] : [{ path, link, why: `${basename(path)} was a link to ${link}` }];
    const stats = statsAt(path);
    if (stats === undefined || `${stats.dev}:${stats.ino}` === identity) return [];
    return [{ path, why: `${basename(path)} was exchanged` }];
  });
}

/** Nothing is mounted over what packages bring along: a file in it may have been written anew. */
function isChangedInside(folder: string, since: number): boolean {
  const queue = [folder];
  let looked = 0;
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if ((looked += 1) > MAX_INSIDE) return true;
    const stats = statsAt(path);
    if (stats === undefined) continue;
    if (stats.ctimeMs >= since) return true;
    if (stats.isDirectory()) for (const name of namesIn(path)) queue.push(join(path, name));
  }
  return false;
}
