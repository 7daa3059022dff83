// Turns that nobody asked for: how many there are, and what becomes of the results that open none any more.
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { callsTool, runUntilCrash, says, startMockModel, type MockModel } from "../../src/testing.ts";
import { type RecordedRequest } from "../../src/internal-testing.ts";
import { temporaryFolder } from "../support/folder.ts";

const program = fileURLToPath(new URL("./fixtures/spawning.ts", import.meta.url));
const isChild = (request: RecordedRequest): boolean => request.system.includes("You are a subagent");
/** What the last message is: a result of `spawn` is answered with words, everything else with another `spawn`. */
const hasStarted = (request: RecordedRequest): boolean => request.messages.at(-1)?.role === "tool";

/** A model that never has enough. */
async function insatiable(): Promise<MockModel> {
  const model = await startMockModel();
  const often = <Item>(item: Item): readonly Item[] => Array.from({ length: 2000 }, () => item);
  model.route(isChild, ...often(() => says("CHILD is done")));
  model.route(
    () => true,
    ...often((request: RecordedRequest) =>
      hasStarted(request) ? says("on it") : callsTool("spawn", { task: "more" }),
    ),
  );
  return model;
}

interface Ended {
  /** By reply id: what arrived again has the same. */
  readonly replies: ReadonlyMap<string, string>;
  readonly kills: number;
  readonly ended: readonly [code: number | null, stderr: string];
}

/** @param every kills each process at that commit, until one gets through. */
async function toItsEnd(
  model: MockModel,
  every?: { readonly commit: number; readonly when: "before" | "after" },
): Promise<Ended> {
  await using folder = await temporaryFolder();
  await mkdir(folder.at("workspace"));
  const args = [program, folder.at("home"), folder.at("workspace"), model.url];
  const replies = new Map<string, string>();
  for (let kills = 0; ; kills += 1) {
    const { code, signal, stdout, stderr } = await runUntilCrash({ args, ...(every !== undefined && { at: every }) });
    for (const line of stdout.split("\n").filter((one) => one !== "")) {
      const [id, text] = JSON.parse(line) as [string, string];
      replies.set(id, text);
    }
    if (signal === null) return { replies, kills, ended: [code, stderr] };
  }
}

test("DF5 PE80 a model that answers each result with another subagent makes six turns and seven messages, and stops", async () => {
  await using model = await insatiable();
  const { replies, ended } = await toItsEnd(model);
  expect(ended).toEqual([0, ""]);
  expect([...replies.values()]).toEqual([
    ...Array.from({ length: 6 }, () => "on it"),
    expect.stringContaining("1 result; answer to go on."),
  ]);
  expect([...replies.values()].at(-1)).toContain("CHILD is done");
  expect(model.requests.filter(isChild)).toHaveLength(6);
  expect(model.requests.filter((request) => !isChild(request))).toHaveLength(12);
});

test("DF5 PE80 killed again and again it is the same number of turns and messages", { timeout: 300_000 }, async () => {
  await using model = await insatiable();
  const { replies, kills, ended } = await toItsEnd(model, { commit: 7, when: "before" });
  expect(ended).toEqual([0, ""]);
  expect(kills).toBeGreaterThan(10);
  expect([...replies.values()].filter((text) => text === "on it")).toHaveLength(6);
  expect([...replies.values()].filter((text) => text.includes("answer to go on"))).toHaveLength(1);
  expect(replies.size).toBe(7);
});
