#!/usr/bin/env node
/**
 * growth — whether what margay costs follows the length of what it keeps: rounds of a conversation, messages before it, journals
 * beside it, conversations at once. The sizes of a row are measured in turn, the medians become `growth.svg`.
 *
 *   node bench/growth.mjs [--reps 5] [--only rounds,messages,journals,sessions] [--out FOLDER]
 */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { adapters } from "./adapters/index.mjs";
import { curves } from "./lib/curves.mjs";
import { startGateway } from "./lib/built-gateway.mjs";
import { longHome, SAID, send } from "./lib/long-home.mjs";
import { now, usage } from "./lib/proc.mjs";
import { median, place, startMock } from "./lib/stage.mjs";
import { directive } from "../packages/core/src/testing/mock-llm/directive.ts";

const { values: opt } = parseArgs({
  options: {
    reps: { type: "string", default: "5" },
    only: { type: "string", default: "rounds,messages,journals,sessions" },
    out: { type: "string", default: join(import.meta.dirname, "results") },
  },
});
const reps = Number(opt.reps);
/** V8 collects what is left when a process has been quiet for some seconds. */
const REST_MS = 15_000;
const ROUNDS = 25;
const node = process.execPath;
const root = mkdtempSync(join(tmpdir(), "margay-growth-"));
const mock = await startMock(node);
const adapter = adapters.find(({ name }) => name === "margay");
let serial = 0;

/** By name of the row: the sizes, and for each of them the figures of each repetition. */
const rows = {
  /** How far a conversation has come: a round from the end of an answer to the next request, a file read in between. */
  rounds: async () => {
    const sizes = [25, 50, 100, 200, 300, 400, 500];
    const seen = new Map(sizes.map((size) => [size, []]));
    for (let rep = 0; rep < reps; rep++)
      await served("rounds", async (server) => {
        await server.turn("warm", ask({ tools: ROUNDS, tool: "read" }));
        for (let turn = 1; turn * ROUNDS <= sizes.at(-1); turn++) {
          await mock.reset();
          await server.turn(`r${rep}`, ask({ tools: ROUNDS, tool: "read" }));
          const all = (await mock.stats()).filter(({ aux }) => !aux);
          const gaps = all.slice(1).map((next, at) => next.bodyAt - all[at].endAt);
          seen.get(turn * ROUNDS)?.push({ "a round, ms": median(gaps) });
        }
      });
    return seen;
  },
  /** Messages of a conversation that `margay agent -m` goes on with. */
  messages: async () => {
    const homes = new Map();
    for (const size of [100, 1_000, 10_000, 50_000])
      homes.set(size, await longHome(join(root, `m${size}`), size, mock));
    for (const home of homes.values()) for (let first = 0; first < 2; first++) await send(home, SAID, mock);
    return inTurn(homes, async (home) => {
      const figures = await send(home, SAID, mock);
      return { "first request, ms": figures["first request, ms"], "peak, MB": figures["peak, MB"] };
    });
  },
  /** Journals of a home whose gateway starts. */
  journals: async () => {
    const homes = new Map();
    for (const size of [1, 100, 1_000, 2_000, 5_000]) {
      const ctx = await served(`j${size}`, async (server) => {
        for (let one = 0; one < size; one++) await server.seed(`s${one}`, 2);
      });
      const { MARGAY_HOME: home } = adapter.oneShot(ctx, "").env;
      homes.set(size, home);
      await gateway(home); // what is made of journals once
    }
    return inTurn(homes, gateway);
  },
  /** Conversations at work at once: a tool round each, 100 ms of the model's time. */
  sessions: async () => {
    const seen = new Map();
    for (const size of [1, 10, 100, 500, 1_000, 2_000])
      await served(`s${size}`, async (server) => {
        await server.turn("warm", ask({ tools: 2, tool: "read" }));
        const figures = [];
        // Few of them are over too soon to be counted.
        for (let rep = 0; rep < reps; rep++) {
          const times = Math.ceil(200 / size);
          const before = server.usage();
          for (let time = 0; time < times; time++)
            await Promise.all(
              Array.from({ length: size }, () =>
                server.turn(`n${++serial}`, ask({ tools: 1, tool: "read", delay: 100 })),
              ),
            );
          figures.push({ "a turn, ms of CPU": (server.usage().cpuMs - before.cpuMs) / (size * times) });
        }
        seen.set(size, figures);
      });
    return seen;
  },
};

try {
  mkdirSync(opt.out, { recursive: true });
  for (const name of opt.only.split(",")) {
    const seen = await rows[name]();
    const table = new Map([...seen].map(([size, figures]) => [size, middles(figures)]));
    console.log(name);
    console.table(
      Object.fromEntries([...table].map(([size, figures]) => [size.toLocaleString("en"), rounded(figures)])),
    );
    const raw = [...seen].map(([size, figures]) => ({ size, figures: figures.map(rounded) }));
    writeFileSync(join(opt.out, `growth-${name}.json`), `${JSON.stringify(raw)}\n`);
    writeFileSync(join(opt.out, `growth-${name}.svg`), curves(name, table));
  }
} finally {
  await mock.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

/** Each size once a repetition, forwards and backwards. */
async function inTurn(homes, measure) {
  const seen = new Map([...homes.keys()].map((size) => [size, []]));
  for (let rep = 0; rep < reps; rep++)
    for (const [size, home] of rep % 2 === 0 ? homes : [...homes].toReversed())
      seen.get(size).push(await measure(home));
  return seen;
}

async function gateway(home) {
  const startedAt = now();
  const { child, url } = await startGateway(node, home);
  try {
    while ((await fetch(`${url}/ready`)).status !== 200);
    const readyMs = now() - startedAt;
    await sleep(REST_MS);
    return { "ready, ms": readyMs, "idle, MB": usage(child.pid).rssMB };
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

/** Live conversations of the built bundle. @returns where they are. */
async function served(name, work) {
  const ctx = place(adapter, { root: join(root, name), node, mockUrl: mock.url });
  adapter.prepare(ctx);
  const server = await adapter.serve(ctx);
  try {
    await work(server);
  } finally {
    await server.close();
  }
  return ctx;
}

function ask({ tool, ...fields }) {
  const { name, args } = adapter.tools[tool];
  return `Please do the next step. ${directive({ tool: name, args: JSON.stringify(args), chunks: 5, ...fields, id: `g${++serial}` })}`;
}

function middles(figures) {
  return Object.fromEntries(Object.keys(figures[0]).map((what) => [what, median(figures.map((one) => one[what]))]));
}

function rounded(figures) {
  return Object.fromEntries(Object.entries(figures).map(([what, value]) => [what, Math.round(value * 100) / 100]));
}
