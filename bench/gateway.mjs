#!/usr/bin/env node
/**
 * gateway — what an idle and a busy gateway of the built bundle costs: time to ready, memory, sockets, a client that does not
 * read, many turns.
 *
 *   node bench/gateway.mjs [--node PATH] [--turns 2000] [--sessions 100] [--sockets 200]
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { WebSocket } from "ws";
import { stop } from "./lib/proc.mjs";
import { startMock } from "./lib/stage.mjs";
import { directive } from "../packages/core/src/testing/mock-llm/directive.ts";

const { values: opt } = parseArgs({
  options: {
    node: { type: "string", default: process.execPath },
    turns: { type: "string", default: "2000" },
    sessions: { type: "string", default: "100" },
    sockets: { type: "string", default: "200" },
  },
});
const [turns, sessions, sockets] = [opt.turns, opt.sessions, opt.sockets].map(Number);
/** V8 collects what is left when a process has been quiet for some seconds. */
const REST_MS = 15_000;
const node = resolve(opt.node);
const root = mkdtempSync(join(tmpdir(), "margay-gateway-"));
const home = join(root, "state");
const mock = await startMock(node);
mkdirSync(home, { mode: 0o700 });
const config = {
  workspace: join(root, "work"),
  model: "bench/bench",
  providers: { bench: { api: "openai-chat", baseUrl: `${mock.url}/v1`, apiKey: "bench-key" } },
  gateway: {
    port: 0,
    limits: { sockets: 1000, socketsPerCredential: 1000, requestsPerMinute: 1e6, sendsPerMinute: 1e6 },
  },
};
writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
const started = performance.now();
const bin = join(import.meta.dirname, "../packages/app/bin/margay.js");
const gateway = spawn(node, [bin, "gateway", "--no-open"], {
  env: { ...process.env, MARGAY_HOME: home },
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  await new Promise((done) => gateway.stdout.once("data", done));
  const { url, token, pid } = JSON.parse(readFileSync(join(home, "gateway.json"), "utf8"));
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
  const authorization = `Bearer ${token}`;
  const ready = performance.now() - started;
  const idle = memory();
  const open = await Promise.all(Array.from({ length: sockets }, () => connect(url, authorization)));
  const withSockets = memory();
  for (const socket of open) socket.terminate();
  const alone = await streamed(url, authorization, memory, "stream-alone", false);
  const beside = await streamed(url, authorization, memory, "stream-beside", true);
  const after = [];
  for (let turn = 0; turn < turns; turn++) {
    await say(url, authorization, `bench-${turn % sessions}`, turn);
    if (turn + 1 === Math.min(200, turns) || turn + 1 === turns) {
      const busy = memory();
      await sleep(REST_MS);
      after.push({ busy, atRest: memory() });
    }
  }
  console.table({
    "ready, ms": round(ready),
    "idle, MB": round(idle),
    [`${sockets} idle sockets, MB`]: round(withSockets - idle),
    "10 s of 2,000 deltas/s, most MB more": round(alone.grown),
    "the same with a client that does not read, MB": round(beside.grown),
    "longest time without a frame, ms": round(alone.gap),
    "the same beside a client that does not read, ms": round(beside.gap),
    "after 200 turns, MB": round(after[0].atRest),
    [`after ${turns} turns over ${sessions} sessions, MB`]: round(after.at(-1).atRest),
    "at the last turn, before V8 collected, MB": round(after.at(-1).busy),
  });
} finally {
  await stop(gateway);
  await mock.stop();
  rmSync(root, { recursive: true, force: true });
}

function connect(url, authorization) {
  return new Promise((done, failed) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, "margay.v1", { headers: { authorization } });
    socket.once("message", () => done(socket));
    socket.once("error", failed);
  });
}

/** 10 s of deltas to a client that reads them and, when `slow`, to one that reads nothing. */
async function streamed(url, authorization, memory, key, slow) {
  const headers = { authorization, "content-type": "application/json" };
  const made = await fetch(`${url}/api/v1/sessions`, { method: "POST", headers, body: "{}" });
  const { id: session } = await made.json();
  const clients = await Promise.all((slow ? [1, 2] : [1]).map(() => connect(url, authorization)));
  const [quick, other] = clients;
  for (const client of clients)
    client.send(JSON.stringify({ id: "s", type: "subscribe", session, after: 0, live: true }));
  await new Promise((done) => quick.once("message", done));
  other?.pause();
  const before = memory();
  let most = before;
  let gap = 0;
  let last;
  const watch = setInterval(() => (most = Math.max(most, memory())), 100);
  const over = new Promise((done) => {
    quick.on("message", (data) => {
      const frame = JSON.parse(data);
      if (frame.type === "live") {
        if (last !== undefined) gap = Math.max(gap, performance.now() - last);
        last = performance.now();
      }
      if (frame.type === "commit" && frame.records.some(({ type }) => type === "turn.ended")) done();
    });
  });
  const text = `Go on. ${directive({ chunks: 20_000, batch: 32, chunkdelay: 16, id: key })}`;
  quick.send(JSON.stringify({ id: "m", type: "message.send", session, key, parts: [{ type: "text", text }] }));
  await over;
  clearInterval(watch);
  for (const client of clients) client.terminate();
  return { grown: most - before, gap };
}

/** One turn with a tool round, through the API for programs. */
async function say(url, authorization, session, turn) {
  const call = { tool: "list_dir", args: '{"path":"."}', tools: 1, chunks: 20, id: `turn-${turn}` };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", "margay-session": session },
    body: JSON.stringify({ model: "margay", messages: [{ role: "user", content: `Go on. ${directive(call)}` }] }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`turn ${turn}: ${response.status} ${JSON.stringify(answer)}`);
}

function round(value) {
  return Math.round(value * 10) / 10;
}
