// A process with the whole app and nothing to do: what the idle test measures.
// Arguments: state directory, milliseconds to settle, milliseconds to be measured.
import { setTimeout as wait } from "node:timers/promises";
import { openApp } from "../../src/embed.ts";
import { runParts } from "../../src/host/run-parts.ts";

const [home = "", settle = "0", idle = "0"] = process.argv.slice(2);
const app = await openApp({ home });
const stop = new AbortController();
const running = Promise.all([app.agent.run(stop.signal), runParts(app.schedule.parts, app, stop.signal)]);
await wait(Number(settle));
const before = process.cpuUsage();
const from = performance.now();
await wait(Number(idle));
const cpu = process.cpuUsage(before);
const idleMs = performance.now() - from;
const stopping = performance.now();
stop.abort(new Error("enough"));
await running;
await app[Symbol.asyncDispose]();
process.stdout.write(
  JSON.stringify({
    cpuPercent: ((cpu.user + cpu.system) / 1000 / idleMs) * 100,
    stopMs: performance.now() - stopping,
  }),
);
