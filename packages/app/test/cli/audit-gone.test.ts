// What `margay audit verify` says when the log, or a part of it, was taken away.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "./harness.ts";

async function used(): Promise<Margay & { readonly say: () => Promise<unknown> }> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const cli = margay();
  cli.configure(modelConfig(model.url));
  const say = (): Promise<unknown> => {
    model.replies(says("hello"));
    return cli.run(["agent", "-m", "hi"]);
  };
  await say();
  return { ...cli, say };
}

const dayOf = (home: string): string =>
  readdirSync(join(home, "audit")).find((name) => name.endsWith(".jsonl")) ?? "none";

const PARTS: readonly (readonly [name: string, paths: (home: string) => readonly string[], said: string])[] = [
  ["the day file", (home) => [dayOf(home)], "YYYY-MM-DD.jsonl is gone"],
  ["the head", () => ["head.json"], "head.json is gone"],
  ["the day file and the head", (home) => [dayOf(home), "head.json"], "YYYY-MM-DD.jsonl is gone"],
  ["all but the key", (home) => [dayOf(home), "head.json", "checkpoint.json"], "YYYY-MM-DD.jsonl is gone"],
  ["all but the checkpoint", (home) => [dayOf(home), "head.json", "key"], "YYYY-MM-DD.jsonl is gone"],
  ["the key", () => ["key"], "key is gone"],
  ["what the directory holds", (home) => readdirSync(join(home, "audit")), "audit/ is gone"],
  ["the directory", () => ["."], "audit/ is gone"],
];

test.each(PARTS)("DF6 R264 %s taken away: exit code 1, and what is gone is named", async (_name, paths, said) => {
  const { home, run, configure } = await used();
  expect((await run(["audit", "verify"])).code).toBe(0);
  for (const path of paths(home)) rmSync(join(home, "audit", path), { recursive: true });
  const { code, out } = await run(["audit", "verify"]);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining(said) as string });
  configure({ language: "zh-CN" });
  expect((await run(["audit", "verify"])).out).toContain(said.replace(" is gone", " 已不存在"));
  expect((await run(["audit", "verify", "--json"])).lines[0]).toMatchObject({ ok: false });
});

test("DF6 a log that was taken away is made again, and says for ever that it was", async () => {
  const { home, run, say } = await used();
  rmSync(join(home, "audit"), { recursive: true });
  await say();
  expect((await run(["audit", "list"])).out).toContain("audit.broken");
  const { code, out } = await run(["audit", "verify"]);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("a record is missing") as string });
});

test("DF6 a home that nobody used yet, and one that was only configured, have a whole log", async () => {
  const { home, run, configure } = margay();
  expect(await run(["audit", "verify"])).toMatchObject({ code: 0, out: "The chain of 0 records is whole.\n" });
  configure({ language: "en" });
  expect((await run(["audit", "verify"])).code).toBe(0);
  expect(existsSync(join(home, "audit"))).toBe(false);
  await run(["stop", "--all"]);
  expect((await run(["audit", "verify"])).code).toBe(0);
});
