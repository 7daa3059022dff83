#!/usr/bin/env node
/**
 * run — the same scripted work through every peer, interleaved.
 *
 *   node run.mjs [--node PATH] [--peers a,b] [--measures cold,turns,…]
 *                [--reps 5] [--out results.jsonl] [--chunks 20000] [--sessions 50]
 *                [--quiet SECONDS]  (how long to wait for an idle machine before each sample)
 *
 * Measures (see README.md): cold, turns (rounds + stream + parallel), concurrency,
 * tokens, long. Each sample is one line of JSON in --out; `report.mjs` reads it.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { adapters } from "./adapters/index.mjs";
import { directive } from "./mock-llm.mjs";
import { machineCpu, now, runToExit, sleep, stop } from "./lib/proc.mjs";

const { values: opt } = parseArgs({
  options: {
    node: { type: "string", default: process.execPath },
    peers: { type: "string" },
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
const kitDir = dirname(fileURLToPath(import.meta.url));
const wanted = opt.peers?.split(",");
const peers = adapters.filter((a) => !wanted || wanted.includes(a.name));
const measures = opt.measures.split(",");
const reps = Number(opt.reps);
const CHUNKS = Number(opt.chunks);
const SESSIONS = Number(opt.sessions);

const root = mkdtempSync(join(tmpdir(), "agent-bench-"));
const peersDir = join(root, "peers");
const median = (xs) => {
  const s = xs.filter((x) => Number.isFinite(x)).sort((a, b) => a - b);
  return s.length ? (s[(s.length - 1) >> 1] + s[s.length >> 1]) / 2 : undefined;
};

// -------------------------------------------------------------------- the mock

const mock = await (async () => {
  const child = spawn(opt.node, [join(kitDir, "mock-llm.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  const { url } = await new Promise((r) => child.stdout.once("data", (d) => r(JSON.parse(d))));
  const get = (path, init) => fetch(url + path, init).then((r) => r.json());
  return {
    url,
    child,
    reset: () => get("/__reset", { method: "POST" }),
    stats: () => get("/__stats"),
    body: (i) => get(`/__body?i=${i}`),
  };
})();

// ------------------------------------------------------------------ the context

function context(adapter) {
  const home = join(root, adapter.name);
  const workspace = join(home, "work");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(
    join(workspace, "README.md"),
    `# Workspace\n\n${"A small file that the read tool reads.\n".repeat(10)}`,
  );
  const env = {
    PATH: `${dirname(opt.node)}:${process.env.PATH}`,
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    CI: "1",
    PI_OFFLINE: "1",
    DO_NOT_TRACK: "1",
  };
  return { home, workspace, env, kitDir, peersDir, node: opt.node, mockUrl: mock.url };
}

/** A prompt whose directive makes the mock call one of the adapter's tools. */
function prompt(adapter, ctx, { tool, ...fields }) {
  const t = tool && adapter.tools[tool];
  const args = t && JSON.stringify(t.args).replaceAll("{{workspace}}", ctx.workspace).replaceAll('"{{n}}"', "{{n}}");
  return `Please do the next step. ${directive({ ...(t ? { tool: t.name, args } : {}), ...fields })}`;
}

let serial = 0;
const fresh = (name) => `${name}-${++serial}`;
const main = (records) => records.filter((r) => !r.aux);
/** Time between the end of each answer and the arrival of the next request: the peer's own time. */
const gaps = (records) => records.slice(1).map((r, i) => r.bodyAt - records[i].endAt);

function check(records, expected, what) {
  const missing = records.find((r) => r.missing);
  if (missing) throw new Error(`${what}: the scripted tool is not offered (offered: ${missing.tools.join(",")})`);
  if (records.length < expected) throw new Error(`${what}: ${records.length} requests of ${expected} came`);
}

async function timedTurn(server, session, text) {
  await mock.reset();
  const before = server.usage();
  const startedAt = now();
  const extra = await server.turn(session, text);
  const endedAt = now();
  const after = server.usage();
  const records = main(await mock.stats());
  return {
    startedAt,
    endedAt,
    ms: endedAt - startedAt,
    cpuMs: extra.cpuMs ?? after.cpuMs - before.cpuMs,
    rssMB: after.rssMB,
    records,
    extra,
  };
}

// ----------------------------------------------------------------- the measures

