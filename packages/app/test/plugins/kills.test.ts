// PL4 over kill -9: what a hook said is a record like any other, and is there once.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { start } from "../durability/running.ts";
import { approved } from "./plugin-home.ts";

const CRASHES = new URL("../../../core/src/testing/crash-hook.ts", import.meta.url).href;
const WATCH = `export const plugin = { contract: "hook/1", name: "watch", on: {
  "turn.start": () => ({ note: "at the start" }),
  "call.before": ({ record }) => record.name === "write_file" ? { deny: true, reason: "no files" } : undefined,
  "turn.end": () => ({ note: "at the end" }),
} };\n`;
/** More than the turn has. */
const COMMITS = 9;

interface Line {
  readonly records: readonly {
    readonly type: string;
    readonly notice?: unknown;
    readonly rule?: string;
    readonly reason?: string;
  }[];
}

/** What is left of the hook, of turns and of messages, in order, by conversation. */
function leftIn({ home }: Margay): ReadonlyMap<string, readonly string[]> {
  const folder = join(home, "sessions");
  const names = readdirSync(folder).filter((name) => name.endsWith(".journal"));
  return new Map(
    names.map((name) => {
      const lines = readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1);
      const records = lines.flatMap((line) => (JSON.parse(line) as Line).records); // written by the program
      const left = records.flatMap((record) => {
        const note = /at the (?:start|end)/.exec(JSON.stringify(record.notice) ?? "")?.[0];
        if (note !== undefined) return [note];
        if (record.rule !== undefined) return [`${record.type} ${record.rule}`];
        return record.type === "turn.ended" ? [`${record.type} ${String(record.reason)}`] : [];
      });
      return [name.replace(/-[0-9a-f]{8}\.journal$/, ""), left] as const;
    }),
  );
}

test("PL4 killed at each commit of a turn, its notes and its denial are there once, and the turn goes on to the same end", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  model.route(
    () => true,
    ...Array.from(
      { length: 200 },
      () => (request: { readonly raw: string }) =>
        /"role":"tool"/.test(request.raw) ? says("done") : callsTool("write_file", { path: "a.txt", content: "x" }),
    ),
  );
  const made = margay();
  made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false } });
  await (
    await approved({ name: "watch", contract: "hook/1", code: WATCH })
  )(made);
  let kills = 0;
  for (let commit = 1; commit <= COMMITS; commit++) {
    const by = [
      "env",
      `NODE_OPTIONS=--import ${CRASHES}`,
      `MARGAY_CRASH_AT=after:${commit}`,
      "MARGAY_CRASH_FILE=sessions",
    ];
    const session = `cli:k${commit}`;
    const first = start(made, { by }, "agent", "-m", "go", "--session", session);
    if ((await first.ended) === "SIGKILL") kills += 1;
    const next = start(made, {}, "agent", "-m", "later", "--session", session);
    expect(await next.ended, next.err()).toBe(0);
  }
  expect(kills).toBeGreaterThan(3);
  const all = [...leftIn(made)].filter(([name]) => name.includes("cli-k"));
  expect(all).toHaveLength(COMMITS);
  // What is said after a kill may still be of the same turn: it is compared to its first end.
  const turn = (left: readonly string[]): readonly string[] => left.slice(0, left.indexOf("at the end") + 1);
  const whole = ["at the start", "call.judged hook watch", "turn.ended done", "at the end"];
  for (const [name, left] of all) {
    expect([name, turn(left)]).toEqual([name, whole]);
    expect(left.filter((line) => line.includes("hook watch"))).toHaveLength(1);
  }
}, 120_000);
