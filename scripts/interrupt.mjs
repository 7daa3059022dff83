// npm run interrupt [-- N]: npm start on a fresh clone, killed N times (default 50) at random moments, alone and with all its
// children, and ended by TERM; then it must heal. Node 20, built-ins only. MARGAY_KILL_SEED=N repeats the moments.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { root, say } from "./lib/toolchain.mjs";

const kills = Number(process.argv[2] ?? 50);
const seed = Number(process.env.MARGAY_KILL_SEED ?? Math.floor(Math.random() * 1e9));
/** Healed as often in between as at the end. */
const HEAL_EVERY = 10;
const KINDS = ["npm alone", "start alone", "with its children", "TERM"];

const folder = mkdtempSync(join(tmpdir(), "margay-interrupt-"));
const checkout = join(folder, "margay");
const random = mulberry(seed);
const env = { ...process.env, MARGAY_HOME: join(folder, "home"), npm_config_update_notifier: "false" };
const failures = [];
try {
  run("git", ["clone", "-q", root, checkout]);
  const whole = await heal("the first time");
  for (let kill = 1; kill <= kills; kill++) {
    if (kill % 2 === 1) forget(`gone-${kill}`);
    await interrupt(KINDS[kill % KINDS.length], random() * whole);
    if (kill % HEAL_EVERY !== 0 && kill !== kills) continue;
    await heal(`after ${kill} kills`);
    clearAway();
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
for (const line of failures) say(line);
process.stdout.write(`interrupt: ${kills} kills, ${failures.length} times not healed, MARGAY_KILL_SEED=${seed}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

function start() {
  return spawn("npm", ["start", "--", "agent", "-m", "list the files here"], {
    cwd: checkout,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
}

async function interrupt(kind, ms) {
  const child = start();
  const gone = new Promise((resolve) => void child.on("exit", resolve));
  child.stdout.resume();
  child.stderr.resume();
  await Promise.race([delay(ms), gone]);
  const tree = treeOf(child.pid);
  const script = tree.find(({ args }) => args.includes("scripts/start.mjs") && !args.startsWith("sh "));
  const victims =
    kind === "with its children" ? tree : kind === "start alone" && script ? [script] : [{ pid: child.pid }];
  for (const { pid } of victims) signal(pid, kind === "TERM" ? "SIGTERM" : "SIGKILL");
  await gone;
  say(`${kind}, after ${(ms / 1000).toFixed(1)} s`);
}

/** The next start has everything to do. Moved: what an earlier one left running may still write there. */
function forget(name) {
  if (existsSync(join(checkout, "node_modules"))) renameSync(join(checkout, "node_modules"), join(folder, name));
}

/** 700 MB each, and nothing writes there after a start that had it all. */
function clearAway() {
  for (const name of readdirSync(folder).filter((each) => each.startsWith("gone-")))
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
}

/** @returns milliseconds until the answer. */
async function heal(when) {
  const began = performance.now();
  let { code, out, err } = await finished(start());
  // A start whose npm was killed may be at work still, and the next one says so: who reads that waits for it.
  const busy = Number(/Process (\d+) uses .*\[state\.locked\]/.exec(err)?.[1]);
  if (code === 75 && busy > 0) {
    say(`${when}: process ${busy} of an earlier start is at work still`);
    for (let tries = 0; isThere(busy) && tries < 600; tries++) await delay(200);
    ({ code, out, err } = await finished(start()));
  }
  if (code !== 0 || !out.includes("README.md")) failures.push(`${when}: exit ${code}\n${err.slice(-2000)}`);
  const ms = performance.now() - began;
  say(`${when}: ${code === 0 ? "answers" : "does not answer"}, ${(ms / 1000).toFixed(1)} s`);
  return ms;
}

async function finished(child) {
  let [out, err] = ["", ""];
  child.stdout.on("data", (part) => (out += part));
  child.stderr.on("data", (part) => (err += part));
  const code = await new Promise((resolve) => void child.on("exit", resolve));
  return { code, out, err };
}

function isThere(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function treeOf(pid) {
  const rows = spawnSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .stdout.split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter(Boolean)
    .map(([, id, parent, args]) => ({ pid: Number(id), parent: Number(parent), args }));
  const found = rows.filter((row) => row.pid === pid);
  for (const { pid: parent } of found) found.push(...rows.filter((row) => row.parent === parent));
  return found;
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // it was faster
  }
}

function run(command, args) {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
}

/** @see Tommy Ettinger, mulberry32 */
function mulberry(state) {
  let now = state >>> 0;
  return () => {
    now = (now + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(now ^ (now >>> 15), now | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
