// Finds any edit, deletion, swap or truncation of the audit log, and says where.
import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";
import { check, START, type Flaw, type Head } from "./chain.ts";
import {
  CHECKPOINT_FILE,
  cryptography,
  HEAD_FILE,
  isEmptyLog,
  KEY_FILE,
  logFiles,
  readKey,
  readSigned,
  readText,
} from "./log-files.ts";

export interface AuditReport {
  readonly ok: boolean;
  /** Lines that are proven intact. */
  readonly entries: number;
  readonly head: Head;
  readonly broken?: {
    readonly file: string;
    /** From 1. */
    readonly line: number;
    readonly n: number;
    readonly reason: Flaw | "truncated";
    /** What is not there any more. */
    readonly gone?: string;
    /** `what happened. what to do.` */
    readonly message: string;
  };
}

export interface VerifyOptions {
  /** Instead of the key file. */
  readonly key?: Uint8Array;
  /** A head that was noted elsewhere. */
  readonly known?: Head;
  /** Whether something was done that must be in the log. */
  readonly expected?: () => boolean;
}

/**
 * A log and its anchor that were put back together to an earlier state are whole: only a head that was noted elsewhere
 * tells (`known`). Whoever holds the key can write any log.
 */
export async function verifyAudit(
  directory: string,
  { key, known, expected }: VerifyOptions = {},
): Promise<AuditReport> {
  if (await isEmptyLog(directory))
    return known === undefined && expected?.() !== true ? intact(START) : gone(START, `${basename(directory)}/`);
  const files = await logFiles(directory);
  const secret = key ?? (await readKey(directory));
  const crypto = cryptography(secret ?? randomBytes(32)); // without one nothing is signed with it
  // Read before the lines: a running process may add lines meanwhile, never take any away.
  const anchor = await readSigned(join(directory, HEAD_FILE), crypto);
  const checkpoint = await readSigned(join(directory, CHECKPOINT_FILE), crypto);
  const pins = [known, anchor, checkpoint].filter((pin) => pin !== undefined && pin !== "broken");

  let head = START;
  /** Lines at the beginning from before there was a key. */
  let unsigned = 0;
  let last: { readonly file: string; readonly line: number } = { file: files.at(-1) ?? HEAD_FILE, line: 1 };
  for (const file of files) {
    const lines = ((await readText(join(directory, file))) ?? "").split("\n");
    const rest = lines.pop() ?? "";
    for (const [index, line] of lines.entries()) {
      const result = check(line, head, crypto);
      if ("flaw" in result && secret !== undefined)
        return flawed(result.flaw, head, file, index + 1, lines.slice(index + 1));
      if ("flaw" in result || (!result.signed && unsigned < head.n))
        return secret === undefined ? gone(head, KEY_FILE) : broken(head, file, index + 1, "key", UNSIGNED);
      if (!result.signed) unsigned += 1;
      const next = result.head;
      if (pins.some(({ n, hash }) => n === next.n && hash !== next.hash))
        return broken(head, file, index + 1, "edited", "Another line stood here when the head was noted");
      head = next;
    }
    last = { file, line: lines.length + 1 };
    // A line without its newline is a crash or an append going on, unless a head has seen it whole.
    if (rest !== "" && (file !== files.at(-1) || pins.some(({ n }) => n > head.n)))
      return broken(head, file, last.line, "edited", "A line lost its end");
  }
  if (unsigned > 0) return withoutKey(head, unsigned, files);
  if (secret === undefined) return gone(head, KEY_FILE);
  if (anchor === "broken") return broken(head, HEAD_FILE, 1, "key", "The anchored head was changed");
  const newest = Math.max(0, ...pins.map(({ n }) => n));
  if (files.length === 0 && (newest > 0 || anchor === undefined)) return gone(head, LOG_FILES);
  if (anchor === undefined) return gone(head, HEAD_FILE);
  if (newest > head.n)
    return broken(head, last.file, last.line, "truncated", `${newest - head.n} line(s) at the end are gone`);
  return intact(head);
}

const LOG_FILES = "YYYY-MM-DD.jsonl";
const UNSIGNED = "The line carries no signature";

/** Their hashes fit, and that is all that can be said: whoever changed them could have made new ones. */
function withoutKey(head: Head, count: number, files: readonly string[]): AuditReport {
  const message = `Lines 1 to ${count} are from before there was a key: their hashes fit, but nothing shows who wrote them. Compare with a backup.`;
  return { ok: false, entries: head.n, head, broken: { file: files[0] ?? "", line: 1, n: 1, reason: "key", message } };
}

function flawed(flaw: Flaw, head: Head, file: string, line: number, later: readonly string[]): AuditReport {
  const reason = flaw === "missing" && later.some((text) => text.includes(`"n":${head.n + 1},`)) ? "reordered" : flaw;
  const what = {
    edited: "The line was changed",
    missing: `Line number ${head.n + 1} is gone`,
    reordered: "Lines are not in the order they were written",
    key: "The line was written without the key",
  }[reason];
  return broken(head, file, line, reason, what);
}

/** Whatever vouches for it is there. */
function gone(head: Head, name: string): AuditReport {
  const reason = name === KEY_FILE ? "key" : "truncated";
  const message = `${name} of the audit log is gone. Compare with a backup.`;
  return {
    ok: false,
    entries: head.n,
    head,
    broken: { file: name, line: 1, n: head.n + 1, reason, gone: name, message },
  };
}

function intact(head: Head): AuditReport {
  return { ok: true, entries: head.n, head };
}

function broken(head: Head, file: string, line: number, reason: Flaw | "truncated", what: string): AuditReport {
  const message = `${what} (${file}, line ${line}). Compare with a backup; entries before it are intact.`;
  return { ok: false, entries: head.n, head, broken: { file, line, n: head.n + 1, reason, message } };
}
