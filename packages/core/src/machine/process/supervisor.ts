// Runs a command that outlives margay: output in files, exit status as a receipt beside them, found again after a crash.
import { never } from "../../lib/async/never.ts";
import type { ChildProcess, StdioOptions } from "node:child_process";
import fs from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import type { Clock, JsonObject, Millis } from "../../contract/base.ts";
import { systemClock } from "../system/clock.ts";
import { FILE_MODE, makeDirectory, readIfExists } from "../files/files.ts";
import { bootId, isAlive, killTagged, newProcessTag, sendSignal, startTimeField, startTimeOf } from "./process-tag.ts";
import { SUPERVISOR_SCRIPT } from "./supervisor-script.ts";

/** SIGTERM first, SIGKILL two seconds later. */
const KILL_GRACE_MS = 2_000;
/** What a finished command left running gets less time: nobody waits for its cleanup. */
const LEFTOVER_GRACE_MS = 300;
const GIVE_UP_MS = 10_000;
/** How often a command that is not our child is looked at: its end without a receipt raises no event. */
const ATTACHED_POLL_MS = 100;

export interface CommandSpec {
  readonly argv: readonly [string, ...string[]];
  /** Opened directory (`/proc/self/fd/N`) or path. */
  readonly directory: string;
  /** The whole environment of the command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Wall clock; kept by the supervisor itself when margay is dead. */
  readonly deadline: Millis;
  /** Stored with the intent for the caller's own use. */
  readonly notes: JsonObject;
}

export interface Intent {
  readonly tag: number;
  readonly boot: string;
  readonly startedAt: Millis;
  readonly deadline: Millis;
  readonly notes: JsonObject;
}

/** Why the command was killed by us; in the files, so that a later process knows it too. */
export type StopCause = "timeout" | "stopped";
/** `lost`: the supervisor died without a receipt (out of memory, power cut), so nobody knows the status. */
export type CommandEnd =
  | { readonly status: "exited"; readonly code: number; readonly cause?: StopCause }
  | { readonly status: "lost"; readonly cause?: StopCause };

export interface RunningCommand {
  readonly intent: Intent;
  /** The supervisor, an ancestor of all that runs; 0 when it never started. */
  readonly pid: number;
  /** Resolves when the command itself ended; what it left behind may still run: see `sweep`. */
  readonly ended: Promise<CommandEnd>;
  /** Ends it and everything it started. The first cause wins. `lost`: something could not be killed within 10 s. */
  stop(cause: StopCause): Promise<CommandEnd>;
  /** Ends what the finished command left running, by any route. */
  sweep(): Promise<void>;
}

/** The names of a call's output files inside its directory. */
export const OUTPUT_FILES = ["stdout", "stderr"] as const;

/**
 * Writes the intent, then starts the command.
 * @param directory The call's own; must not exist: a second start of one call is refused.
 * @throws Error `EEXIST` when the call was started before; the system's error when the process cannot be created.
 */
export async function startCommand(directory: string, spec: CommandSpec, clock: Clock): Promise<RunningCommand> {
  makeDirectory(join(directory, ".."));
  fs.mkdirSync(directory, { mode: 0o700 });
  const intent: Intent = {
    tag: newProcessTag(),
    boot: bootId(),
    startedAt: clock.now(),
    deadline: spec.deadline,
    notes: spec.notes,
  };
  // Before the intent: where there is an intent there are outputs to read.
  const outputs = OUTPUT_FILES.map((name) => fs.openSync(join(directory, name), "a", FILE_MODE));
  const seconds = String(Math.ceil(spec.deadline / 1000));
  const argv = ["-c", SUPERVISOR_SCRIPT, "margay-exec", directory, String(intent.tag), seconds, ...spec.argv];
  // Not imported: it takes 3 ms that a start without a command need not spend.
  const { spawn } = process.getBuiltinModule("node:child_process");
  let child: ChildProcess;
  let begun: Promise<void>;
  try {
    fs.writeFileSync(join(directory, "intent.json"), `${JSON.stringify(intent)}\n`, { mode: FILE_MODE });
    const stdio: StdioOptions = ["ignore", outputs[0], outputs[1], "pipe"];
    child = spawn("/bin/sh", argv, { cwd: spec.directory, env: { ...spec.environment }, detached: true, stdio });
    begun = spawned(child);
  } finally {
    for (const fd of outputs) fs.closeSync(fd);
  }
  await begun;
  const lifeline = child.stdio[3];
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once("exit", (code, signal) => {
      lifeline?.destroy();
      resolve({
        status: "exited",
        code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        ...causeOf(directory),
      });
    });
  });
  // A lifeline that breaks is the supervisor's business; its end is reported by `exit`.
  lifeline?.on("error", () => undefined);
  return running(directory, intent, child.pid ?? 0, ended, true);
}

/** To be called first of all: a child for which there was no descriptor has no streams, and its error is heard here alone. */
function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
}

/**
 * A command that an earlier process started: still running, ended with a receipt, or lost. Settles the question: what did
 * not start by now never will.
 * @param sameBoot Nothing that was written is gone: the machine runs since before that process did.
 * @returns `unstarted` when it provably never ran: its place is free for another start. Undefined when nobody knows.
 */
