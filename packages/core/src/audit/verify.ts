// Finds any edit, deletion, swap or truncation of the audit log, and says where.
import { join } from "node:path";
import { check, START, type Flaw, type Head } from "./chain.ts";
import { cryptography, HEAD_FILE, KEY_FILE, logFiles, readKey, readSigned, readText } from "./log-files.ts";

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
    /** `what happened. what to do.` */
    readonly message: string;
  };
}

/** @param key Instead of the key file. */
export async function verifyAudit(directory: string, key?: Uint8Array): Promise<AuditReport> {
  const files = await logFiles(directory);
  const secret = key ?? (await readKey(directory));
  if (secret === undefined)
    return files.length === 0 ? intact(START) : broken(START, KEY_FILE, 1, "key", "The key file is gone");
  const crypto = cryptography(secret);
  // Read before the lines: a running process may add lines meanwhile, never take any away.
  const anchor = await readSigned(join(directory, HEAD_FILE), crypto);
  if (anchor === "broken") return broken(START, HEAD_FILE, 1, "key", "The anchored head was changed");

  let head = START;
  let last: { readonly file: string; readonly line: number } = { file: files.at(-1) ?? HEAD_FILE, line: 1 };
  for (const file of files) {
    const lines = ((await readText(join(directory, file))) ?? "").split("\n");
    const rest = lines.pop() ?? "";
    for (const [index, line] of lines.entries()) {
      const result = check(line, head, crypto);
      if ("flaw" in result) return flawed(result.flaw, head, file, index + 1, lines.slice(index + 1));
      head = result.head;
    }
    last = { file, line: lines.length + 1 };
    // A line without its newline is a crash or an append going on, unless the anchor has seen it whole.
    if (rest !== "" && (file !== files.at(-1) || (anchor?.n ?? 0) > head.n))
      return broken(head, file, last.line, "edited", "A line lost its end");
  }
  if (anchor === undefined)
    return files.length === 0 && head.n === 0
      ? intact(head)
      : broken(head, HEAD_FILE, 1, "truncated", "The anchored head is gone");
  if (anchor.n > head.n)
    return broken(head, last.file, last.line, "truncated", `${anchor.n - head.n} line(s) at the end are gone`);
  return intact(head);
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

function intact(head: Head): AuditReport {
  return { ok: true, entries: head.n, head };
}

function broken(head: Head, file: string, line: number, reason: Flaw | "truncated", what: string): AuditReport {
  const message = `${what} (${file}, line ${line}). Compare with a backup; entries before it are intact.`;
  return { ok: false, entries: head.n, head, broken: { file, line, n: head.n + 1, reason, message } };
}
