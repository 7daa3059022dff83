// list_dir: what a directory holds, one name a line.
import type { Tool } from "../../contract/tool.ts";
import { show } from "../../machine/files/refusal.ts";
import type { Entry, SafeFiles } from "../../machine/files/safe-files.ts";
import { defineTool } from "../../tools/define.ts";
import { objectSchema } from "../../tools/schema.ts";
import { orRefused } from "./refused.ts";
import { asUntrusted, type UntrustedTest } from "../../tools/untrusted.ts";

const MAX_ENTRIES = 200;
/** Entries held in memory at once: a directory may have millions. */
const HELD = 10_000;

interface Input {
  readonly path: string;
}

interface Names {
  /** Whether a stranger chose the name of an entry. */
  readonly isUntrusted: UntrustedTest;
  /** Whether a directory's names together are a stranger's text. */
  readonly hasLoudNames: (directory: string) => Promise<boolean>;
}

export function listDirTool(files: SafeFiles, { isUntrusted, hasLoudNames }: Names): Tool {
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
        const text = lines.join("\n");
        return (await hasUntrusted(path, first, { files, isUntrusted, hasLoudNames, signal }))
          ? asUntrusted(text)
          : text;
      }),
  });
}

async function hasUntrusted(
  path: string,
  entries: readonly Entry[],
  { files, isUntrusted, hasLoudNames, signal }: Names & { readonly files: SafeFiles; readonly signal: AbortSignal },
): Promise<boolean> {
  const directory = await files.directory(path);
  const { shown } = directory;
  directory.close();
  const prefix = shown === "" || shown === "." ? "" : shown.replace(/\/?$/, "/");
  if (await hasLoudNames(prefix.slice(0, -1))) return true;
  for (const { name } of entries) if (await isUntrusted(`${prefix}${name}`, signal)) return true;
  return false;
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
