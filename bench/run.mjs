#!/usr/bin/env node
/**
 * run — the same scripted work through every peer, interleaved.
 *
 *   node run.mjs [--node PATH] [--peers DIR] [--only a,b] [--measures cold,turns,…]
 *                [--reps 5] [--out results.jsonl] [--chunks 20000] [--sessions 50]
 *                [--quiet SECONDS]  (how long to wait for an idle machine before each sample)
 *
 * Measures (see README.md): cold, turns (rounds + stream + parallel), concurrency,
 * tokens, long. Each sample is one line of JSON in --out; `report.mjs` reads it.
 */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { adapters, rivalsIn } from "./adapters/index.mjs";
import { machineCpu, now, runToExit, sleep } from "./lib/proc.mjs";
import { place, startMock } from "./lib/stage.mjs";
import { createMeasures, fresh, prompt } from "./measures.mjs";

const { values: opt } = parseArgs({
  options: {
    node: { type: "string", default: process.execPath },
    peers: { type: "string" }, // a folder in which rivals are installed
    only: { type: "string" },
    measures: { type: "string", default: "cold,turns,concurrency,tokens,long" },
    reps: { type: "string", default: "5" },
    out: { type: "string", default: "results.jsonl" },
    chunks: { type: "string", default: "20000" },
    sessions: { type: "string", default: "50" },
    quiet: { type: "string", default: "20" },
    keep: { type: "boolean", default: false },
  },
});
opt.node = resolve(opt.node); // children start in folders of their own
const wanted = opt.only?.split(",");
const rivals = opt.peers === undefined ? undefined : resolve(opt.peers);
const all = rivals === undefined ? adapters : [...adapters, ...rivalsIn(rivals)];
const peers = all.filter((a) => !wanted || wanted.includes(a.name));
const measures = opt.measures.split(",");
const reps = Number(opt.reps);

const root = mkdtempSync(join(tmpdir(), "agent-bench-"));
const mock = await startMock(opt.node);
const run = createMeasures({ mock, chunks: Number(opt.chunks), sessions: Number(opt.sessions) });

// ---------------------------------------------------------------------- the run

const write = (row) => {
  appendFileSync(opt.out, `${JSON.stringify(row)}\n`);
  const { firstBody, ...values } = row.values ?? {};
  const shown = Object.entries(values)
    .map(([k, v]) => `${k}=${typeof v === "number" ? Math.round(v * 100) / 100 : v}`)
    .join(" ");
  console.log(
    `${row.measure} #${row.rep} ${row.peer} foreign=${(row.foreign ?? 0).toFixed(2)}: ${row.error ? `ERROR ${row.error.slice(0, 600)}` : shown}`,
  );
};

/** The share of the machine that others use, over a piece of work or half a second. */
async function foreignShare(work = () => sleep(500)) {
  const at = now();
  const before = machineCpu();
  const result = await work();
  const after = machineCpu();
  const foreign = Math.max(0, after.all - before.all - (after.own - before.own));
  return { result, foreign: foreign / ((now() - at) * availableParallelism()) };
}

/** Waits for a quiet machine, within bounds. */
async function quiet(limitMs = Number(opt.quiet) * 1000) {
  const until = now() + limitMs;
  while ((await foreignShare()).foreign > 0.12 && now() < until) await sleep(500);
}

const contexts = new Map();
const broken = new Set();
try {
  for (const a of peers) {
    const ctx = place(a, { root, node: opt.node, mockUrl: mock.url, ...(rivals !== undefined && { peers: rivals }) });
    contexts.set(a.name, ctx);
    try {
      a.prepare?.(ctx, { memoryWindow: 10_000 });
      // First starts fill caches and migrate homes: not what a user waits for every day.
      for (let i = 0; i < 2; i++)
        await runToExit(a.oneShot(ctx, prompt(a, ctx, { chunks: 2, id: fresh("first") })), { doneWhen: a.doneWhen });
    } catch (error) {
      broken.add(a.name);
      write({ peer: a.name, measure: "prepare", rep: 0, error: String(error.stack ?? error) });
    }
  }
  const once = new Set(["tokens", "long"]);
  for (let rep = 0; rep < reps; rep++) {
    for (const measure of measures) {
      if (once.has(measure) && rep > 0) continue;
      for (let i = 0; i < peers.length; i++) {
        const a = peers[(i + rep) % peers.length];
        if (broken.has(a.name)) continue;
        await quiet();
        const row = { peer: a.name, measure, rep, at: new Date().toISOString() };
        try {
          const { result: values, foreign } = await foreignShare(() => run[measure](a, contexts.get(a.name)));
          if (values) write({ ...row, foreign, values });
        } catch (error) {
          write({ ...row, error: String(error.stack ?? error) });
        }
        await sleep(300);
      }
    }
  }
} finally {
  await mock.stop();
  if (!opt.keep) rmSync(root, { recursive: true, force: true });
  else console.log(`homes kept in ${root}`);
}
