/** What was typed, kept over sessions: a line of JSON each, in `history.jsonl` of the state directory, for its owner alone. */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface History {
  /** Oldest first. */
  readonly typed: () => readonly string[];
  /** A text that begins with a blank is not kept, as shells have it; nor is one twice in a row. */
  add(text: string): void;
}

/** More than that are forgotten. */
const MAX_TYPED = 1000;
const FILE = "history.jsonl";

/** @param home The state directory. Absent: nothing is kept longer than this chat. */
export function openHistory(home: string | undefined): History {
  const path = home === undefined ? undefined : join(home, FILE);
  let typed = path === undefined ? [] : read(path);
  return {
    typed: () => typed,
    add: (text) => {
      if (/^\s/.test(text) || text === "" || typed.at(-1) === text) return;
      typed = [...typed, text].slice(-MAX_TYPED);
      if (path !== undefined) append(path, text);
    },
  };
}

function read(path: string): readonly string[] {
  let lines: readonly string[];
  try {
    lines = readFileSync(path, "utf8").split("\n");
  } catch {
    return []; // there is none, or it cannot be read: the chat works without
  }
  const typed = lines.flatMap((line): readonly string[] => {
    try {
      const text: unknown = JSON.parse(line);
      return typeof text === "string" ? [text] : [];
    } catch {
      return []; // the end of the file, or half a line of a process that was killed
    }
  });
  if (typed.length > 2 * MAX_TYPED) shorten(path, typed.slice(-MAX_TYPED));
  return typed.slice(-MAX_TYPED);
}

/** In one write, so that two terminals never mix their lines. */
function append(path: string, text: string): void {
  try {
    appendFileSync(path, `${JSON.stringify(text)}\n`, { mode: 0o600 });
  } catch {
    // a disk that is full: it is known as long as this chat lasts
  }
}

function shorten(path: string, typed: readonly string[]): void {
  try {
    const next = `${path}.${process.pid}.new`;
    writeFileSync(next, typed.map((text) => `${JSON.stringify(text)}\n`).join(""), { mode: 0o600 });
    renameSync(next, path);
  } catch {
    // it stays long
  }
}
