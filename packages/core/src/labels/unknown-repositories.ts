/**
 * Repositories that somebody cloned into the workspace, margay did not: whose they are nobody said. Until a person does, they are a
 * stranger's. Git itself wrote down where they came from, in the first line of their `logs/HEAD`.
 */
import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Clock, Millis } from "../contract/base.ts";
import { repositoryOf } from "../lib/paths/git-repository.ts";
import { openFile } from "../machine/files/open-file.ts";
import { withParent } from "../machine/files/with-parent.ts";
import type { Slices } from "../undo/slices.ts";
import { statsAt } from "./content.ts";
import type { FileLabels } from "./file-labels.ts";
import type { FoundChange } from "./new-entries.ts";

export interface UnknownRepositories {
  /** All of the workspace was looked at once. */
  readonly searched: boolean;
  /** Before what lies at a path is judged: the repositories it lies in. */
  around(path: string): Promise<void>;
  /** Before a command. @param names all paths of the workspace. @returns how many were met for the first time. */
  among(names: Iterable<string>, slices: Slices): Promise<number>;
  /** What commands changed: what they cloned themselves has the label of the command. @param network whether one might reach hosts. */
  made(changes: readonly FoundChange[], network: boolean): Promise<void>;
}

export interface UnknownRepositoriesOptions {
  readonly workspace: string;
  readonly labels: FileLabels;
  readonly clock: Pick<Clock, "monotonic">;
  /** Whether what comes from there is the operator's own: `policy.ownRepositories`. */
  readonly isOwn: (repository: string) => boolean;
}

const LOG = "/.git/logs/HEAD";
/** Of git: two names of commits, who, when, what. */
const CLONED = /^[0-9a-f]+ [0-9a-f]+ [^\t\n]*\tclone: from ([^\n]+)/;
const MAX_LINE_BYTES = 4_096;
/** A search asks for each file; a person clones less often. */
const FRESH_MS: Millis = 1_000;

export function openUnknownRepositories(options: UnknownRepositoriesOptions): UnknownRepositories {
  const { workspace, labels, clock, isOwn } = options;
  const looked = { since: 0, folders: new Set<string>() };
  let searched = false;

  /** @returns whether it was met for the first time. */
  const meet = async (repository: string): Promise<boolean> => {
    if (labels.byPath(repository)) return false;
    const from = await originOf(workspace, repository);
    if (from === undefined || isOwn(from) || labels.originOf(repository)?.from === from) return false;
    // First the label: after a crash between the two it is met again.
    labels.addTree(repository, `came from ${from}`, statsAt(workspace, repository));
    labels.addOrigin(repository, from, "unknown");
    return true;
  };
  return {
    get searched() {
      return searched;
    },
    around: async (path) => {
      if (isAbsolute(path)) return;
      const now = clock.monotonic();
      if (now - looked.since > FRESH_MS) {
        looked.folders.clear();
        looked.since = now;
      }
      for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
        const folder = end < 0 ? path : path.slice(0, end);
        if (folder !== "" && folder !== "." && !looked.folders.has(folder)) {
          looked.folders.add(folder);
          await meet(folder);
        }
        if (end < 0) break;
      }
    },
    among: async (names, slices) => {
      let count = 0;
      for (const name of names) {
        const wait = slices.pause();
        if (wait !== undefined) await wait;
        if (name.endsWith(LOG) && (await meet(name.slice(0, -LOG.length)))) count += 1;
      }
      searched = true;
      return count;
    },
    made: async (changes, network) => {
      for (const { path, before, after } of changes) {
        if (!path.endsWith(LOG) || before.kind !== "absent" || after.kind !== "file") continue;
        const repository = path.slice(0, -LOG.length);
        const from = await originOf(workspace, repository);
        // From elsewhere, by a command that reaches nothing: a person cloned it meanwhile.
        if (from !== undefined && (network || !isElsewhere(from))) labels.addOrigin(repository, from, "margay");
      }
    },
  };
}

function isElsewhere(from: string): boolean {
  return !from.startsWith("/");
}

/** @returns `github.com/x/y`, or a path of this machine; undefined: nobody cloned it. Never a password. */
async function originOf(workspace: string, repository: string): Promise<string | undefined> {
  const log = `${repository}${LOG}`;
  try {
    // Most directories are no repository.
    if (fs.lstatSync(join(workspace, log), { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    return await withParent(workspace, log, async ({ directory, name }) => {
      using file = openFile(directory.at(name));
      const memory = Buffer.alloc(MAX_LINE_BYTES);
      const length = await file.read(memory, 0);
      const [, address] = CLONED.exec(memory.toString("utf8", 0, length)) ?? [];
      return address === undefined ? undefined : (repositoryOf(address) ?? address.replace(/\/\/[^/@]*@/, "//"));
    });
  } catch {
    return undefined; // a file, it went, or a link leads elsewhere
  }
}
