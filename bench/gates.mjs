#!/usr/bin/env node
/**
 * gates — margay against the floor of the same run, with limits: fails when margay became slow or large.
 *
 *   npm run bench -- --gates [--reps 5] [--strict]
 *
 * Both sides are interleaved and every figure is a median of ratios of neighbors, so that a busy machine slows both;
 * of rounds the least disturbed quarter counts, of long work the best of a few runs.
 * Head-room of half is allowed for noise; `--strict` takes it away.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { adapters } from "./adapters/index.mjs";
import { GATES, judge, SESSIONS } from "./lib/goals.mjs";
import { now, runToExit, usage } from "./lib/proc.mjs";
import { place, startFar, startMock } from "./lib/stage.mjs";
import { directive } from "../packages/core/src/testing/mock-llm/directive.ts";

const { values: opt } = parseArgs({
  options: {
    node: { type: "string", default: process.execPath },
    reps: { type: "string", default: "5" },
    strict: { type: "boolean", default: false },
    only: { type: "string" },
  },
});
const reps = Number(opt.reps);
const headRoom = opt.strict ? 1 : 1.5;

const CHUNKS = 20_000;
const ROUNDS = 20;
/** V8 collects what is left when a process has been quiet for some seconds. */
const REST_MS = 15_000;
const root = mkdtempSync(join(tmpdir(), "margay-gates-"));
const node = resolve(opt.node); // children start in folders of their own
const mock = await startMock(node);
const peer = (name, folder = root, { url, env } = mock) => {
  const adapter = adapters.find((one) => one.name === name);
  const ctx = place(adapter, { root: folder, node, mockUrl: url });
  return { adapter, ctx: { ...ctx, env: { ...ctx.env, ...env } } };
};
const floor = peer("floor-http");
const margay = peer("margay");
/** A home of its own, beside whose gateway commands work. */
const held = peer("margay", join(root, "held"));
/** One without the sandbox, and one whose gateway is started. */
const unconfined = peer("margay", join(root, "unconfined"));
const home = peer("margay", join(root, "home"));
const far = await startFar({ node, url: mock.url, folder: root });
const farMargay = peer("margay", join(root, "far"), far);
const farFloor = peer("floor-http", join(root, "far"), far);
let serial = 0;

const measures = {
  /** The whole process, without an answer. */
  async version({ adapter, ctx }) {
    const shot = adapter.oneShot(ctx, "");
    const args = adapter === margay.adapter ? [shot.args[0], "--version"] : ["-e", "0"];
    return { ms: (await runToExit({ ...shot, args })).ms };
  },
  /** One answer from a fresh process, in a conversation of its own: the floor has no history either. */
  async cold(peer) {
    await mock.reset();
    const run = await runToExit(peer.adapter.oneShot(peer.ctx, ask(peer, { chunks: 5 }), { session: fresh() }));
    const [first] = await requests();
    if (first === undefined) throw new Error(`${peer.adapter.name} sent no request: ${run.stderr.slice(-500)}`);
    const exitMs = run.endedAt - first.endAt;
    return { firstMs: first.at - run.startedAt, cpuMs: run.cpuMs, peakMB: run.peakMB, exitMs };
  },
  /** The same, for margay beside its gateway, which answers. */
  beside: (peer) => measures.cold(peer === margay ? held : peer),
  /** The same from a provider far away. */
  far: (peer) => measures.cold(peer === margay ? farMargay : farFloor),
  rounds: (peer) => roundsOf(peer, "read"),
  /** The same with a file written, and on the disk, in between. */
  writes: (peer) => roundsOf(peer, "write"),
  /** From a prompt to the first request of a new session, in a warm process. */
  started: (peer) =>
    served(peer, async (server) => {
      const times = [];
      for (let turn = 0; turn < 12; turn++) {
        await mock.reset();
        const startedAt = now();
        await server.turn(fresh(), ask(peer, { chunks: 2 }));
        if (turn > 2) times.push((await requests())[0].bodyAt - startedAt);
      }
      return { startMs: lowerQuartile(times) };
    }),
  /** From an answer that asks for eight of them to the next request. */
  commands: (peer) =>
    served(peer, async (server) => {
      const times = [];
      for (let turn = 0; turn < 4; turn++) {
        await mock.reset();
        await server.turn(fresh(), ask(peer, { tools: 1, parallel: 8, tool: "command", chunks: 2 }));
        const [asked, told] = await requests();
        const ms = told.bodyAt - asked.endAt;
        if (ms < 200) throw new Error(`${peer.adapter.name}: commands of 200 ms were over after ${ms} ms, so none ran`);
        if (turn > 0) times.push(ms);
      }
      return { commandsMs: Math.min(...times) };
    }),
  unconfined: (peer) => measures.commands(peer === margay ? unconfined : peer),
  /** Of margay alone. */
  async gateway(peer) {
    if (peer !== margay) return {};
    const startedAt = now();
    const child = await startGateway(home);
    try {
      const { url, pid } = listening(home);
      while ((await fetch(`${url}/ready`)).status !== 200);
      const readyMs = now() - startedAt;
      await sleep(REST_MS);
      return { readyMs, idleMB: usage(pid).rssMB };
    } finally {
      child.kill();
      await once(child, "exit");
    }
  },
  /** The best of three long answers: a busy neighbor halves any of them. */
  stream: (peer) =>
    served(peer, async (server) => {
      const runs = [];
      for (let turn = 0; turn < 4; turn++) {
        await mock.reset();
        const { cpuMs } = await server.turn(fresh(), ask(peer, { chunks: CHUNKS }));
        const seconds = (now() - (await requests())[0].firstByteAt) / 1000;
        runs.push({ perSecond: CHUNKS / seconds, wordUs: (cpuMs * 1000) / CHUNKS, rssMB: server.usage().rssMB });
      }
      const warm = runs.slice(1);
      return {
        perSecond: Math.max(...warm.map((run) => run.perSecond)),
        wordUs: Math.min(...warm.map((run) => run.wordUs)),
        growthMB: warm.at(-1).rssMB - warm[0].rssMB,
      };
    }),
  /** All at once, five rounds each, 100 ms of model latency: 600 ms at best. */
  sessions: (peer) =>
    served(
      peer,
      async (server) => {
        const ids = Array.from({ length: SESSIONS }, fresh);
        await server.turn(fresh(), ask(peer, { tools: 2, tool: "read", chunks: 2 }));
        const before = server.usage().rssMB;
        // Opened as `run.mjs` opens them, five at a time: the memory of its tables is meant.
        const queue = [...ids];
        const open = async () => {
          for (let id = queue.shift(); id; id = queue.shift()) await server.turn(id, ask(peer, { chunks: 2 }));
        };
        await Promise.all(Array.from({ length: 5 }, open));
        const walls = [];
        let sessionMB;
        for (let turn = 0; turn < 3; turn++) {
          const startedAt = now();
          await Promise.all(
            ids.map((id) => server.turn(id, ask(peer, { tools: 5, tool: "read", chunks: 5, delay: 100 }))),
          );
          walls.push(now() - startedAt);
          sessionMB ??= (server.usage().rssMB - before) / SESSIONS; // later turns measure when V8 collects garbage
        }
        return { wallMs: Math.min(...walls), sessionMB };
      },
      { many: true },
    ),
};

