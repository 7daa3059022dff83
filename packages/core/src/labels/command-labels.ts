/**
 * What a command handled decides what it and its work are: not where a stranger's file lies (decision 0040). Its label is the
 * join of those that are open with it: given after a stranger's text, a labelled file read, a host reached. What it created or
 * changed inherits it, on disk before anything else knows of the change.
 */
import { basename, dirname, join } from "node:path";
import type { Clock } from "../contract/base.ts";
import type { Readers } from "../contract/people.ts";
import { isNamedIn } from "../lib/whole-word.ts";
import { filesBelow } from "./below.ts";
import type { FileLabels } from "./file-labels.ts";
import { createHandledFiles, type Restamped } from "./handled-files.ts";
import { GIVEN, labelOutside, readersOf, type Settled, settleChanges } from "./label-changes.ts";
import { type BegunCommand, countLabelled, isKnownByText, isTracked, type LabelState } from "./label-state.ts";
import { type CommandView, mayHaveRead } from "./hidden-files.ts";
import type { FoundChange } from "./new-entries.ts";
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

export interface CommandLabels {
  /** Whether a look is needed even where no copies are kept. */
  needed(): boolean;
  /** From now on `causes` says why it is a stranger's beside what it reads. */
  begin(key: string, facts: BegunCommand): void;
  /** What it sees of strangers' files, known when it starts. Untold: everything. */
  sees(key: string, view: CommandView): void;
  /** @returns how many files and directories became a stranger's meanwhile. Of what commands of one turn did together one tells. */
  end(key: string): number;
  /** Before a command starts, and no other runs. @param names all paths of the workspace. */
  arm(names: Iterable<string>, restamped: Restamped, slices: Slices): Promise<void>;
  /** What changed while no command was open: a person's rename or copy of a stranger's file keeps its label. */
  outside(changes: readonly FoundChange[], slices: Slices): Promise<void>;
  /** Why the commands that are open are a stranger's; empty when they are not. */
  causes(open: readonly LabelledCommand[], names: Iterable<string>, slices: Slices): Promise<readonly string[]>;
  /** What the commands that are open created or changed. `excluded`: directories that were not looked into. */
  settle(changes: readonly FoundChange[], facts: Settled, slices: Slices): Promise<void>;
  /** Why a command with this text is a stranger's: of dependencies only the name tells, programs load them without being about them. */
  named(text: string): readonly string[];
  /** The files and whole trees that are labelled, for the sandbox that hides some. */
  labelled(): LabelledPaths;
  /** Who may read what a command gave, by the causes that make it a stranger's. */
  readers(causes: readonly string[]): readonly Readers[];
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

interface Looks extends LabelState {
  readonly clock: Pick<Clock, "now">;
  readonly dependencies: "loaded" | "untrusted";
  readonly handled: ReturnType<typeof createHandledFiles>;
  /** What lies in labelled trees that are left out of the look. Only arming looks there: that moves the access times of directories. */
  unlooked: readonly string[];
}

export function createCommandLabels({
  workspace,
  clock,
  labels,
  unknown,
  dependencies = "loaded",
}: CommandLabelsOptions): CommandLabels {
  const looks: Looks = {
    workspace,
    clock,
    labels,
    unknown,
    dependencies,
    begun: new Map(),
    handled: createHandledFiles(workspace),
    armedAt: 0n,
    unlooked: [],
    tested: undefined,
  };
  const { begun } = looks;
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
      paths: [...labels.paths(), ...treesArmed(looks)].map((path) => join(workspace, path)),
      traced: isTracked(looks),
    }),
    named: (text) =>
      labels
        .trees()
        .filter((tree) => isLoaded(looks, tree) && isNamedIn(text, basename(tree)))
        .map((tree) => `read ${tree}`),
    arm: (found, restamped, slices) => arm(looks, found, restamped, slices),
    outside: (changes, slices) => labelOutside(looks, changes, slices),
    causes: (open, names, slices) => causesOf(looks, open, names, slices),
    settle: (changes, facts, slices) => settleChanges(looks, changes, facts, slices),
    readers: (causes) => readersOf(labels, causes),
    inHistory: (text) => {
      if (!isKnownByText(looks)) return undefined;
      const path = labels.findText(text);
      return path === undefined ? undefined : `git history (text of ${path})`;
    },
  };
}

function isLoaded({ dependencies }: Looks, tree: string): boolean {
  return dependencies === "loaded" && DEPENDENCIES.has(basename(tree));
}

function treesArmed(looks: Looks): readonly string[] {
  return looks.labels.trees().filter((tree) => !isLoaded(looks, tree));
}

/** The paths whose reading makes a command a stranger's. @param names all that there are. */
function labelledAmong(looks: Looks, names: Iterable<string>): readonly string[] {
  const { labels, unlooked } = looks;
  const paths = new Set([...labels.paths(), ...unlooked]);
  const trees = treesArmed(looks);
  if (trees.length > 0)
    for (const name of names) if (trees.some((tree) => name === tree || name.startsWith(`${tree}/`))) paths.add(name);
  for (const directory of labels.names()) paths.add(directory);
  return [...paths];
}

async function arm(looks: Looks, found: Iterable<string>, restamped: Restamped, slices: Slices): Promise<void> {
  const { workspace, clock, labels, unknown, handled } = looks;
  const names = [...found]; // told once
  countLabelled(looks, (await unknown?.among(names, slices)) ?? 0);
  const trees = treesArmed(looks);
  const all = trees.length === 0 ? [] : names;
  const looked = new Set(all.map((name) => dirname(name)));
  const below: string[] = [];
  for (const tree of trees) if (!looked.has(tree)) below.push(...(await filesBelow(workspace, tree, slices)));
  looks.unlooked = below;
  await handled.arm(labelledAmong(looks, all), { met: labels.met, restamped }, slices);
  looks.armedAt = BigInt(clock.now()) * 1_000_000n - TICK_NS;
}

async function causesOf(
  looks: Looks,
  open: readonly LabelledCommand[],
  names: Iterable<string>,
  slices: Slices,
): Promise<readonly string[]> {
  const { workspace, labels, begun, handled } = looks;
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
  const paths = labelledAmong(looks, names);
  const isTraced = isTracked(looks);
  if (!isTraced)
    isLost ||= open.some(({ key }) => mayHaveRead({ workspace, labels }, paths, begun.get(key)?.view ?? EVERYTHING));
  if (isLost && paths.length > 0) causes.add("what it read could not be followed");
  else if (isTraced)
    for (const path of await handled.handled(paths, slices))
      causes.add(labels.byNames(path) ? `names in ${path}` : `read ${path}`);
  return [...causes];
}
