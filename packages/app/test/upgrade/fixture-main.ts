/**
 * `npm run release-fixture -- NAME [--built FOLDER]`: the journals of a release of `releases.ts`, made by that release with real
 * use, and beside them what it says that they mean. Committed, they are what every later margay must open.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildCheckout, builtCheckout } from "./checkout.ts";
import { openHouse } from "./house.ts";
import { MEANING, meaningOf } from "./meaning.ts";
import { liveIn } from "./old-life.ts";
import { FIXTURES, RELEASES } from "./releases.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { built: { type: "string" } } });
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const release = RELEASES.find(({ name }) => name === positionals[0]);
if (release === undefined) {
  say(`Name a release of packages/app/test/upgrade/releases.ts: ${RELEASES.map(({ name }) => name).join(", ")}`);
  process.exitCode = 1;
} else {
  const { name, commit } = release;
  await using checkout =
    values.built === undefined
      ? await buildCheckout(commit, (text) => void process.stderr.write(text))
      : builtCheckout(values.built);
  const people = existsSync(join(checkout.root, "packages/app/src/config/keys/people.ts"));
  await using house = await openHouse({ people });
  await liveIn(house, checkout.program, { people, prefix: `${name}-`, log: say });
  const folder = join(FIXTURES, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const sessions = join(house.home, "sessions");
  for (const file of readdirSync(sessions).filter((each) => each.endsWith(".journal")))
    copyFileSync(join(sessions, file), join(folder, file));
  const meaning = await meaningOf(house, checkout.program);
  const lines = Object.entries(meaning).map(([id, each]) => `${JSON.stringify(id)}: ${JSON.stringify(each)}`);
  writeFileSync(join(folder, MEANING), `{\n${lines.join(",\n")}\n}\n`);
  say(`${Object.keys(meaning).length} journals in ${folder}`);
}
