/** A home whose conversation is one real turn, so often: with ids of its own, and cut where the program would. */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { homeWith } from "./built-gateway.mjs";
import { runToExit } from "./proc.mjs";

const BIN = join(import.meta.dirname, "../../packages/app/bin/margay.js");
export const SAID = "[[bench chunks=5]] Are you there?";
/** A message, a call, its result and the answer. */
const ASKED = `[[bench tools=1 tool=read_file args={"path":"notes.txt"} chunks=40]] ${"What do my notes say of this? ".repeat(8)}`;
const PER_TURN = 4;
/** Turns between two compactions: the program's own window holds a hundred messages. */
const EPOCH = 20;
const KEPT_TURNS = 5;

/** One `margay agent -m` against this mock: what a user waits for, and what it takes. */
export async function send(home, text, mock) {
  await mock.reset();
  const env = { PATH: process.env.PATH, HOME: home, MARGAY_HOME: home, NO_COLOR: "1", LANG: "C.UTF-8" };
  const run = await runToExit({ cmd: process.execPath, args: [BIN, "agent", "-m", text], env, cwd: home });
  const [first] = (await mock.stats()).filter(({ aux }) => !aux);
  if (run.code !== 0 || first === undefined) throw new Error(`${run.code}: ${run.stderr.slice(-500)}`);
  return {
    "first request, ms": first.at - run.startedAt,
    "whole run, ms": run.ms,
    "CPU, ms": run.cpuMs,
    "peak, MB": run.peakMB,
  };
}

const sessions = (home) => join(home, "sessions");
/** The file of its conversation with this end, if there is one. */
export function fileOf(home, end) {
  const name = readdirSync(sessions(home)).find((one) => one.endsWith(end));
  return name === undefined ? undefined : join(sessions(home), name);
}

/** @param folder of its own. */
export async function longHome(folder, messages, mock) {
  const home = homeWith(folder, mock.url);
  await send(home, SAID, mock);
  await send(home, ASKED, mock);
  const path = fileOf(home, ".journal");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const second = lines.findLastIndex((line) => line.includes('"type":"message.received"'));
  const turn = lines.slice(second).map((line) => line.slice(line.indexOf('"at":')));
  const head = lines.slice(0, second).map((line) => line.slice(line.indexOf('"at":')));
  const prefix = head.find((line) => line.includes('"type":"prefix.frozen"'));
  const file = openSync(path, "w");
  let seq = 0;
  /** Messages in it; a turn of them are `rows`. */
  let context = countOf(head);
  const rows = countOf(turn);
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
    context += rows;
    if (number % EPOCH !== 0) continue;
    const compacted = {
      type: "history.compacted",
      kept: [{ places: [context - KEPT_TURNS * rows], chars: 500 }],
      rows: (EPOCH - KEPT_TURNS) * PER_TURN,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      fallback: false,
    };
    write(`"at":${Date.now()},"records":[${JSON.stringify(compacted)}]}`);
    write(prefix);
    context = KEPT_TURNS * rows;
  }
  closeSync(file);
  for (const left of readdirSync(sessions(home)))
    if (!left.endsWith(".journal")) rmSync(join(sessions(home), left), { recursive: true });
  rmSync(join(home, "audit"), { recursive: true, force: true });
  return home;
}

function countOf(lines) {
  const rows = ["message.received", "notice.added", "model.responded", "tool.finished"];
  return lines.flatMap((line) => JSON.parse(`{${line}`).records.filter(({ type }) => rows.includes(type))).length;
}
