#!/usr/bin/env node
/**
 * memory — what a long memory costs whoever uses it: the search index over a HISTORY.md, and the compaction of an imported chat.
 * A slice is the longest processor time of the thread between two turns of the event loop: so long does everybody else wait.
 *
 *   node --conditions=margay-source bench/memory.mjs [lines and messages, 50000] [rounds, 3]
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, httpProvider } from "../packages/core/src/index.ts";
import { openRecall } from "../packages/core/src/memory/recall.ts";
import { now } from "./lib/proc.mjs";
import { median, startMock } from "./lib/stage.mjs";

const MANY = Number(process.argv[2] ?? 50_000);
const ROUNDS = Number(process.argv[3] ?? 3);
const SAID = " about topics and green tea, which was bought on the way (see the notes), and what came of it.";
const root = mkdtempSync(join(tmpdir(), "margay-memory-bench-"));
const mock = await startMock(process.execPath);
const figures = new Map();

try {
  for (let round = 0; round < ROUNDS; round += 1) {
    await index(join(root, `index-${round}`));
    await compaction(join(root, `compaction-${round}`));
  }
  const rows = [...figures].map(([what, seen]) => [
    what,
    { "wall, ms": round1(seen.map(({ ms }) => ms)), "longest slice, ms": round1(seen.map(({ slice }) => slice)) },
  ]);
  console.table(Object.fromEntries(rows));
} finally {
  await mock.stop();
  rmSync(root, { recursive: true, force: true });
}

async function index(folder) {
  mkdirSync(join(folder, "memory"), { recursive: true });
  const path = join(folder, "memory", "HISTORY.md");
  const line = (n) => `entry ${n}${SAID}\n`;
  writeFileSync(path, Array.from({ length: MANY }, (_, n) => line(n)).join(""));
  using recall = openRecall({
    workspace: folder,
    directory: join(folder, "index"),
    sessions: () => Promise.resolve([]),
    commits: async function* () {},
    damaged: (reason) => {
      throw new Error(reason);
    },
  });
  const search = async () => {
    if ((await recall.search("tea", 5)).length === 0) throw new Error("nothing was found");
  };
  await measured(`first search of ${MANY.toLocaleString("en")} lines`, search);
  for (let more = 0; more < 5; more += 1) {
    appendFileSync(path, line(MANY + more));
    await measured("one line more, and a search", search);
  }
}

async function compaction(folder) {
  mkdirSync(join(folder, "workspace"), { recursive: true });
  const provider = httpProvider({ id: "bench", wire: "openai-chat", baseUrl: `${mock.url}/v1`, keys: ["bench-key"] });
  await using agent = createAgent({
    directory: join(folder, "home"),
    workspace: join(folder, "workspace"),
    provider,
    model: { provider: "bench", model: "bench" },
    settings: { contextWindow: 30_000 },
  });
  const session = await agent.sessions.open("bench:1", { channel: "bench", chat: "1" });
  await session.commit({
    type: "history.imported",
    messages: Array.from({ length: MANY }, (_, n) => message(n)),
    rows: MANY,
    consolidated: 0,
  });
  await measured(`compaction of ${MANY.toLocaleString("en")} imported messages`, async () => {
    const { reason } = await agent.send("bench:1", "[[bench chunks=2]] and now?", {
      from: { id: "ann", kind: "operator" },
    }).finished;
    if (reason !== "done" || session.state.messages.length > MANY / 2)
      throw new Error(`${reason}: nothing was compacted`);
  });
}

function message(n) {
  const parts = [{ type: "text", text: `row ${n}.${SAID}` }];
  if (n % 2 === 0) return { role: "user", id: `m-${n}`, at: n, from: { id: "ann", kind: "person" }, parts };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return { role: "assistant", at: n, model: { provider: "bench", model: "bench" }, parts, finish: "stop", usage };
}

async function measured(what, work) {
  let [slice, last, done] = [0, worked(), false];
  const turn = () => {
    const at = worked();
    slice = Math.max(slice, at - last);
    last = at;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  const startedAt = now();
  await work();
  done = true;
  figures.set(what, [...(figures.get(what) ?? []), { ms: now() - startedAt, slice }]);
}

/** Milliseconds of processor time of this thread: other work on the machine is not counted. */
function worked() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function round1(values) {
  return Math.round(median(values) * 10) / 10;
}
