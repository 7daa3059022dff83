// PE82: a home is made with bounds on a day, by the terminal and by the page; what exists is left alone, and doctor hints.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { operations } from "../gateway/operations.ts";
import { startGateway } from "../gateway/support.ts";

const BUDGETS = [
  { scope: "day", tokens: 2_000_000, action: "stop" },
  { scope: "unattended", tokens: 1_000_000, action: "stop" },
];
const configOf = (home: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(home, "config.json"), "utf8")) as Record<string, unknown>;
const budgetsIn = async (place: Margay): Promise<unknown> =>
  (await place.run(["config", "get", "budgets", "--json"])).lines[0]?.["value"];

test("PE82 R427 onboard makes a home with bounds and says how to lift them; what it says lifts them for good", async () => {
  const place = margay();
  const env = { ANTHROPIC_API_KEY: "sk-not-a-key" };
  const { code, out } = await place.run(["onboard", "--yes"], { env });
  expect(code).toBe(0);
  expect(await budgetsIn(place)).toEqual(BUDGETS);
  const lift = /`margay (config set budgets) '(.*?)'`/.exec(out);
  expect(await place.run([...(lift?.[1] ?? "").split(" "), lift?.[2] ?? ""])).toMatchObject({ code: 0 });
  expect(await budgetsIn(place)).toEqual([]);
  await place.run(["onboard", "--yes"], { env });
  expect(await budgetsIn(place)).toEqual([]);
});

test("PE82 the first thing the page saves makes a home with bounds, which hold at once; a later one does not", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ home }) => rmSync(join(home, "config.json")),
    flags: { "gateway.port": 0 },
  });
  const operate = operations(gateway);
  const patch = async (body: object): Promise<void> => {
    const { headers } = await operate("getSettings");
    const { status } = await operate("patchSettings", { body, headers: { "if-match": headers.get("etag") ?? "" } });
    expect(status).toBe(200);
  };
  expect(existsSync(join(gateway.home, "config.json"))).toBe(false);
  await patch({ language: "zh-CN" });
  expect(configOf(gateway.home)).toEqual({ language: "zh-CN", budgets: BUDGETS });
  const { body, headers } = await operate("getBudgets");
  expect(body.items).toMatchObject(BUDGETS.map((budget) => ({ ...budget, spent: { tokens: 0 } })));
  await operate("putBudgets", { body: { items: [] }, headers: { "if-match": headers.get("etag") ?? "" } });
  await patch({ language: "en" });
  expect(configOf(gateway.home)).toEqual({ language: "en" });
});

for (const first of [
  ["config", "set", "language", "zh-CN"],
  ["mcp", "add", "notes", "--", "node", "server.js"],
  ["models", "use", "openai/gpt-5"],
])
  test(`PE82 margay ${first.slice(0, 2).join(" ")} makes a home with bounds when it is the first act, and leaves a later one alone`, async () => {
    const place = margay();
    expect(await place.run(first)).toMatchObject({ code: 0 });
    expect(await budgetsIn(place)).toEqual(BUDGETS);
    await place.run(["config", "set", "budgets", "[]"]);
    expect(await place.run(first.map((word) => (word === "notes" ? "other" : word)))).toMatchObject({ code: 0 });
    expect(await budgetsIn(place)).toEqual([]);
  });

test("PE82 R427 a home from before is told by doctor, as no finding, and the command that is shown sets the bounds", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const place = margay();
  place.configure({ ...modelConfig(model.url), gateway: { port: 0 } });
  const hint = async () => {
    const { findings } = JSON.parse((await place.run(["doctor", "--json"])).out) as {
      findings: readonly { readonly id: string; readonly level: string; readonly text: string }[];
    };
    return findings.find(({ id }) => id === "budgets");
  };
  const told = await hint();
  expect(told).toMatchObject({ level: "ok", text: expect.stringMatching(/nothing bounds what a day may cost/) });
  expect(told).not.toHaveProperty("repair");
  const value = /margay config set budgets '(.*)'/.exec(told?.text ?? "")?.[1] ?? "";
  expect(await place.run(["config", "set", "budgets", value])).toMatchObject({ code: 0 });
  expect(await budgetsIn(place)).toEqual(BUDGETS);
  expect(await hint()).toBeUndefined();
});

test("PE82 a script in a home without a configuration is answered and writes none", async () => {
  const place = margay();
  expect(await place.run(["agent", "-m", "hello"])).toMatchObject({ code: 0 });
  expect(existsSync(join(place.home, "config.json"))).toBe(false);
});

test("PE82 a person, also in a script, is answered in a home whose jobs used theirs up", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const place = margay();
  place.configure({ ...modelConfig(model.url), budgets: BUDGETS });
  const all = { usage: { input: 999_000, output: 500 } };
  model.replies(says("the report", all), says("hello Ada"));
  const job = ["cron", "add", "--message", "report", "--to", "cli:direct", "--every", "24h", "--json"];
  const id = String((await place.run(job)).lines[0]?.["id"]);
  expect((await place.run(["cron", "run", id])).out).toMatch(/: ok after/);
  expect((await place.run(["cron", "run", id])).out).not.toMatch(/: ok after/);
  expect(model.requests).toHaveLength(1);
  expect((await place.run(["agent", "-m", "hi", "--session", "cli:mine"])).out).toContain("hello Ada");
});
