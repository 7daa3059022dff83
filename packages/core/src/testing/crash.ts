// Runs the real program and kills it with SIGKILL at a chosen journal commit: what durability is tested with.

import { spawn } from "node:child_process";

export interface CrashPoint {
  /** Which line this process appends to a journal, from 1. */
  readonly commit: number;
  /** `before`: nothing of it is written. `torn`: half of the line is. `after`: it is in the file, but nobody was told. */
  readonly when: "before" | "torn" | "after";
  /** Counts only journals whose path contains this. */
  readonly file?: string;
}
export interface CrashRun {
  /** Node by default. Another program must accept `--import` like Node does. */
  readonly command?: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written to standard input, which is then closed. */
  readonly input?: string;
  /** Absent: the program runs to its end. */
  readonly at?: CrashPoint;
  /** The program is killed, and the run rejected, after this time. Default 100,000. */
  readonly timeoutMs?: number;
}
export interface CrashOutcome {
  readonly code: number | null;
  /** `SIGKILL` when the crash point was reached. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Resolves when the process is gone. A run with fewer commits than asked for ends by itself: raise the number from 1
 * until that happens, and every crash point was tried.
 * @throws Error when it takes longer than `timeoutMs`.
 */
export function runUntilCrash(run: CrashRun): Promise<CrashOutcome> {
  const hook = new URL(import.meta.url.endsWith(".ts") ? "./crash-hook.ts" : "./crash-hook.js", import.meta.url);
  const { at, timeoutMs = 100_000 } = run;
  const child = spawn(
    run.command ?? process.execPath,
    [...(at === undefined ? [] : ["--import", hook.href]), ...run.args],
    {
      ...(run.cwd !== undefined && { cwd: run.cwd }),
      env: {
        ...process.env,
        ...run.env,
        ...(at !== undefined && { MARGAY_CRASH_AT: `${at.when}:${at.commit}`, MARGAY_CRASH_FILE: at.file ?? "" }),
      },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  child.stdout.on("data", (part: Uint8Array) => stdout.push(part));
  child.stderr.on("data", (part: Uint8Array) => stderr.push(part));
  child.stdin.on("error", () => {}); // the program may be gone before it reads its input
  child.stdin.end(run.input ?? "");
  return new Promise((resolve, reject) => {
    const text = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString("utf8");
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`The program still ran after ${timeoutMs} ms. It wrote: ${text(stdout)}${text(stderr)}`));
    }, timeoutMs);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout: text(stdout), stderr: text(stderr) });
    });
  });
}
