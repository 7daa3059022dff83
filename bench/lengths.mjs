// SO2: what a long conversation costs whoever goes on with it: `margay agent -m` of the built program in a home with 100 and with
// 50,000 messages, with what is kept beside the journal and without, in turn. node bench/lengths.mjs [rounds] [messages]
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileOf, longHome, SAID, send } from "./lib/long-home.mjs";
import { median, startMock } from "./lib/stage.mjs";

const ROUNDS = Number(process.argv[2] ?? 9);
const MANY = Number(process.argv[3] ?? 50_000);
const root = mkdtempSync(join(tmpdir(), "margay-lengths-bench-"));
const mock = await startMock(process.execPath);

const forget = (home) => {
  const snapshot = fileOf(home, ".snapshot.cache");
  if (snapshot !== undefined) rmSync(snapshot);
};

try {
  const make = (name, messages) => longHome(join(root, name), messages, mock);
  const homes = { few: await make("few", 100), many: await make("many", MANY), read: await make("read", MANY) };
  for (const home of Object.values(homes)) for (let first = 0; first < 2; first += 1) await send(home, SAID, mock); // caches are made
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = Object.keys(homes);
    const figures = {};
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      if (name === "read") forget(homes[name]);
      figures[name] = await send(homes[name], SAID, mock);
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
  const size = (end) => `${(statSync(fileOf(homes.many, end)).size / 1e6).toFixed(1)} MB`;
  console.log(`journal ${size(".journal")}, snapshot ${size(".snapshot.cache")}`);
} finally {
  await mock.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}
