// The deny and allow lists of exec: a tripwire that words the question, never the boundary.
import { splitCommand } from "./segments.ts";

/** What such a command does, as a person who is asked reads it; `own-list`: only the operator knows. */
export type Danger =
  | "deletes-folders"
  | "formats-disk"
  | "writes-disk"
  | "opens-rights"
  | "stops-machine"
  | "fork-bomb"
  | "own-list";

/** The seven promised patterns as written, then ours. `i`: the seeds compared in lower case. */
const DENIED: readonly (readonly [RegExp, Danger])[] = [
  [/\brm\s+.*-[a-zA-Z]*r[a-zA-Z]*f/i, "deletes-folders"],
  [/\bmkfs\b/i, "formats-disk"],
  [/\bdd\b.*\bof=\//i, "writes-disk"],
  [/\bchmod\s+777\b/i, "opens-rights"],
  [/>\s*\/dev\/sd/i, "writes-disk"],
  [/\bshutdown\b/i, "stops-machine"],
  [/\breboot\b/i, "stops-machine"],
  [/\brm\b(?=[^;&|\n]*\s(?:-[a-zA-Z]*r|--recursive\b))(?=[^;&|\n]*\s(?:-[a-zA-Z]*f|--force\b))/i, "deletes-folders"],
  [/\bdel\s+\/f\b/i, "deletes-folders"],
  [/\brmdir\s+\/s\b/i, "deletes-folders"],
  [/\bdiskpart\b/i, "formats-disk"],
  [/\bpoweroff\b/i, "stops-machine"],
  [/\bhalt\b/i, "stops-machine"],
  [/\binit\s+[06]\b/i, "stops-machine"],
  [/(?<![\w:.])([\w:.]{1,64})\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&/i, "fork-bomb"], // under any name
];

/** Some patterns take quadratic time: longer commands are looked at in overlapping windows. */
const WINDOW_CHARS = 1_024;
const WINDOW_STEP = 768;

export interface ExecLists {
  readonly deny: readonly RegExp[];
  readonly allow: readonly RegExp[];
}

export type ExecVerdict =
  /** On no list, and there is no allow list. */
  | { readonly verdict: "ok"; readonly segments: readonly string[] }
  /** Every segment fully matches an allow pattern. */
  | { readonly verdict: "allowed"; readonly segments: readonly string[] }
  /** `configured`: the operator's own pattern, which nothing lifts. */
  | {
      readonly verdict: "deny-listed";
      readonly pattern: string;
      readonly configured: boolean;
      readonly danger: Danger;
      readonly segments: readonly string[];
    }
  /** There is an allow list, and `segment` is not on it; "" when the command could not be split with certainty. */
  | { readonly verdict: "not-allowed"; readonly segment: string; readonly segments: readonly string[] };

/**
 * Compiles `tools.exec.denyPatterns` and `.allowPatterns`.
 * @throws SyntaxError when a pattern is not a regular expression.
 */
export function compileLists(denyPatterns: readonly string[], allowPatterns: readonly string[]): ExecLists {
  return {
    deny: denyPatterns.map((pattern) => new RegExp(pattern, "i")),
    allow: allowPatterns.map((pattern) => new RegExp(`^(?:${pattern})$`)),
  };
}

/** Pure: what the lists say about a command. */
export function classifyCommand(command: string, lists: ExecLists): ExecVerdict {
  const { texts: segments, certain } = splitCommand(command);
  // A comment ends at its line whatever precedes the break, so both readings are looked at.
  const readings = [...new Set([command, command.replaceAll(/\\\r?\n/g, "")])];
  const configured = lists.deny.find((pattern) => readings.some((text) => pattern.test(text)));
  if (configured !== undefined)
    return { verdict: "deny-listed", pattern: configured.source, configured: true, danger: "own-list", segments };
  if (lists.allow.length > 0) {
    const stranger = segments.find((segment) => !lists.allow.some((pattern) => pattern.test(segment)));
    if (certain && segments.length > 0 && stranger === undefined) return { verdict: "allowed", segments };
    const denied = deniedBy(readings);
    if (denied !== undefined) return { verdict: "deny-listed", ...denied, configured: false, segments };
    return { verdict: "not-allowed", segment: stranger ?? "", segments };
  }
  const denied = deniedBy(readings);
  return denied === undefined
    ? { verdict: "ok", segments }
    : { verdict: "deny-listed", ...denied, configured: false, segments };
}

/** What a model is told of a command that is not on the allow list. */
export function notAllowedText(segment: string): string {
  const what = segment === "" ? "the command cannot be split into its parts" : `"${segment}" is not on the allow list`;
  return `Error: exec refused: ${what}. Next: use an allowed command or ask the operator.`;
}

/**
 * Whether some command's name is computed while it runs (`$cmd`, `eval`, `source`), so that reading it tells nothing.
 * Advice for the wording of a question.
 */
export function hasDynamicHead(segments: readonly string[]): boolean {
  return segments.some((segment) => /^(?:\w+=\S*\s+)*(?:\S*[$`]|(?:eval|source|\.)\s)/.test(segment));
}

function deniedBy(readings: readonly string[]): { readonly pattern: string; readonly danger: Danger } | undefined {
  for (const text of readings) {
    for (const window of windows(text)) {
      const found = DENIED.find(([candidate]) => candidate.test(window));
      if (found !== undefined) return { pattern: found[0].source, danger: found[1] };
    }
  }
  return undefined;
}

function* windows(text: string): Generator<string> {
  for (let at = 0; at === 0 || at + (WINDOW_CHARS - WINDOW_STEP) < text.length; at += WINDOW_STEP) {
    yield text.slice(at, at + WINDOW_CHARS);
  }
}