export function recoverCommand(directory: string, sameBoot: boolean): RunningCommand | "unstarted" | undefined {
  const intent = readIntent(directory);
  // Written before the command is started, by the process that is dead.
  if (intent === undefined) return sameBoot ? setAside(directory) : undefined;
  // In this order: a supervisor that was slow to start writes `pid` first and then looks for `stop`.
  mark(directory, "stop");
  const supervisor = readSupervisor(directory, intent.tag);
  const isSameBoot = intent.boot === bootId();
  if (isSameBoot && (supervisor === undefined || fs.existsSync(join(directory, `unstarted.${intent.tag}`))))
    return setAside(directory);
  const ended = waitForStranger(directory, isSameBoot ? supervisor : undefined);
  return running(directory, intent, supervisor?.pid ?? 0, ended, false);
}

/** In one step, so that a supervisor that is slow to start finds `stop`, nothing, or the intent of another. */
function setAside(directory: string): "unstarted" {
  if (fs.existsSync(directory)) fs.renameSync(directory, `${directory}.${newProcessTag()}`);
  return "unstarted";
}

function running(
  directory: string,
  intent: Intent,
  pid: number,
  ended: Promise<CommandEnd>,
  isOurs: boolean,
): RunningCommand {
  const clock = systemClock();
  const startedAt = clock.monotonic();
  const isLinux = process.platform === "linux";
  return {
    intent,
    pid,
    ended,
    stop: async (cause) => {
      if (causeOf(directory).cause === undefined) mark(directory, cause);
      // A supervisor that has not come to the command yet must not start it any more.
      mark(directory, "stop");
      return await (isLinux ? killTree(directory, intent.tag, ended) : killGroup(directory, pid, ended));
    },
    sweep: async () => {
      const after = isOurs ? { pid, elapsedMs: clock.monotonic() - startedAt } : undefined;
      if (isLinux) await killTagged({ tag: intent.tag, ...(after !== undefined && { after }) }, LEFTOVER_GRACE_MS);
      else sendSignal(-pid, "SIGKILL");
    },
  };
}

async function killTree(directory: string, tag: number, ended: Promise<CommandEnd>): Promise<CommandEnd> {
  const clock = systemClock();
  const startedAt = clock.monotonic();
  let end: CommandEnd | undefined;
  void ended.then((value) => (end = value));
  // More than once: the supervisor may have been a moment before the command it was going to start.
  while (end === undefined && clock.monotonic() - startedAt < GIVE_UP_MS) {
    await killTagged({ tag }, KILL_GRACE_MS);
    await clock.sleep(1, never());
  }
  return end ?? endOf(directory, undefined);
}

/** Without /proc the process group is all there is; a new session escapes it. */
async function killGroup(directory: string, pid: number, ended: Promise<CommandEnd>): Promise<CommandEnd> {
  const clock = systemClock();
  sendSignal(-pid, "SIGTERM");
  const grace = new AbortController();
  await Promise.race([ended, clock.sleep(KILL_GRACE_MS, grace.signal).catch(() => undefined)]);
  grace.abort(new Error("ended"));
  sendSignal(-pid, "SIGKILL");
  return await Promise.race([ended, clock.sleep(GIVE_UP_MS, never()).then(() => endOf(directory, undefined))]);
}

async function waitForStranger(directory: string, supervisor: Supervisor | undefined): Promise<CommandEnd> {
  const clock = systemClock();
  for (;;) {
    const receipt = readReceipt(directory);
    if (receipt !== undefined) return endOf(directory, receipt);
    if (supervisor === undefined || !isSupervisor(supervisor)) return endOf(directory, readReceipt(directory));
    await clock.sleep(ATTACHED_POLL_MS, never());
  }
}

interface Supervisor {
  readonly pid: number;
  readonly startTime: string | undefined;
}

function readSupervisor(directory: string, tag: number): Supervisor | undefined {
  // An older margay named no tag, and what it started may still run after the update.
  const bytes = readIfExists(join(directory, `pid.${tag}`)) ?? readIfExists(join(directory, "pid"));
  const text = bytes?.toString("latin1");
  if (text === undefined || !text.endsWith("\n")) return undefined;
  const space = text.indexOf(" ");
  return { pid: Number(text.slice(0, space)), startTime: startTimeField(text.slice(space + 1)) };
}

/** Guards against a reused pid: the start time must be the one the supervisor wrote. */
function isSupervisor({ pid, startTime }: Supervisor): boolean {
  return pid > 1 && isAlive(pid) && startTimeOf(pid) === startTime;
}

function readIntent(directory: string): Intent | undefined {
  const text = readIfExists(join(directory, "intent.json"))?.toString("utf8");
  // Torn: the process died while writing it, before anything was started.
  if (text === undefined || !text.endsWith("\n")) return undefined;
  return JSON.parse(text) as Intent; // written by startCommand, in a directory no tool can reach
}

function readReceipt(directory: string): number | undefined {
  const text = readIfExists(join(directory, "receipt"))?.toString("latin1");
  return text !== undefined && /^\d+\n$/.test(text) ? Number(text) : undefined;
}

function endOf(directory: string, receipt: number | undefined): CommandEnd {
  const cause = causeOf(directory);
  return receipt === undefined ? { status: "lost", ...cause } : { status: "exited", code: receipt, ...cause };
}

function causeOf(directory: string): { readonly cause?: StopCause } {
  for (const cause of ["stopped", "timeout"] as const) {
    if (fs.existsSync(join(directory, cause))) return { cause };
  }
  return {};
}

function mark(directory: string, name: "stop" | StopCause): void {
  fs.writeFileSync(join(directory, name), "", { mode: FILE_MODE });
}
