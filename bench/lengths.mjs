// SO2: what a long conversation costs whoever goes on with it: `margay agent -m` of the built program in a home with 100 and with
// 50,000 messages, with what is kept beside the journal and without, in turn. node bench/lengths.mjs [rounds] [messages]
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { homeWith } from "./lib/built-gateway.mjs";
import { runToExit } from "./lib/proc.mjs";
import { median, startMock } from "./lib/stage.mjs";

const ROUNDS = Number(process.argv[2] ?? 9);
const MANY = Number(process.argv[3] ?? 50_000);
const BIN = join(import.meta.dirname, "../packages/app/bin/margay.js");
const node = process.execPath;
const root = mkdtempSync(join(tmpdir(), "margay-lengths-bench-"));
const mock = await startMock(node);
const SAID = "[[bench chunks=5]] Are you there?";
/** A message, a call, its result and the answer. */
const ASKED = `[[bench tools=1 tool=read_file args={"path":"notes.txt"} chunks=40]] ${"What do my notes say of this? ".repeat(8)}`;
const PER_TURN = 4;
/** Turns between two compactions: the program's own window holds a hundred messages. */
const EPOCH = 20;
const KEPT_TURNS = 5;

const send = async (home, text) => {
  await mock.reset();
  const env = { PATH: process.env.PATH, HOME: home, MARGAY_HOME: home, NO_COLOR: "1", LANG: "C.UTF-8" };
  const run = await runToExit({ cmd: node, args: [BIN, "agent", "-m", text], env, cwd: root });
  const [first] = (await mock.stats()).filter(({ aux }) => !aux);
  if (run.code !== 0 || first === undefined) throw new Error(`${run.code}: ${run.stderr.slice(-500)}`);
  return {
    "first request, ms": first.at - run.startedAt,
    "whole run, ms": run.ms,
    "CPU, ms": run.cpuMs,
    "peak, MB": run.peakMB,
  };
};

const sessions = (home) => join(home, "sessions");
const fileOf = (home, end) => readdirSync(sessions(home)).find((name) => name.endsWith(end));

/** A home whose conversation is one real turn, so often: with ids of its own, and cut where the program would. */
async function homeOf(name, messages) {
  const home = homeWith(join(root, name), mock.url);
  await send(home, SAID);
  await send(home, ASKED);
  const path = join(sessions(home), fileOf(home, ".journal"));
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const second = lines.findLastIndex((line) => line.includes('"type":"message.received"'));
  const turn = lines.slice(second).map((line) => line.slice(line.indexOf('"at":')));
  const head = lines.slice(0, second).map((line) => line.slice(line.indexOf('"at":')));
  const prefix = head.find((line) => line.includes('"type":"prefix.frozen"'));
  const file = openSync(path, "w");
  let seq = 0;
  const context = [];
  const write = (rest) => {
    seq += 1;
    const body = `"seq":${seq},${rest}`;
    writeSync(file, `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`);
  };
  for (const line of head) write(line);
  for (let number = 1; number <= messages / PER_TURN; number += 1) {
    const own = turn.map((line) =>
      line.replaceAll(/\b((?:m|turn|call)[-_])(\w+)|("key":")/g, (_, kind, id, key) =>
        key === undefined ? `${kind}${id}n${number}` : `${key}${number}-`,
      ),
    );
    for (const line of own) write(line);
    context.push(...rowsOf(own));
    if (number % EPOCH !== 0) continue;
    const kept = context.splice(0).slice(-KEPT_TURNS * PER_TURN);
    context.push(...kept);
    const compacted = {
      type: "history.compacted",
      kept,
      rows: (EPOCH - KEPT_TURNS) * PER_TURN,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      fallback: false,
    };
    write(`"at":${Date.now()},"records":[${JSON.stringify(compacted)}]}`);
    write(prefix);
  }
  closeSync(file);
  for (const left of readdirSync(sessions(home)))
    if (!left.endsWith(".journal")) rmSync(join(sessions(home), left), { recursive: true });
  rmSync(join(home, "audit"), { recursive: true, force: true });
  return home;
}

function rowsOf(lines) {
  return lines.flatMap((line) =>
    JSON.parse(`{${line}`).records.flatMap(({ type, message }) =>
      ["message.received", "model.responded", "tool.finished"].includes(type) ? [message] : [],
    ),
  );
}

const forget = (home) => {
  const snapshot = fileOf(home, ".snapshot.cache");
  if (snapshot !== undefined) rmSync(join(sessions(home), snapshot));
};

try {
  const homes = { few: await homeOf("few", 100), many: await homeOf("many", MANY), read: await homeOf("read", MANY) };
  for (const home of Object.values(homes)) for (let first = 0; first < 2; first += 1) await send(home, SAID); // caches are made
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = Object.keys(homes);
    const figures = {};
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      if (name === "read") forget(homes[name]);
      figures[name] = await send(homes[name], SAID);
    }
    rounds.push(figures);
  }
  const rows = Object.keys(rounds[0].few).map((what) => {
    const middle = (name) => Math.round(median(rounds.map((round) => round[name][what])));
    return [
      what,
      { "100 messages": middle("few"), [`${MANY}, snapshot`]: middle("many"), [`${MANY}, read whole`]: middle("read") },
    ];
  });
  console.table(Object.fromEntries(rows));
  const size = (end) => `${(statSync(join(sessions(homes.many), fileOf(homes.many, end))).size / 1e6).toFixed(1)} MB`;
  console.log(`journal ${size(".journal")}, snapshot ${size(".snapshot.cache")}`);
} finally {
  await mock.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
