// list_dir: what a directory holds, one name a line.
import type { Tool } from "../../contract/tool.ts";
import { show } from "../../machine/files/refusal.ts";
import type { Entry, SafeFiles } from "../../machine/files/safe-files.ts";
import { defineTool } from "../../tools/define.ts";
import { objectSchema } from "../../tools/schema.ts";
import { orRefused } from "./refused.ts";
import type { Marks } from "./marks.ts";

const MAX_ENTRIES = 200;
/** Entries held in memory at once: a directory may have millions. */
const HELD = 10_000;

interface Input {
  readonly path: string;
}

export function listDirTool(files: SafeFiles, { ofNames }: Pick<Marks, "ofNames">): Tool {
  return defineTool<Input>({
    name: "list_dir",
    description: "List a directory; directories end with /.",
    input: objectSchema<Input>({ properties: { path: { type: "string" } }, required: ["path"] }),
    effect: "read",
    bounded: true,
    execute: ({ path }, { signal }) =>
      orRefused(async () => {
        const { first, total } = await firstEntries(files.list(path), signal);
        if (total === 0) return "(empty directory)";
        const lines = first.map(describe);
        if (total > lines.length) lines.push(`[${lines.length} of ${total} entries. Narrow with search_files.]`);
        const mark = await ofNames(await shownAs(path, files), first, signal);
        return mark(lines.join("\n"));
      }),
  });
}

async function shownAs(path: string, files: SafeFiles): Promise<string> {
  const directory = await files.directory(path);
  directory.close();
  return directory.shown;
}

async function firstEntries(
  entries: AsyncIterable<Entry>,
  signal: AbortSignal,
): Promise<{ readonly first: readonly Entry[]; readonly total: number }> {
  let held: Entry[] = [];
  let total = 0;
  for await (const entry of entries) {
    signal.throwIfAborted();
    total += 1;
    held.push(entry);
    if (held.length >= HELD) held = held.toSorted(byName).slice(0, MAX_ENTRIES);
  }
  return { first: held.toSorted(byName).slice(0, MAX_ENTRIES), total };
}

/** By code unit: the same order on every machine. */
function byName(left: Entry, right: Entry): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}

function describe(entry: Entry): string {
  const name = show(entry.name);
  if (entry.kind === "directory") return `${name}/`;
  return entry.kind === "link" ? `${name} -> ${show(entry.target ?? "?")}` : name;
}
