/** PL7 over the built program: what a start reads of plugins, and what it takes of the processor until the first question to the model. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel, type MockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { start, startGateway } from "../durability/running.ts";
import { approved, oneTool } from "./plugin-home.ts";

const HOOK = new URL("./seen-hook.mjs", import.meta.url).href;
/** Files of the bundle with the code of plugins. */
const CODE = /^load .*\/dist\/(?:plugins|plugin-process|plugin-hooks|begin|answers|offer|content)-[\w-]+\.js$/;
const TEN = Array.from({ length: 10 }, (_, index) => ({
  name: `p${index}`,
  code: `${oneTool(`p${index}`, "return 'x'")}//${"x".repeat(20_000)}\n`,
}));

async function homes(): Promise<{ readonly model: MockModel; readonly none: Margay; readonly ten: Margay }> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const [none, ten] = [margay(), margay()];
  for (const made of [none, ten]) made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false } });
  await (
    await approved(...TEN)
  )(ten);
  return { model, none, ten };
}

/** What a process of that home saw of plugins: what it opened below plugins/, and whether their code. */
function seenIn(made: Margay) {
  const file = join(made.directory, "seen");
  const by = ["env", `NODE_OPTIONS=--import ${HOOK}`, `MARGAY_SEEN=${file}`];
  const lines = (): readonly string[] => readFileSync(file, "utf8").split("\n");
  return {
    by,
    lines,
    read: () => [...new Set(lines().flatMap((line) => /^(?:readFile|open|readdir|opendir) (plugins(?:\/.*)?)$/.exec(line)?.[1] ?? []))], // prettier-ignore
    code: () => lines().filter((line) => CODE.test(line)).map((line) => line.replace(/^.*\/([a-z-]+?)-[\w-]{8}\.js$/, "$1")), // prettier-ignore
  };
}

test("PL7 a start without plugins opens no file of plugins and none of their code; with ten it opens their list, and one file of code", async () => {
  const { model, none, ten } = await homes();
  for (const [made, read, code] of [
    [none, [], []],
    [ten, ["plugins/approved.json"], ["plugins"]],
  ] as const) {
    const seen = seenIn(made);
    model.replies(says("ok"));
    const asked = start(made, { by: seen.by }, "agent", "-m", "go");
    expect(await asked.ended, asked.err()).toBe(0);
    expect(seen.lines().filter((line) => line.startsWith("load ")).length).toBeGreaterThan(3); // it does look
    expect([seen.read(), seen.code()]).toEqual([read, code]);
  }
  expect(model.requests.at(-1)?.raw).toContain("plugin_p9_run");
}, 60_000);

test("PL7 a gateway without plugins opens at most their folder until it is ready", async () => {
  const { none } = await homes();
  const seen = seenIn(none);
  const gateway = await startGateway(none, seen.by);
  expect(await gateway.ready()).toBe(true);
  expect(seen.read().filter((line) => line !== "plugins/node_modules")).toEqual([]);
  expect(seen.code()).toEqual([]);
}, 60_000);

/** Of each home, one after the other: so often, and again so often where a busy machine has made one of them slow each time. */
const STARTS = 12;
const ROUNDS = 5;
/** What a start without plugins takes on an idle core of 2 GHz: on a slower or a busy one five milliseconds are as much longer. */
const FLOOR_MS = 200;

test("PL7 with ten plugins a start takes at most 5 ms more of the processor until the model is asked", async () => {
  const { model, none, ten } = await homes();
  const cpu = async (made: Margay): Promise<number> => {
    let at = Number.NaN;
    const asked = start(made, {}, "agent", "-m", "go", "--session", `cli:${crypto.randomUUID()}`);
    model.replies(() => {
      // Of its main thread: what waits for a processor does not count.
      const [ns] = readFileSync(`/proc/${asked.pid}/task/${asked.pid}/schedstat`, "utf8").split(" ");
      at = Number(ns) / 1e6;
      return says("ok");
    });
    expect(await asked.ended, asked.err()).toBe(0);
    return at;
  };
  for (const made of [none, ten]) await cpu(made); // compiled code is kept
  const all = { none: [] as number[], ten: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    for (let count = 0; count < STARTS; count++) {
      all.none.push(await cpu(none));
      all.ten.push(await cpu(ten));
    }
    // The quickest of each: what else runs on a machine makes a start longer and never shorter.
    const floor = Math.min(...all.none);
    if (Math.min(...all.ten) - floor < 5 * Math.max(1, floor / FLOOR_MS)) return;
  }
  expect.fail(JSON.stringify(all));
}, 300_000);
