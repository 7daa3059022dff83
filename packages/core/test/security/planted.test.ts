// What commands plant for programs that run later, while a shell, git and an editor look on: none of it runs, all of it is named.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/machine/system/clock.ts";
import { createPlace, runIn, type Place } from "../machine/sandbox/support.ts";
import { PLANTED } from "./planted-cases.ts";

const WATCHER = fileURLToPath(new URL("planted-watcher-program.ts", import.meta.url));
/** Until the watcher has obeyed all that it will. */
const AFTERWARDS_MS = 4_000;

interface Played {
  readonly ran: readonly string[];
  /** By case: how it was named to the person. */
  readonly named: ReadonlyMap<string, readonly string[]>;
}

async function play(place: Place, plant: (id: string, command: string) => Promise<readonly string[]>): Promise<Played> {
  const [markers, home] = [join(place.root, "markers"), join(place.root, "home")];
  for (const path of [markers, home]) fs.mkdirSync(path);
  fs.chmodSync(markers, 0o777);
  const watcher = spawn(process.execPath, [WATCHER, place.workspace, home], { stdio: "ignore" });
  const named = new Map<string, readonly string[]>();
  try {
    for (const { id, plant: command } of PLANTED) {
      const run = `RUN='touch ${markers}/${id}'; mkdir -p ${id} && cd ${id} && ${command}`;
      named.set(id, await plant(id, run));
    }
    const isOver = systemClock().sleep(AFTERWARDS_MS, new AbortController().signal);
    await isOver;
  } finally {
    watcher.kill("SIGKILL");
  }
  return { ran: fs.readdirSync(markers).toSorted(), named };
}

test("L7 control: without a sandbox all of them run", async () => {
  using place = createPlace();
  const { ran } = await play(place, async (_, command) => {
    const env = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
    execFileSync("bash", ["-c", command], { cwd: place.workspace, env });
    return [];
  });
  const all = PLANTED.map(({ id }) => id).toSorted();
  expect(all.filter((id) => !ran.includes(id))).toEqual([]);
});

test(`L7 SC33 SC36 of ${PLANTED.length} files and configurations that run programs later none runs, and each is named to the person`, async () => {
  using place = createPlace();
  const sandbox = place.sandbox();
  const { ran, named } = await play(place, async (_, command) => {
    const { output, code, kept } = await runIn(sandbox, place.request(command));
    expect([code, output]).toEqual([0, ""]);
    return kept.map(({ path, why }) => `${path}: ${why}`);
  });
  expect(ran).toEqual([]);
  expect([...named].filter(([id, kept]) => !kept.some((one) => one.startsWith(`${id}/`)))).toEqual([]);
});
