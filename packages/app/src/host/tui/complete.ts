/** `/` completes commands, `@` completes files of the workspace. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import type { ChatTexts } from "./texts.ts";
import type { PiTui } from "./layout/kit.ts";
import { safeLine } from "./safe.ts";

/** Commands of the agent, then those of this chat. */
export const COMMANDS = [
  "help",
  "new",
  "stop",
  "status",
  "whoami",
  "link",
  "model",
  "persona",
  "skill",
  "skills",
  "memory",
  "history",
  "compact",
  "usage",
  "cron",
  "allow",
  "deny",
  "rules",
  "trust",
  "mcp",
  "quarantine",
  "resume",
  "restart",
  "sessions",
  "temporary",
  "undo",
  "fork",
  "tree",
  "export",
  "waits",
  "quit",
] as const;

const MAX_FILES = 5000;
const MAX_DEPTH = 8;
const MAX_SHOWN = 20;
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules", ".margay", "dist", ".venv", "__pycache__"]);

export function completion(workspace: string, texts: ChatTexts, pi: PiTui): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, line, column, { signal }): Promise<AutocompleteSuggestions | null> {
      const before = (lines[line] ?? "").slice(0, column);
      if (line === 0 && /^\/[a-z-]*$/.test(before)) return commands(before, texts, pi);
      const prefix = /(?:^|[\s(（，。：:,])(@[^\s@]*)$/u.exec(before)?.[1];
      if (prefix === undefined) return null;
      const files = await listFiles(workspace, signal);
      const found =
        prefix === "@"
          ? files.slice(0, MAX_SHOWN)
          : pi.fuzzyFilter([...files], prefix.slice(1), (path) => path).slice(0, MAX_SHOWN);
      return found.length === 0
        ? null
        : { prefix, items: found.map((path): AutocompleteItem => ({ value: quoted(path), label: safeLine(path) })) };
    },
    applyCompletion(lines, line, column, item, prefix) {
      const text = lines[line] ?? "";
      const value = `${prefix.startsWith("/") ? "/" : "@"}${item.value} `;
      const start = column - prefix.length;
      const changed = [...lines];
      changed[line] = text.slice(0, start) + value + text.slice(column);
      return { lines: changed, cursorLine: line, cursorCol: start + value.length };
    },
  };
}

function commands(before: string, texts: ChatTexts, pi: PiTui): AutocompleteSuggestions | null {
  const found = pi.fuzzyFilter([...COMMANDS], before.slice(1), (name) => name);
  if (found.length === 0) return null;
  return {
    prefix: before,
    items: found.map((name) => ({ value: name, label: `/${name}`, description: texts(`command.${name}`) })),
  };
}

/** Paths relative to the workspace, nearest first, bounded; what tools keep for themselves (`SKIPPED`) is left out. */
async function listFiles(workspace: string, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  let folders = [""];
  for (let depth = 0; depth < MAX_DEPTH && folders.length > 0; depth += 1) {
    const below: string[] = [];
    for (const folder of folders) {
      if (signal.aborted) return found;
      // A folder that cannot be read has nothing to offer.
      const entries = await readdir(join(workspace, folder), { withFileTypes: true }).catch(() => []);
      for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!SKIPPED.has(entry.name)) below.push(path);
        } else found.push(path);
        if (found.length >= MAX_FILES) return found;
      }
    }
    folders = below;
  }
  return found;
}

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
