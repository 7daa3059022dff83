/**
 * What a command handled decides what it and its work are: not where a stranger's file lies (decision 0040). Its label is the
 * join of those that are open with it: given after a stranger's text, a labelled file read, a host reached. What it created or
 * changed inherits it, on disk before anything else knows of the change.
 */
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../contract/base.ts";
import { isNamedIn } from "../lib/whole-word.ts";
import { filesBelow, isChangedSince } from "./below.ts";
import { type Content, contentAt, inflated, isContent, statsAt } from "./content.ts";
import { contentOf, fileId, type FileLabels } from "./file-labels.ts";
import { type GitPlace, gitPlace } from "./git-places.ts";
import { createHandledFiles, keepsAccessTimes, type Restamped } from "./handled-files.ts";
import { type CommandView, mayHaveRead } from "./hidden-files.ts";
import { type FoundChange, loudDirectories, newTrees } from "./new-entries.ts";
import { MAX_PRINTED_BYTES } from "./prints.ts";
import type { UnknownRepositories } from "./unknown-repositories.ts";
import type { LabelledPaths } from "../machine/sandbox/masks.ts";
import { TICK_NS } from "../undo/file-state.ts";
import type { Slices } from "../undo/slices.ts";

/** A command that has not ended. */
export interface LabelledCommand {
  /** Its name. */
  readonly key: string;
  /** It was given after a stranger's text was read. */
  readonly untrusted: boolean;
  /** Why it is a stranger's otherwise, whatever it reads itself. */
  readonly causes?: readonly string[];
  /** It may reach hosts. */
  readonly network?: true;
}

/** Why a command is a stranger's that nobody trusted gave. */
export const GIVEN = "given after a stranger's text was read";

export interface BegunCommand {
  /** Whose command it is. */
  readonly turn: string;
  /** The look before it saw everything. */
  readonly complete: boolean;
  /** It may reach hosts. */
  readonly network?: boolean;
  readonly causes: () => readonly string[];
}

export interface CommandLabels {
  /** Whether a look is needed even where no copies are kept. */
  needed(): boolean;
  /** From now on `causes` says why it is a stranger's beside what it reads. */
  begin(key: string, facts: BegunCommand): void;
  /** What it sees of strangers' files, known when it starts. Untold: everything. */
  sees(key: string, view: CommandView): void;
  /** @returns how many files and directories became a stranger's meanwhile. Of what commands of one turn did together one tells. */
  end(key: string): number;
  /** Before a command starts, and no other is open. @param names all paths of the workspace. */
  arm(names: Iterable<string>, restamped: Restamped, slices: Slices): Promise<void>;
  /** What changed while no command was open: a person's rename or copy of a stranger's file keeps its label. */
  outside(changes: readonly FoundChange[], slices: Slices): Promise<void>;
  /** Why the commands that are open are a stranger's; empty when they are not. */
  causes(open: readonly LabelledCommand[], names: Iterable<string>, slices: Slices): Promise<readonly string[]>;
  /** What the commands that are open created or changed. `excluded`: directories that were not looked into. */
  settle(
    changes: readonly FoundChange[],
    facts: { readonly causes: readonly string[]; readonly excluded: readonly string[]; readonly alone: boolean },
    slices: Slices,
  ): Promise<void>;
  /** Why a command with this text is a stranger's: of dependencies only the name tells, programs load them without being about them. */
  named(text: string): readonly string[];
  /** The files and whole trees that are labelled, for the sandbox that hides some. */
  labelled(): LabelledPaths;
  /** @returns why a text is a stranger's that came out of a repository which holds such. */
  inHistory(text: string): string | undefined;
}

export interface CommandLabelsOptions {
  readonly workspace: string;
  readonly clock: Pick<Clock, "now">;
  readonly labels: FileLabels;
  /** Absent: whatever was cloned is the operator's. */
  readonly unknown?: UnknownRepositories;
  /** `untrusted`: trees of dependencies are like any other. Default: `loaded`, programs load them without being about them. */
  readonly dependencies?: "loaded" | "untrusted";
}

const EVERYTHING: CommandView = { hidden: [], shown: [] };

/** Trees that programs load without being about them: a command that names them handles them. */
const DEPENDENCIES = new Set(["node_modules", ".venv", "site-packages", "vendor", "target"]);

