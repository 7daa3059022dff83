/** Changed files → labels: those that commands made, and those that were made while none was open. */
import type { Readers } from "../contract/people.ts";
import { isChangedSince } from "./below.ts";
import { type Content, contentAt, inflated, isContent, statsAt } from "./content.ts";
import { contentOf, fileId, type FileLabels } from "./file-labels.ts";
import { type GitPlace, gitPlace } from "./git-places.ts";
import { countLabelled, isKnownByText, type LabelState } from "./label-state.ts";
import { type FoundChange, loudDirectories, newTrees } from "./new-entries.ts";
import { MAX_PRINTED_BYTES } from "./prints.ts";
import type { Slices } from "../undo/slices.ts";

/** What a person renamed or copied keeps its label. */
export async function labelOutside(
  { workspace, labels }: LabelState,
  changes: readonly FoundChange[],
  slices: Slices,
): Promise<void> {
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
    const why = file && (copied(labels, change.path, file) ?? holdsText(labels, file));
    if (why !== undefined) labels.add(change.path, `outside of margay: ${why}`, file);
  }
  labels.drop(gone(labels, changes));
}

/** Why a command is a stranger's that nobody trusted gave. */
export const GIVEN = "given after a stranger's text was read";

/** Of the commands that are open. `readers`: of what they were given in view of. */
export interface Settled {
  readonly causes: readonly string[];
  readonly readers: readonly Readers[];
  readonly excluded: readonly string[];
  readonly alone: boolean;
}

/** What the open commands created or changed. */
export async function settleChanges(
  state: LabelState,
  changes: readonly FoundChange[],
  { causes, readers: given, excluded, alone }: Settled,
  slices: Slices,
): Promise<void> {
  const { workspace, labels, unknown, begun, armedAt } = state;
  const [cause] = causes;
  await unknown?.made(
    changes,
    [...begun.values()].some(({ network }) => network === true),
  );
  const readers = [...readersOf(labels, causes), ...given];
  if (cause === undefined && labels.empty && readers.length === 0) return;
  const trees = cause === undefined ? [] : newTrees(changes, causes);
  const byText = isKnownByText(state);
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
      told(await settleOne(state, change, { cause, readers, byText }));
  }
  countLabelled(state, labelled);
  if (alone) labels.drop(gone(labels, changes));
}

/** @returns as `add`. */
async function settleOne(
  { workspace, labels }: LabelState,
  { path, after }: FoundChange,
  {
    cause,
    readers,
    byText,
  }: { readonly cause: string | undefined; readonly readers: readonly Readers[]; readonly byText: boolean },
): Promise<boolean> {
  const file = after.kind === "file" ? await contentAt(workspace, path) : undefined;
  const git = gitPlace(path);
  if (readers.length > 0) labels.addReaders(path, file?.data && contentOf(file.data).sha256, readers);
  if (cause === undefined) {
    const why = file && (copied(labels, path, file) ?? (byText ? holdsText(labels, file) : undefined));
    return why !== undefined && labels.add(path, why, file);
  }
  if (git === undefined || labels.byPath(git.repository)) return labels.add(path, cause, file);
  labelInRepository(labels, git, path, file, cause);
  return false; // git's own
}

/** Of what comes from files that are named, theirs; where nobody knows which they were, those of all. */
export function readersOf({ readers }: Pick<FileLabels, "readers">, causes: readonly string[]): readonly Readers[] {
  if (readers === undefined) return [];
  const ofFiles = causes.filter((cause) => cause !== GIVEN && !/^network(?: |$)/.test(cause));
  const named = ofFiles.map((cause) => /^(?:read|names in) (.*)$/s.exec(cause)?.[1]);
  return named.includes(undefined) ? readers.below("") : named.flatMap((path) => readers.below(path ?? ""));
}

/** Only the contents themselves are labelled; of messages, packs and the rest the text is known again. */
function labelInRepository(
  labels: FileLabels,
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

/** Whether a text that no stranger's file was read for is a stranger's all the same. */
function copied(labels: FileLabels, path: string, file: Content): string | undefined {
  if (labels.byId(fileId(file.stats))) return "moved";
  const object = gitPlace(path)?.object;
  if (object !== undefined && labels.byBlob(object)) return "kept by git";
  const hash = file.data === undefined ? undefined : contentOf(file.data).sha256;
  if (hash !== undefined && labels.hashedAt(hash) !== undefined) return "copied";
  return undefined;
}

function holdsText(labels: FileLabels, { data }: Content): string | undefined {
  return data === undefined || data.length > MAX_PRINTED_BYTES || data.includes(0)
    ? undefined
    : labels.findText(data.toString("utf8"));
}

function gone(labels: FileLabels, changes: readonly FoundChange[]): readonly string[] {
  return changes.filter(({ path, after }) => after.kind === "absent" && labels.byPath(path)).map(({ path }) => path);
}