const run = {
  /** One prompt from a fresh process: to the first LLM request, and to exit. */
  async cold(a, ctx) {
    await mock.reset();
    const r = await runToExit(a.oneShot(ctx, prompt(a, ctx, { chunks: 5, id: fresh("cold") })), {
      timeout: 120_000,
      doneWhen: a.doneWhen,
    });
    const all = await mock.stats();
    const first = main(all)[0];
    if (!first) throw new Error(`no request; exit ${r.code}; ${r.stdout.slice(-300)} ${r.stderr.slice(-600)}`);
    return {
      firstRequestMs: first.at - r.startedAt,
      firstAnyMs: all[0].at - r.startedAt,
      exitMs: r.ms,
      afterAnswerMs: r.endedAt - first.endAt,
      peakMB: r.peakMB,
      cpuMs: r.cpuMs,
    };
  },

  /** In one live process: 20 tool rounds, a long streamed answer, 8 calls at once. */
  async turns(a, ctx) {
    const out = {};
    const opened = now();
    const server = await a.serve(ctx);
    try {
      const cold = await timedTurn(
        server,
        "warm",
        prompt(a, ctx, { tools: 20, tool: "read", chunks: 5, id: fresh("warm") }),
      );
      check(cold.records, 21, "rounds");
      Object.assign(out, { readyMs: cold.records[0].bodyAt - opened, roundColdMs: median(gaps(cold.records)) });

      const turns = [];
      for (let i = 0; i < 2; i++)
        turns.push(
          await timedTurn(
            server,
            fresh("rounds"),
            prompt(a, ctx, { tools: 20, tool: "read", chunks: 5, id: fresh("rounds") }),
          ),
        );
      turns.forEach((t) => check(t.records, 21, "rounds"));
      Object.assign(out, {
        roundMs: median(turns.flatMap((t) => gaps(t.records))),
        turnMs: median(turns.map((t) => t.ms)),
        roundCpuMs: median(turns.map((t) => t.cpuMs / 20)),
        startMs: median(turns.map((t) => t.records[0].bodyAt - t.startedAt)),
        requestBytes: turns[0].records.at(-1).bytes,
      });

      // Twice: the first finds the code cold. The second is reported.
      for (const key of ["streamCold", "stream"]) {
        const t = await timedTurn(server, fresh("stream"), prompt(a, ctx, { chunks: CHUNKS, id: fresh("stream") }));
        check(t.records, 1, "stream");
        const seconds = (t.endedAt - t.records[0].firstByteAt) / 1000;
        Object.assign(out, {
          [`${key}PerS`]: CHUNKS / seconds,
          [`${key}Ms`]: seconds * 1000,
          [`${key}CpuMs`]: t.cpuMs,
        });
      }

      const parallel = await timedTurn(
        server,
        fresh("parallel"),
        prompt(a, ctx, { tools: 1, parallel: 8, tool: "wait", chunks: 2, id: fresh("parallel") }),
      );
      check(parallel.records, 2, "parallel");
      Object.assign(out, { parallelMs: gaps(parallel.records)[0], rssMB: server.usage().rssMB });
    } finally {
      await server.close();
    }
    return out;
  },

  /** Many live sessions, each with a 5-round turn and 100 ms of model latency. */
  async concurrency(a, ctx) {
    if (!a.multi) return undefined;
    const server = await a.serve(ctx, { many: true });
    try {
      const ids = Array.from({ length: SESSIONS }, (_, i) => fresh(`c${i}`));
      await server.turn(fresh("warm"), prompt(a, ctx, { tools: 2, tool: "read", chunks: 2, id: fresh("warm") }));
      const before = server.usage();
      const openedAt = now();
      const queue = [...ids];
      const opener = async () => {
        for (let id = queue.shift(); id; id = queue.shift()) await server.turn(id, prompt(a, ctx, { chunks: 2, id }));
      };
      await Promise.all(Array.from({ length: 5 }, opener));
      const openMs = now() - openedAt;
      await mock.reset();
      const startedAt = now();
      const cpu = server.usage().cpuMs;
      await Promise.all(
        ids.map((id) => server.turn(id, prompt(a, ctx, { tools: 5, tool: "read", chunks: 5, delay: 100, id }))),
      );
      const wallMs = now() - startedAt;
      const after = server.usage();
      const records = main(await mock.stats());
      check(records, SESSIONS * 6, "concurrency");
      return {
        wallMs,
        idealMs: 600,
        openMs,
        cpuMs: after.cpuMs - cpu,
        rssBeforeMB: before.rssMB,
        rssAfterMB: after.rssMB,
        rssPerSessionMB: (after.rssMB - before.rssMB) / SESSIONS,
        requests: records.length,
      };
    } finally {
      await server.close();
    }
  },

  /** What a default session sends, how it grows in 30 turns, and how much of it a prompt cache can reuse. */
  async tokens(a, ctx) {
    const server = await a.serve(ctx);
    try {
      await mock.reset();
      const id = fresh("tokens");
      for (let i = 0; i < 30; i++)
        await server.turn("tokens", prompt(a, ctx, { tools: 1, tool: "read", chunks: 20, id }));
      const all = await mock.stats();
      const records = main(all);
      check(records, 60, "tokens");
      const shares = records.slice(1).map((r) => r.prefixShare);
      const out = {
        systemBytes: records[0].systemBytes,
        toolsBytes: records[0].toolsBytes,
        toolCount: records[0].tools.length,
        firstBytes: records[0].bytes,
        lastBytes: records.at(-1).bytes,
        lastMessages: records.at(-1).messages,
        totalBytes: records.reduce((n, r) => n + r.bytes, 0),
        auxRequests: all.length - records.length,
        auxBytes: all.filter((r) => r.aux).reduce((n, r) => n + r.bytes, 0),
        requests: records.length,
        prefixMedian: median(shares),
        prefixMin: Math.min(...shares),
        perTurnBytes: (records.at(-1).bytes - records[0].bytes) / 29.5,
        /** Of all bytes sent after the first request, those a perfect prefix cache would have to read afresh. */
        freshBytes: records.slice(1).reduce((n, r, i) => n + r.bytes - r.prefixShare * records[i].bytes, 0),
      };
      out.firstBody = await mock.body(all.findIndex((r) => !r.aux));
      if (a.multi) {
        const other = fresh("other");
        await server.turn(other, prompt(a, ctx, { chunks: 2, id: other }));
        out.fixedShareOtherSession = main(await mock.stats()).find((r) => r.id === other).fixedShare;
      }
      return out;
    } finally {
      await server.close();
    }
  },

  /** A history of about 2,000 messages: prompt to first request, warm, and cold where a session can be resumed. */
  async long(a, ctx) {
    const server = await a.serve(ctx);
    const out = {};
    const first = async (session, fields = {}) => {
      await mock.reset();
      const startedAt = now();
      const t = server.turn(session, prompt(a, ctx, { chunks: 2, id: "long", ...fields }));
      await t;
      const r = main(await mock.stats())[0];
      return { ms: r.bodyAt - startedAt, turnMs: now() - startedAt, messages: r.messages, bytes: r.bytes };
    };
    try {
      await server.turn("short", prompt(a, ctx, { tools: 2, tool: "read", chunks: 2, id: "long" }));
      const short = [];
      for (let i = 0; i < 5; i++) short.push((await first("short")).ms);
      const seededAt = now();
      if (server.seed) await server.seed("long", 1000);
      else
        for (let i = 0; i < 22 && now() - seededAt < 240_000; i++)
          await server.turn(
            "long",
            prompt(a, ctx, { tools: 10, parallel: 8, tool: "read", chunks: 20, id: "long", record: 0 }),
          );
      out.seedMs = now() - seededAt;
      await first("long");
      const long = [];
      for (let i = 0; i < 5; i++) long.push(await first("long"));
      const rounds = await timedTurn(
        server,
        "long",
        prompt(a, ctx, { tools: 10, tool: "read", chunks: 2, id: "long" }),
      );
      Object.assign(out, {
        shortMs: median(short),
        longMs: median(long.map((l) => l.ms)),
        longMinMs: Math.min(...long.map((l) => l.ms)),
        messages: long.at(-1).messages,
        bytes: long.at(-1).bytes,
        longRoundMs: median(gaps(rounds.records)),
        rssMB: server.usage().rssMB,
      });
      out.resume = await server.sessionId?.("long");
    } finally {
      await server.close();
    }
    if (out.resume) {
      const cold = [];
      for (let i = 0; i < 3; i++) {
        await mock.reset();
        const r = await runToExit(a.oneShot(ctx, prompt(a, ctx, { chunks: 2, id: "long" }), { session: out.resume }), {
          doneWhen: a.doneWhen,
        });
        const request = main(await mock.stats())[0];
        if (request) cold.push({ ms: request.at - r.startedAt, messages: request.messages });
      }
      Object.assign(out, { resumeMs: median(cold.map((c) => c.ms)), resumeMessages: cold.at(-1)?.messages });
    }
    return out;
  },
};

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
    const ctx = context(a);
    contexts.set(a.name, ctx);
    try {
      a.prepare?.(ctx);
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
  await stop(mock.child);
  if (!opt.keep) rmSync(root, { recursive: true, force: true });
  else console.log(`homes kept in ${root}`);
}
