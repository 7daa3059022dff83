// A unified diff of an edit whose places are known: nothing has to be searched for.
import type { Edit } from "./edit-text.ts";

const CONTEXT = 3;

/** Lines of the old and the new text, from 0; ends are exclusive. */
interface Hunk {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** At most `maxLines` lines; the last one says how many are left out. */
export function unifiedDiff(path: string, before: string, after: string, edit: Edit, maxLines: number): string {
  const old = linesOf(before);
  const now = linesOf(after);
  const lines = [`--- ${path}`, `+++ ${path}`];
  for (const group of grouped(merged(hunks(before, after, edit)).map((hunk) => trim(hunk, old, now))))
    lines.push(...render(group, old, now));
  return lines.length <= maxLines
    ? lines.join("\n")
    : [...lines.slice(0, maxLines - 1), `… ${lines.length - maxLines + 1} more lines`].join("\n");
}

function hunks(before: string, after: string, { at, from, to }: Edit): readonly Hunk[] {
  const oldLine = lineCounter(before);
  const newLine = lineCounter(after);
  return at.map((index, count) => {
    const moved = index + count * (to.length - from.length);
    return {
      oldFrom: oldLine(index),
      oldTo: oldLine(index + from.length) + 1,
      newFrom: newLine(moved),
      newTo: newLine(moved + to.length) + 1,
    };
  });
}

/** The line of an index; indices must not fall. */
function lineCounter(text: string): (index: number) => number {
  let line = 0;
  let next = text.indexOf("\n");
  return (index) => {
    while (next !== -1 && next < index) {
      line += 1;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
}

/** Without the lines at both ends that did not change. */
function trim(hunk: Hunk, old: readonly string[], now: readonly string[]): Hunk {
  let { oldFrom, oldTo, newFrom, newTo } = hunk;
  while (oldFrom < oldTo && newFrom < newTo && old[oldFrom] === now[newFrom])
    [oldFrom, newFrom] = [oldFrom + 1, newFrom + 1];
  while (oldTo > oldFrom && newTo > newFrom && old[oldTo - 1] === now[newTo - 1])
    [oldTo, newTo] = [oldTo - 1, newTo - 1];
  return { oldFrom, oldTo: Math.min(oldTo, old.length), newFrom, newTo: Math.min(newTo, now.length) };
}

/** Changes that touch the same line are one change. */
function merged(changes: readonly Hunk[]): readonly Hunk[] {
  const result: Hunk[] = [];
  for (const change of changes) {
    const previous = result.at(-1);
    if (previous === undefined || (change.oldFrom >= previous.oldTo && change.newFrom >= previous.newTo))
      result.push(change);
    else result[result.length - 1] = { ...previous, oldTo: change.oldTo, newTo: change.newTo };
  }
  return result;
}

/** Changes whose contexts touch share a header. */
function grouped(changes: readonly Hunk[]): readonly (readonly Hunk[])[] {
  const groups: Hunk[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    if (group === undefined || previous === undefined || change.oldFrom - previous.oldTo > 2 * CONTEXT)
      groups.push([change]);
    else group.push(change);
  }
  return groups;
}

function render(group: readonly Hunk[], old: readonly string[], now: readonly string[]): readonly string[] {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return [];
  const from = Math.max(0, first.oldFrom - CONTEXT);
  const to = Math.min(old.length, last.oldTo + CONTEXT);
  const newFrom = first.newFrom - (first.oldFrom - from);
  const newTo = last.newTo + (to - last.oldTo);
  const lines = [`@@ -${from + 1},${to - from} +${newFrom + 1},${newTo - newFrom} @@`];
  let position = from;
  for (const change of group) {
    for (const line of old.slice(position, change.oldFrom)) lines.push(` ${line}`);
    for (const line of old.slice(change.oldFrom, change.oldTo)) lines.push(`-${line}`);
    for (const line of now.slice(change.newFrom, change.newTo)) lines.push(`+${line}`);
    position = change.oldTo;
  }
  for (const line of old.slice(position, to)) lines.push(` ${line}`);
  return lines;
}

/** Without line endings; a final one does not start another line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
