// Loaded with `node --import` before the program under test: writes down how much processor time each turn of its event loop
// took, where that is worth a line. The program itself knows nothing about it.
import { openSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** Shorter ones are nobody's trouble. */
const LEAST_MS = 5;
const path = process.env["MARGAY_TURNS_FILE"];

if (isMainThread && path !== undefined) {
  const file = openSync(path, "a", 0o600);
  const used = (before) => {
    process.cpuUsage(); // brings the account of the thread up to date: by itself it is as old as the last tick of the kernel
    return process.threadCpuUsage(before);
  };
  let last = used();
  // One that keeps nothing awake runs in each turn that there is, and makes none.
  const turn = () => {
    const { user, system } = used(last);
    const ms = (user + system) / 1000;
    if (ms >= LEAST_MS) writeSync(file, `${JSON.stringify({ at: Date.now(), ms })}\n`);
    last = used(); // what was written here is not of the program
    setImmediate(turn).unref();
  };
  setImmediate(turn).unref();
}
