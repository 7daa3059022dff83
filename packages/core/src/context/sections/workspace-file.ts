// Files a person writes to shape the agent: AGENTS.md, SOUL.md, USER.md, TOOLS.md and memory/MEMORY.md.
import type { Section } from "../../contract/services.ts";
import { withoutSourced } from "../../lib/source-mark.ts";
import { cutAt } from "../../lib/text.ts";
import type { SectionOptions } from "./section-options.ts";
import { isTemplate } from "./templates.ts";

/** Bound on one file in the prompt; the size at which Codex cuts AGENTS.md (32 KiB). */
const MAX_FILE_CHARS = 32_768;
export const MEMORY_PATH = "memory/MEMORY.md";
const DEFAULT_MEMORY = { inject: true, maxChars: 8_000 };

/** A file whose text is part of the prefix, and whose changes are announced by a notice. */
export interface WatchedFile {
  readonly path: string;
  readonly notice: "files" | "memory";
  /** What the prompt holds for it now; undefined when it is missing, blank or the shipped template. */
  current(signal: AbortSignal): Promise<ShownFile | undefined>;
}
export interface ShownFile {
  readonly text: string;
  readonly section: string;
}

/** The watched files in prompt order. Empty without `readFile`. */
export function watchedFiles(options: Pick<SectionOptions, "readFile" | "memory" | "tools">): readonly WatchedFile[] {
  const { readFile } = options;
  if (readFile === undefined) return [];
  const memory = options.memory ?? DEFAULT_MEMORY;
  const watched = (
    path: string,
    notice: WatchedFile["notice"],
    show: (text: string | undefined) => ShownFile | undefined,
  ): WatchedFile => ({ path, notice, current: (signal) => readFile(path, signal).then(show) });
  const file = (path: string): WatchedFile =>
    watched(path, "files", (read) => {
      const text = meaningful(path, read);
      const how = `Use read_file on ${path} for the rest.`;
      return text === undefined ? undefined : { text, section: fileSection(path, bounded(text, MAX_FILE_CHARS, how)) };
    });
  const facts = watched(MEMORY_PATH, "memory", (read) => {
    const all = meaningful(MEMORY_PATH, read);
    // What strangers wrote is no part of the prompt: it would steer every conversation from here on.
    const { text: own, left } = withoutSourced(all ?? "");
    const text = left === 0 ? all : `${own}\n[${left} more from outside content: recall quotes them]`.trimStart();
    const how = options.tools().some((tool) => tool.name === "recall")
      ? "Use recall for the rest."
      : `Use read_file on ${MEMORY_PATH} for the rest.`;
    return text === undefined
      ? undefined
      : { text, section: fileSection(MEMORY_PATH, bounded(text, memory.maxChars, how)) };
  });
  return [...["AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md"].map(file), ...(memory.inject ? [facts] : [])];
}

/** The file as a section of the prompt. Subagents get only their task, so the files are left out for them. */
export function workspaceFileSection(file: WatchedFile): Section {
  return {
    id: file.path,
    render: async (state, signal) => (state.parent === undefined ? (await file.current(signal))?.section : undefined),
  };
}

/** How the prefix shows a file; `notices` looks for exactly this text. */
export function openingTag(path: string): string {
  return `<file path="${path}">\n`;
}

function fileSection(path: string, text: string): string {
  return `${openingTag(path)}${text}\n</file>`;
}

function meaningful(path: string, text: string | undefined): string | undefined {
  const trimmed = text?.replaceAll("\r\n", "\n").trim() ?? "";
  return trimmed === "" || isTemplate(path, trimmed) ? undefined : trimmed;
}

function bounded(text: string, maxChars: number, how: string): string {
  if (text.length <= maxChars) return text;
  return `${cutAt(text, maxChars)}\n[cut at ${maxChars} of ${text.length} characters. ${how}]`;
}
