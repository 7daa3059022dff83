// PE32: what persons cost the owner while nobody of them writes: start and first answer of the built gateway, without `people` and
// with fifty of them, in turn. node bench/people.mjs [rounds]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, homeWith, startGateway } from "./lib/built-gateway.mjs";
import { sleep, stop } from "./lib/proc.mjs";
import { median, startMock } from "./lib/stage.mjs";

const ROUNDS = Number(process.argv[2] ?? 15);
/** A gateway goes on for a while when it has said where it is: it is at rest when it took next to nothing for so long. */
const REST_MS = 300;
const REST_CPU_MS = 3;
const node = process.execPath;
const root = mkdtempSync(join(tmpdir(), "margay-people-bench-"));
const mock = await startMock(node);
const persons = Array.from({ length: 50 }, (_, n) => [`p${n}`, { role: "member", ids: [`webhook:${n}`] }]);
const homes = {
  alone: homeWith(join(root, "alone"), mock.url),
  // What the ratio is of two homes that are one: how far this machine is to be trusted.
  again: homeWith(join(root, "again"), mock.url),
  persons: homeWith(join(root, "persons"), mock.url, { people: Object.fromEntries(persons) }),
};

async function atRest({ cpuMs }) {
  for (let before = -Infinity, now = cpuMs(); ; before = now, now = cpuMs()) {
    if (now - before < REST_CPU_MS) return now;
    await sleep(REST_MS);
  }
}

async function measured(home) {
  const gateway = await startGateway(node, home);
  try {
    const startCpu = await atRest(gateway);
    const answer = await ask(gateway, "Are you there?");
    const cpu = await atRest(gateway);
    return {
      "start, ms": gateway.readyMs,
      "start, ms of the processor": startCpu,
      "first answer, ms": answer,
      "first answer, ms of the processor": cpu - startCpu,
      "both, ms of the processor": cpu,
    };
  } finally {
    await stop(gateway.child);
  }
}

try {
  for (const home of Object.values(homes)) for (let first = 0; first < 2; first += 1) await measured(home); // caches are made
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = Object.keys(homes);
    const order = round % 2 === 0 ? names : names.toReversed();
    const figures = {};
    for (const name of order) figures[name] = await measured(homes[name]);
    rounds.push(figures);
  }
  const rows = Object.keys(rounds[0].alone).map((what) => [
    what,
    {
      alone: median(rounds.map(({ alone }) => alone[what])).toFixed(1),
      "with 50 persons": median(rounds.map((round) => round.persons[what])).toFixed(1),
      ratio: ratioOf(rounds, "persons", what),
      "of the same home": ratioOf(rounds, "again", what),
    },
  ]);
  console.table(Object.fromEntries(rows));
} finally {
  await mock.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

/** Of neighbors: the median, and the middle half. */
function ratioOf(rounds, name, what) {
  const ratios = rounds.map((round) => round[name][what] / round.alone[what]).toSorted((a, b) => a - b);
  const quarter = Math.floor(ratios.length / 4);
  return `${median(ratios).toFixed(3)} (${ratios[quarter].toFixed(3)}–${ratios.at(-1 - quarter).toFixed(3)})`;
}
