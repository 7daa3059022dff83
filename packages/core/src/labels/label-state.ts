/** What is known of the commands that are open, and how far what they read can be followed. */
import fs from "node:fs";
import type { FileLabels } from "./file-labels.ts";
import { keepsAccessTimes } from "./handled-files.ts";
import type { CommandView } from "./hidden-files.ts";
import type { UnknownRepositories } from "./unknown-repositories.ts";

export interface BegunCommand {
  /** Whose command it is. */
  readonly turn: string;
  /** The look before it saw everything. */
  readonly complete: boolean;
  /** It may reach hosts. */
  readonly network?: boolean;
  readonly causes: () => readonly string[];
}

export interface LabelState {
  readonly workspace: string;
  readonly labels: FileLabels;
  readonly unknown: UnknownRepositories | undefined;
  /** The commands that are open, by name. */
  readonly begun: Map<string, BegunCommand & { labelled: number; view?: CommandView }>;
  /** ns: what is younger was changed since the last look. */
  armedAt: bigint;
  tested: { readonly device: bigint; readonly kept: boolean } | undefined;
}

/** Where the file system keeps no access times a command counts as having read all that is labelled. */
export function isTracked(state: LabelState): boolean {
  const { workspace } = state;
  const device = fs.statSync(workspace, { bigint: true, throwIfNoEntry: false })?.dev;
  if (device === undefined) return false;
  if (state.tested?.device !== device) state.tested = { device, kept: keepsAccessTimes(workspace) };
  return state.tested.kept;
}

/** Out of a repository comes what nobody can follow. */
export function isKnownByText(state: LabelState): boolean {
  const { labels } = state;
  return labels.mixed().length > 0 || (!labels.empty && !isTracked(state));
}

/** Of what commands of one turn did together one tells. */
export function countLabelled({ begun }: LabelState, labelled: number): void {
  for (const [first] of Map.groupBy(begun.values(), ({ turn }) => turn).values())
    if (first !== undefined) first.labelled += labelled;
}
