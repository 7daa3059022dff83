// One set-up of this checkout at a time, and none that outlives whoever asked for it. Node 20, built-ins only.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { root, say, toolEnvironment } from "./toolchain.mjs";

const lock = join(root, ".cache", "setup.lock");
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** A process group that ignores a signal is killed after this time. */
const PATIENCE_MS = 5000;
const LOOK_MS = 100;
/** Of what a program printed: npm's reason is in its last lines. */
const KEPT_CHARS = 20_000;

/**
 * Does `work` while no other process sets this checkout up. Waits for one that does; what a killed one left running is
 * ended first, so that two of them never write the same files.
 */
export async function alone(work) {
  const held = await take();
  try {
    return await work();
  } finally {
    if (held) rmSync(lock, { force: true });
  }
}

/**
 * Runs a program with all its children as one process group, which ends with us. Only inside of `alone`.
 * @returns exit code, the signal that ended us or it, and the end of what it printed; stdout goes to our stderr.
 */
export function runGroup(command, args, { env = toolEnvironment(), cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    let output = "";
    let ended;
    const end = (signal) => {
      ended = signal;
      signalGroup(child.pid, "SIGTERM"); // what runs in the background of a shell ignores Ctrl-C
      setTimeout(() => signalGroup(child.pid, "SIGKILL"), PATIENCE_MS).unref();
    };
    // Before there is a child: on a busy machine it is at work before the next line here is.
    for (const signal of SIGNALS) process.on(signal, end);
    // A group of its own: a signal to this process alone must not leave npm's children behind.
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        process.stderr.write(text);
        output = (output + text).slice(-KEPT_CHARS);
      });
    const stop = () => {
      for (const signal of SIGNALS) process.off(signal, end);
      if (ended !== undefined) signalGroup(child.pid, "SIGKILL"); // who kept no pipe to us
    };
    child.on("error", stop).on("error", reject);
    child
      .on("close", stop)
      .on("close", (code, signal) => resolve({ code, signal: ended ?? signal ?? undefined, output }));
    if (child.pid !== undefined) note({ ...us(), group: child.pid, leader: bornAt(child.pid) });
  });
}

/** @returns false where nobody may write: then nothing will be set up either, and whoever tries says why. */
async function take() {
  for (let said = false; ;) {
    try {
      mkdirSync(join(root, ".cache"), { recursive: true });
      writeFileSync(lock, JSON.stringify(us()), { flag: "wx" });
      return true;
    } catch (error) {
      if (error.code !== "EEXIST") return false;
    }
    const { starter, born } = look(lock);
    if (starter !== undefined && bornAt(starter) === born) {
      if (!said) say("Another start is setting this checkout up; waiting for it …");
      said = true;
      await delay(LOOK_MS);
    } else await clear();
  }
}

/** Ends what the holder left behind. Of several that see the same lock one moves it away. */
async function clear() {
  const moved = `${lock}.${process.pid}`;
  try {
    renameSync(lock, moved);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  const { group, leader } = look(moved);
  // A leader that is another process now: the number was given anew, and the group is not ours.
  const now = group === undefined ? undefined : bornAt(group);
  if (group !== undefined && (now === undefined || now === leader)) {
    if (signalGroup(group, "SIGKILL")) say("An earlier start was interrupted; its leftovers were ended.");
    while (signalGroup(group, 0)) await delay(LOOK_MS);
  }
  rmSync(moved, { force: true });
}

function us() {
  return { starter: process.pid, born: bornAt(process.pid) };
}

function note(content) {
  try {
    writeFileSync(`${lock}.new`, JSON.stringify(content));
    renameSync(`${lock}.new`, lock);
  } catch {
    // Nobody may write here: see `take`.
  }
}

function look(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {}; // gone, or killed while it was written: it had started nothing yet
  }
}

/** @returns whether somebody was there. */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

/** When a process began, to tell it from a later one of the same number; undefined when there is none. */
function bornAt(pid) {
  try {
    const [, rest = ""] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const [state, ...fields] = rest.split(" ");
    return state === "Z" ? undefined : fields[18]; // starttime, field 22 of proc_pid_stat(5)
  } catch {
    if (process.platform === "linux") return undefined;
    const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
    return stdout?.trim() || undefined;
  }
}