let gateway;
try {
  for (const peer of [floor, margay, held, unconfined, home, farFloor, farMargay]) {
    peer.adapter.prepare?.(peer.ctx, peer === unconfined ? { sandbox: "none" } : {});
    // The first start fills the compile cache and makes the state directory: not what a user waits for every day.
    for (let i = 0; i < 2; i++) await runToExit(peer.adapter.oneShot(peer.ctx, ask(peer, { chunks: 2 })));
  }
  gateway = await startGateway(held);
  const samples = new Map();
  const wanted = opt.only?.split(",") ?? Object.keys(measures);
  for (const measure of wanted)
    for (let rep = 0; rep < reps; rep++) {
      const pair = {};
      for (const peer of rep % 2 === 0 ? [floor, margay] : [margay, floor])
        pair[peer === floor ? "floor" : "margay"] = await measures[measure](peer);
      samples.set(measure, [...(samples.get(measure) ?? []), pair]);
    }
  const rows = GATES.filter(({ measure }) => wanted.includes(measure)).map((gate) =>
    judge(gate, samples.get(gate.measure), headRoom),
  );
  console.table(Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest])));
  if (rows.some((row) => !row.ok)) process.exitCode = 1;
} finally {
  gateway?.kill();
  if (gateway?.exitCode === null) await once(gateway, "exit");
  await far.stop();
  await mock.stop();
  rmSync(root, { recursive: true, force: true });
}

/** Ready when it says where it is. */
async function startGateway({ adapter, ctx }) {
  const { cmd, args, env, cwd } = adapter.oneShot(ctx, "");
  const child = spawn(cmd, [args[0], "gateway", "--port", "0", "--no-open"], {
    env,
    cwd,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("the gateway did not start"))),
  ]);
  return child;
}

/** Where it is, as it wrote it down. */
function listening({ adapter, ctx }) {
  const { env } = adapter.oneShot(ctx, "");
  return JSON.parse(readFileSync(join(env.MARGAY_HOME, "gateway.json"), "utf8"));
}

/** From the end of an answer to the next request, with a tool in between; the first turn warms the process. */
function roundsOf(peer, tool) {
  return served(peer, async (server) => {
    const times = [];
    for (let turn = 0; turn < 4; turn++) {
      await mock.reset();
      await server.turn(fresh(), ask(peer, { tools: ROUNDS, tool, chunks: 5 }));
      const seen = await requests();
      if (seen.length !== ROUNDS + 1) throw new Error(`${peer.adapter.name}: ${seen.length} requests`);
      if (turn > 0) times.push(...seen.slice(1).map((next, i) => next.bodyAt - seen[i].endAt));
    }
    return { roundMs: lowerQuartile(times) };
  });
}

async function served(peer, work, options = {}) {
  const server = await peer.adapter.serve(peer.ctx, options);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

/** A prompt whose directive scripts the mock's answer. */
function ask({ adapter }, { tool, ...fields }) {
  const call = tool && { tool: adapter.tools[tool].name, args: JSON.stringify(adapter.tools[tool].args) };
  return `Please do the next step. ${directive({ ...call, ...fields, id: fresh() })}`;
}

async function requests() {
  return (await mock.stats()).filter((request) => !request.aux);
}

function fresh() {
  return `gate-${++serial}`;
}

function lowerQuartile(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 2];
}