export function createCommandLabels({
  workspace,
  clock,
  labels,
  unknown,
  dependencies = "loaded",
}: CommandLabelsOptions): CommandLabels {
  const isLoaded = (tree: string): boolean => dependencies === "loaded" && DEPENDENCIES.has(basename(tree));
  const begun = new Map<string, BegunCommand & { labelled: number; view?: CommandView }>();
  const handled = createHandledFiles(workspace);
  let armedAt = 0n;
  /** What lies in labelled trees that are left out of the look. Only arming looks there: that moves the access times of directories. */
  let unlooked: readonly string[] = [];
  let tested: { readonly device: bigint; readonly kept: boolean } | undefined;

  /** Where the file system keeps no access times a command counts as having read all that is labelled. */
  const isTracked = (): boolean => {
    const device = fs.statSync(workspace, { bigint: true, throwIfNoEntry: false })?.dev;
    if (device === undefined) return false;
    if (tested?.device !== device) tested = { device, kept: keepsAccessTimes(workspace) };
    return tested.kept;
  };

  /** Out of a repository comes what nobody can follow. */
  const isKnownByText = (): boolean => labels.mixed().length > 0 || (!labels.empty && !isTracked());

  const treesArmed = (): readonly string[] => labels.trees().filter((tree) => !isLoaded(tree));
  const labelled = (names: Iterable<string>): readonly string[] => {
    const paths = new Set([...labels.paths(), ...unlooked]);
    const trees = treesArmed();
    if (trees.length > 0)
      for (const name of names) if (trees.some((tree) => name === tree || name.startsWith(`${tree}/`))) paths.add(name);
    for (const directory of labels.names()) paths.add(directory);
    return [...paths];
  };
  /** Whether a text that no stranger's file was read for is a stranger's all the same. */
  const copied = (path: string, file: Content): string | undefined => {
    if (labels.byId(fileId(file.stats))) return "moved";
    const object = gitPlace(path)?.object;
    if (object !== undefined && labels.byBlob(object)) return "kept by git";
    const hash = file.data === undefined ? undefined : contentOf(file.data).sha256;
    if (hash !== undefined && labels.hashedAt(hash) !== undefined) return "copied";
    return undefined;
  };
  const holdsText = ({ data }: Content): string | undefined =>
    data === undefined || data.length > MAX_PRINTED_BYTES || data.includes(0)
      ? undefined
      : labels.findText(data.toString("utf8"));

  return {
    needed: () => !labels.empty || unknown?.searched === false,
    begin: (key, facts) => void begun.set(key, { ...facts, labelled: 0 }),
    sees: (key, view) => {
      const facts = begun.get(key);
      if (facts !== undefined) facts.view = view;
    },
    end: (key) => {
      const labelled = begun.get(key)?.labelled ?? 0;
      begun.delete(key);
      return labelled;
    },
    labelled: () => ({
      paths: [...labels.paths(), ...treesArmed()].map((path) => join(workspace, path)),
      traced: isTracked(),
    }),
    named: (text) =>
      labels
        .trees()
        .filter((tree) => isLoaded(tree) && isNamedIn(text, basename(tree)))
        .map((tree) => `read ${tree}`),
    arm: async (found, restamped, slices) => {
      const names = [...found]; // told once
      count((await unknown?.among(names, slices)) ?? 0);
      const trees = treesArmed();
      const all = trees.length === 0 ? [] : names;
      const looked = new Set(all.map((name) => dirname(name)));
      const below: string[] = [];
      for (const tree of trees) if (!looked.has(tree)) below.push(...(await filesBelow(workspace, tree, slices)));
      unlooked = below;
      await handled.arm(labelled(all), { met: labels.met, restamped }, slices);
      armedAt = BigInt(clock.now()) * 1_000_000n - TICK_NS;
    },
    outside: async (changes, slices) => {
      if (labels.empty) return;
      for (const change of changes) {
        const wait = slices.pause();
        if (wait !== undefined) await wait;
        if (labels.byPath(change.path)) continue;
        if (change.before.kind === "absent" && change.after.kind === "directory") {
          const stats = statsAt(workspace, change.path);
          if (stats !== undefined && labels.byId(fileId(stats)))
            labels.addTree(change.path, "outside of margay: moved", stats);
        }
        if (!isContent(change)) continue;
        const file = await contentAt(workspace, change.path);
        const why = file === undefined ? undefined : (copied(change.path, file) ?? holdsText(file));
        if (why !== undefined) labels.add(change.path, `outside of margay: ${why}`, file);
      }
      labels.drop(gone(changes));
    },
    causes: async (open, names, slices) => {
      const causes = new Set<string>();
      let isLost = false;
      for (const { key, untrusted, causes: told = [], network } of open) {
        const facts = begun.get(key);
        if (untrusted) causes.add(GIVEN);
        for (const cause of [...told, ...(facts?.causes() ?? [])]) causes.add(cause);
        // Which hosts it reached the process knew that died.
        if (facts === undefined && network === true) causes.add("network");
        isLost ||= facts?.complete !== true;
      }
      const paths = labelled(names);
      const isTraced = isTracked();
      if (!isTraced)
        isLost ||= open.some(({ key }) =>
          mayHaveRead({ workspace, labels }, paths, begun.get(key)?.view ?? EVERYTHING),
        );
      if (isLost && paths.length > 0) causes.add("what it read could not be followed");
      else if (isTraced)
        for (const path of await handled.handled(paths, slices))
          causes.add(labels.byNames(path) ? `names in ${path}` : `read ${path}`);
      return [...causes];
    },
    settle: async (changes, { causes, excluded, alone }, slices) => {
      const [cause] = causes;
      await unknown?.made(
        changes,
        [...begun.values()].some(({ network }) => network === true),
      );
      if (cause === undefined && labels.empty) return;
      const trees = cause === undefined ? [] : newTrees(changes, causes);
      const byText = isKnownByText();
      let labelled = 0;
      const told = (isNew: boolean): void => void (labelled += Number(isNew));
      if (cause !== undefined)
        for (const folder of excluded)
          if (await isChangedSince(workspace, folder, armedAt, slices))
            told(labels.addTree(folder, cause, statsAt(workspace, folder)));
      for (const tree of trees) told(labels.addTree(tree, cause ?? "", statsAt(workspace, tree)));
      if (cause !== undefined) for (const directory of loudDirectories(changes)) told(labels.addNames(directory));
      for (const change of changes) {
        const wait = slices.pause();
        if (wait !== undefined) await wait;
        if (isContent(change) && !trees.some((tree) => change.path.startsWith(`${tree}/`)))
          told(await settleOne(change, cause, byText));
      }
      count(labelled);
      if (alone) labels.drop(gone(changes));
    },
    inHistory: (text) => {
      if (!isKnownByText()) return undefined;
      const path = labels.findText(text);
      return path === undefined ? undefined : `git history (text of ${path})`;
    },
  };

  /** Of what commands of one turn did together one tells. */
  function count(labelled: number): void {
    for (const [first] of Map.groupBy(begun.values(), ({ turn }) => turn).values())
      if (first !== undefined) first.labelled += labelled;
  }

  /** @returns as `add`. */
  async function settleOne({ path, after }: FoundChange, cause: string | undefined, byText: boolean): Promise<boolean> {
    const file = after.kind === "file" ? await contentAt(workspace, path) : undefined;
    const git = gitPlace(path);
    if (cause === undefined) {
      const why = file && (copied(path, file) ?? (byText ? holdsText(file) : undefined));
      return why !== undefined && labels.add(path, why, file);
    }
    if (git === undefined || labels.byPath(git.repository)) return labels.add(path, cause, file);
    inRepository(git, path, file, cause);
    return false; // git's own
  }

  function gone(changes: readonly FoundChange[]): readonly string[] {
    return changes.filter(({ path, after }) => after.kind === "absent" && labels.byPath(path)).map(({ path }) => path);
  }

  /** Only the contents themselves are labelled; of messages, packs and the rest the text is known again. */
  function inRepository(
    { repository, object }: GitPlace,
    path: string,
    file: Content | undefined,
    cause: string,
  ): void {
    if (object !== undefined && labels.byBlob(object)) labels.add(path, cause, file);
    else if (file?.data !== undefined) {
      const text = object === undefined ? file.data : inflated(file.data);
      if (text !== undefined) labels.print(path, text);
    }
    if (object !== undefined || path.startsWith(`${repository}/objects/`) || path.endsWith("_EDITMSG"))
      labels.addMixed(repository);
  }
}
