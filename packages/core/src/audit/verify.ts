// Finds any edit, deletion, swap or truncation of the audit log, and says where.
import { never } from "../lib/async/never.ts";
import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";
import type { Millis } from "../contract/base.ts";
import { systemClock } from "../machine/system/clock.ts";
import { check, parseSealed, START, type Flaw, type Head } from "./chain.ts";
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
import type { Owed } from "./owed.ts";

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
    /** The conversation that went on after the last line. */
    readonly session?: string;
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
  /** What happened after this time, as others know it: the log must have it. */
  readonly owed?: (since: Millis) => Promise<Owed | undefined>;
}

/** A running process writes a line after the commit, behind its turn: how long that may take on a busy machine. */
const LOOKS = 8;
const LOOK_MS = 250;

/**
 * A log and its anchor that were put back together to an earlier state are whole: what happened since tells, for as long
 * as it is known elsewhere (`owed`), or a head that was noted elsewhere (`known`). Whoever holds the key can write any log.
 */
export async function verifyAudit(directory: string, options: VerifyOptions = {}): Promise<AuditReport> {
  let read = await readLog(directory, options);
  if (!read.report.ok) return read.report;
  const owed = await options.owed?.(read.newest);
  if (owed === undefined) return read.report;
  for (let looks = owed.pending ? LOOKS : 0; looks > 0; looks--) {
    await systemClock().sleep(LOOK_MS, never());
    read = await readLog(directory, options);
    if (!read.report.ok || read.newest >= owed.at) return read.report;
  }
  return behind(read, owed);
}

interface ReadLog {
  readonly report: AuditReport;
  /** The newest time of any line, not that of the last: the clock may have been set back meanwhile. */
  readonly newest: Millis;
  /** Where the next line would stand; undefined when there is none. */
  readonly end?: { readonly file: string; readonly line: number };
}

async function readLog(directory: string, options: VerifyOptions): Promise<ReadLog> {
  let newest = Number.NEGATIVE_INFINITY;
  let end: ReadLog["end"];
  const report = await checkChain(directory, options, (at, file, line) => {
    newest = Math.max(newest, at);
    end = { file, line: line + 1 };
  });
  return { report, newest, ...(end !== undefined && { end }) };
}

async function checkChain(
  directory: string,
  { key, known, expected }: VerifyOptions,
  fits: (at: Millis, file: string, line: number) => void,
): Promise<AuditReport> {
  if (await isEmptyLog(directory))
    return known === undefined && expected?.() !== true ? intact(START) : gone(START, `${basename(directory)}/`);
  const secret = key ?? (await readKey(directory));
  const crypto = cryptography(secret ?? randomBytes(32)); // without one nothing is signed with it
  // Read before the names and the lines: a running process may add lines meanwhile, never take any away.
  const anchor = await readSigned(join(directory, HEAD_FILE), crypto);
  const checkpoint = await readSigned(join(directory, CHECKPOINT_FILE), crypto);
  const pins = [known, anchor, checkpoint].filter((pin) => pin !== undefined && pin !== "broken");
  const files = await logFiles(directory);

  let head = START;
  /** Lines at the beginning from before there was a key. */
  let unsigned = 0;
  let last: { readonly file: string; readonly line: number } = { file: files.at(-1) ?? HEAD_FILE, line: 1 };
  for (const file of files) {
    const lines = ((await readText(join(directory, file))) ?? "").split("\n");
    const rest = lines.pop() ?? "";
    for (const [index, line] of lines.entries()) {
      const result = check(line, head, crypto);
      if ("flaw" in result && result.flaw === "missing" && index === 0 && secret !== undefined && !follows(line, head))
        return broken(head, file, 1, "truncated", `${lost(head, result.n)}: a day file, or the end of the one before`);
      if ("flaw" in result && secret !== undefined)
        return flawed(result.flaw, head, file, index + 1, lines.slice(index + 1));
      if ("flaw" in result || (!result.signed && unsigned < head.n))
        return secret === undefined ? gone(head, KEY_FILE) : broken(head, file, index + 1, "key", UNSIGNED);
      if (!result.signed) unsigned += 1;
      const next = result.head;
      if (pins.some(({ n, hash }) => n === next.n && hash !== next.hash))
        return broken(head, file, index + 1, "edited", "Another line stood here when the head was noted");
      head = next;
      fits(result.at, file, index + 1);
    }
    last = { file, line: lines.length + 1 };
    // A line without its newline is a crash or an append going on, unless a head has seen it whole.
    if (rest !== "" && (file !== files.at(-1) || pins.some(({ n }) => n > head.n)))
      return broken(head, file, last.line, "edited", "A line lost its end");
  }
  if (unsigned > 0) return withoutKey(head, unsigned, files);
  if (files.length === 0 && checkpoint !== undefined) return gone(head, LOG_FILES); // it is made of lines
  if (secret === undefined) return gone(head, KEY_FILE);
  if (anchor === "broken") return broken(head, HEAD_FILE, 1, "key", "The anchored head was changed");
  const newest = Math.max(0, ...pins.map(({ n }) => n));
  if (files.length === 0 && (newest > 0 || anchor === undefined)) return gone(head, LOG_FILES);
  if (anchor === undefined) return gone(head, HEAD_FILE);
  if (anchor.checkpoint === true && checkpoint === undefined) return gone(head, CHECKPOINT_FILE);
  if (newest > head.n)
    return broken(head, last.file, last.line, "truncated", `${newest - head.n} line(s) at the end are gone`);
  return intact(head);
}

const LOG_FILES = "YYYY-MM-DD.jsonl";
const UNSIGNED = "The line carries no signature";

/** Who goes on after damage leaves a number out and names the last line that there is; one of a whole day does not. */
function follows(line: string, head: Head): boolean {
  return parseSealed(line)?.prev === head.hash;
}

function lost(head: Head, next: number | undefined): string {
  return `Lines ${head.n + 1} to ${(next ?? 0) - 1} are gone`;
}

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

/** Nothing in it is wrong, and it ends too early. */
function behind({ report: { head }, end }: ReadLog, { session, at }: Owed): AuditReport {
  if (end === undefined) return gone(head, LOG_FILES);
  const what = `What happened in ${session} at ${new Date(at).toISOString()} is in its journal and not in the log, which ends before it`;
  const report = broken(head, end.file, end.line, "truncated", what);
  return { ...report, ...(report.broken !== undefined && { broken: { ...report.broken, session } }) };
}

function intact(head: Head): AuditReport {
  return { ok: true, entries: head.n, head };
}

function broken(head: Head, file: string, line: number, reason: Flaw | "truncated", what: string): AuditReport {
  const message = `${what} (${file}, line ${line}). Compare with a backup; entries before it are intact.`;
  return { ok: false, entries: head.n, head, broken: { file, line, n: head.n + 1, reason, message } };
}
