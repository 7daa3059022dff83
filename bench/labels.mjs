// What it costs to know what a command handled: a command with nothing done in it, without labels and with, in turn; then
// arming and looking alone. node --conditions=margay-source bench/labels.mjs [rounds] [files]
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

import { root as repository } from "../scripts/lib/toolchain.mjs";

const ROUNDS = Number(process.argv[2] ?? 15);
const FILES = Number(process.argv[3] ?? 20_000);
const LABELLED = [10, 1_000, 10_000].filter((count) => count <= FILES);
const load = (path) => import(pathToFileURL(join(repository, "packages/core/src/builtin", path)).href);
const { createCommandLabels } = await load("labels/command-labels.ts");
const { openFileLabels } = await load("labels/file-labels.ts");
const { createHandledFiles } = await load("labels/handled-files.ts");
const { openUndo } = await load("undo/undo.ts");

const root = realpathSync(mkdtempSync(join(tmpdir(), "margay-labels-bench-")));
const slices = { pause: () => undefined };
const names = [];
const signal = new AbortController().signal;
const label = { integrity: "trusted", confidentiality: "public" };
let calls = 0;

function createPlace(name, labelled) {
  const [workspace, state] = [join(root, name, "workspace"), join(root, name, "state")];
  mkdirSync(state, { recursive: true });
  for (let at = 0; at < FILES; at += 1) {
    const path = `d${Math.floor(at / 100)}/f${at}.txt`;
    if (at % 100 === 0) mkdirSync(join(workspace, `d${at / 100}`), { recursive: true });
    writeFileSync(join(workspace, path), `${name} ${at} `.repeat(20));
    if (names.length < FILES) names.push(path);
  }
  const labels = labelled === undefined ? undefined : openFileLabels(state);
  for (const path of names.slice(0, labelled ?? 0)) {
    const at = join(workspace, path);
    labels.add(path, "read p.md", { data: readFileSync(at), stats: lstatSync(at, { bigint: true }) });
  }
  const commands =
    labels === undefined
      ? {}
      : { labels: createCommandLabels({ workspace, clock: { now: () => Date.now() }, labels }) };
  const undo = openUndo({
    directory: join(state, "undo"),
    workspace,
    maxBytes: 2 ** 30,
    maxFileBytes: 50 * 2 ** 20,
    keepTurns: 100,
    keepDays: 14,
    exclude: [],
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    log: { warn: (event, data) => process.stderr.write(`${event} ${JSON.stringify(data)}\n`) },
    ...commands,
  });
  return { workspace, undo, labelled, ms: [] };
}

async function command({ workspace, undo }) {
  const context = { sessionId: "s-1", turnId: "t-1", callId: `c-${(calls += 1)}`, label, signal, workspace };
  const from = performance.now();
  await undo.commandStarting(context);
  await undo.commandReady(context);
  await undo.commandEnded(context);
  return performance.now() - from;
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
const print = (name, numbers) =>
  process.stdout.write(`${name.padEnd(44)} ${median(numbers).toFixed(2).padStart(8)} ms\n`);

try {
  const places = [["floor", undefined], ["none", 0], ...LABELLED.map((count) => [`labelled-${count}`, count])].map(
    ([name, count]) => createPlace(name, count),
  );
  for (const place of places) for (let first = 0; first < 3; first += 1) await command(place); // what is new is read
  for (let round = 0; round < ROUNDS; round += 1) for (const place of places) place.ms.push(await command(place));
  for (const { labelled, ms } of places)
    print(labelled === undefined ? "a command, without labels" : `a command, ${labelled} labelled`, ms);

  for (const { workspace, labelled } of places.slice(2)) {
    const handled = createHandledFiles(workspace);
    const paths = names.slice(0, labelled);
    const told = { met: () => undefined, restamped: () => undefined };
    const [read, armed, looked] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const path of paths) readFileSync(join(workspace, path));
      for (const times of [read, armed]) {
        const from = performance.now();
        await handled.arm(paths, told, slices);
        times.push(performance.now() - from);
      }
      const from = performance.now();
      await handled.handled(paths, slices);
      looked.push(performance.now() - from);
    }
    print(`arm ${labelled}, each was read`, read);
    print(`arm ${labelled}, none was read`, armed);
    print(`look at ${labelled}`, looked);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
