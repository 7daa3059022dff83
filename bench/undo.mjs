// What copies for an undo cost a command: a workspace of 10,000 files, the first look, later ones, and the longest stall.
// node --conditions=margay-source bench/undo.mjs [files]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { openUndo } from "@margay/core/builtin";

const count = Number(process.argv[2] ?? 10_000);
const root = mkdtempSync(join(tmpdir(), "margay-undo-bench-"));
const workspace = join(root, "workspace");
for (let index = 0; index < count; index += 1) {
  const directory = join(workspace, `d${Math.floor(index / 100)}`);
  if (index % 100 === 0) mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `f${index}.txt`), `${index} `.repeat(400));
}
const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const undo = openUndo({
  directory: join(root, "undo"),
  workspace,
  maxBytes: 2 ** 30,
  maxFileBytes: 50 * 2 ** 20,
  keepTurns: 100,
  keepDays: 14,
  exclude: [],
  clock,
  log: { warn: (event, data) => process.stderr.write(`${event} ${JSON.stringify(data)}\n`) },
});
const signal = new AbortController().signal;
const label = { integrity: "trusted", confidentiality: "public" };
const delays = monitorEventLoopDelay({ resolution: 1 });
let calls = 0;

async function measured(name, work) {
  delays.reset();
  delays.enable();
  const from = performance.now();
  await work();
  const ms = performance.now() - from;
  delays.disable();
  process.stdout.write(
    `${JSON.stringify({ name, files: count, ms: Math.round(ms), stallMs: Math.round(delays.max / 1e6) })}\n`,
  );
}
async function command(name, change) {
  const context = { sessionId: "s-1", turnId: "t-1", callId: `c-${(calls += 1)}`, label, signal, workspace };
  await measured(`${name}: before`, () => undo.commandStarting(context));
  change();
  await measured(`${name}: after`, () => undo.commandEnded(context));
}
try {
  await measured("nothing, for comparison", () => new Promise((resolve) => setTimeout(resolve, 1000)));
  await command("first command", () => {});
  await new Promise((resolve) => setTimeout(resolve, 100)); // what was made just now is read twice
  await command("second command", () => {});
  await command("third command", () => {});
  await command("one file changed", () => writeFileSync(join(workspace, "d0", "f0.txt"), "changed"));
  await command("all files deleted", () => rmSync(workspace, { recursive: true }) ?? mkdirSync(workspace));
  await measured("undo of all", () => undo.apply({ session: "s-1", turn: "t-1", id: "undo-1" }));
} finally {
  rmSync(root, { recursive: true, force: true });
}
