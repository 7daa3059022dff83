/** MEMORY.md and HISTORY.md in the workspace: atomic, one change at a time, never parsed for state. */
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Memory } from "../contract/memory.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { cutEntry } from "../lib/source-mark.ts";
import { zonedClock } from "../lib/zoned-time.ts";
import { makeDirectory, readIfExists, replaceFile } from "../machine/files/files.ts";
import { sha256 } from "../machine/system/hash.ts";
import { assertOurs, memoryDirectory } from "./directory.ts";

export interface MemoryOptions {
  readonly workspace: string;
  /** Where earlier versions of MEMORY.md go: out of reach of every tool. */
  readonly versions: string;
  /** IANA name; entries are dated in it. */
  readonly timeZone: string;
  /** Removes secrets before anything is written. */
  readonly redact: (text: string) => string;
  /** Before a file of the memory is written: no command that runs beside it did that. Must not throw. */
  readonly beforeWrite?: (write: {
    /** Relative to the workspace. */
    readonly real: string;
    readonly data: Uint8Array;
    /** Directories that are made for it. */
    readonly made: readonly string[];
  }) => Promise<void>;
}

const MAX_ENTRY_CHARS = 16_000; // Raw entries; the caller cuts the others
const KEPT_VERSIONS = 20;
const FILE_MODE = 0o644; // the person's own files, like the rest of the workspace

export function openMemory({ workspace, versions, timeZone, redact, beforeWrite }: MemoryOptions): Memory {
  const directory = memoryDirectory(workspace);
  const facts = join(directory, "MEMORY.md");
  const history = join(directory, "HISTORY.md");
  let tail: Promise<unknown> = Promise.resolve();
  /** One change at a time, so that a rewrite and fifty `remember`s lose nothing to each other. */
  const alone = <T>(change: () => T | Promise<T>): Promise<T> => {
    const run = tail.then(change);
    tail = run.catch(() => {}); // the caller has the failure
    return run;
  };
  /** A link is not followed: one that was planted would copy what no tool may read into the prompt. */
  const read = (path: string): string => {
    assertOurs(directory);
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return "";
    return readIfExists(path)?.toString("utf8") ?? "";
  };
  const write = async (path: string, text: string): Promise<void> => {
    assertOurs(directory);
    const made = existsSync(directory) ? [] : [relative(workspace, directory)];
    await beforeWrite?.({ real: relative(workspace, path), data: Buffer.from(text), made });
    assertOurs(directory);
    mkdirSync(directory, { recursive: true });
    replaceFile(path, text, FILE_MODE);
  };

  return {
    facts: () => alone(() => read(facts)),
    rewrite: (text, expected) =>
      alone(async () => {
        const now = read(facts);
        const next = redact(ended(text));
        if (now === next) return; // nothing new, or done before a crash
        if (sha256(now) !== expected) {
          throw new RuntimeError("memory.conflict", "MEMORY.md was changed meanwhile. Read it again.");
        }
        keepVersion(versions, now);
        await write(facts, next);
      }),
    log: (entry, at, own = timeZone) =>
      alone(async () => {
        const { year, month, day, hour, minute } = zonedClock(own)(at);
        const pad = (value: number): string => String(value).padStart(2, "0");
        const stamp = `[${year}-${pad(month)}-${pad(day)} ${pad(hour)}:${pad(minute)}]`;
        // A blank line ends an entry, so none is inside of one.
        const text = cutEntry(redact(entry.trim().replaceAll(/\n\s*\n/g, "\n")), MAX_ENTRY_CHARS);
        const dated = /^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\]/.test(text) ? text : `${stamp} ${text}`;
        const now = read(history);
        // The same entry was written before a crash, perhaps with others of other conversations after it.
        if (`\n\n${now.trimEnd()}\n\n`.includes(`\n\n${dated}\n\n`)) return;
        await write(history, now === "" ? `${dated}\n` : `${now.trimEnd()}\n\n${dated}\n`);
      }),
    remember: (text, replaces) =>
      alone(async () => {
        const line = redact(text.replaceAll(/\s+/g, " ").trim());
        const now = read(facts);
        const lines = now === "" ? [] : now.replace(/\n$/, "").split("\n");
        const bare = (each: string): string => each.replace(/^\s*[-*]\s+/, "").trim();
        if (replaces !== undefined) {
          const at = lines.flatMap((each, index) =>
            each === replaces || bare(each) === bare(replaces) ? [index] : [],
          );
          if (at.length === 0) return lines.some((each) => bare(each) === line) ? "known" : "missing";
          if (at.length > 1) return "several";
          lines[at[0] ?? 0] = `- ${line}`;
        } else {
          if (lines.some((each) => bare(each) === line)) return "known";
          lines.push(`- ${line}`);
        }
        keepVersion(versions, now);
        await write(facts, `${lines.join("\n")}\n`);
        return "remembered";
      }),
    hash: sha256,
  };
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The last versions, named by content: a person can go back. */
function keepVersion(directory: string, text: string): void {
  if (text === "") return;
  makeDirectory(directory);
  const index = Number(readIfExists(join(directory, "next"))?.toString("utf8") ?? "0") || 0;
  replaceFile(join(directory, `MEMORY.${index % KEPT_VERSIONS}.md`), text);
  replaceFile(join(directory, "next"), String(index + 1));
}
