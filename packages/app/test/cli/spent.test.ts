// Money that was spent stays spent, whatever becomes of the conversation.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeClock, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "./harness.ts";

const USAGE = { usage: { input: 60_000, output: 1000 } };

test("DF16 R423 deleted, begun anew, forked: the budget stays used up and every total is what it was", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const place = margay();
  const config = modelConfig(model.url);
  place.configure(config);
  const ask = (key = "cli:direct") => place.run(["agent", "-m", "hello", "--session", key]);
  const usage = async (by: string) => (await place.run(["usage", "--by", by, "--json"])).lines[0];
  model.replies(says("one", USAGE), says("two", USAGE), says("three", USAGE));
  await ask();
  await ask();
  await place.run(["sessions", "fork", "cli:direct", "cli:copy"]);
  await ask("cli:copy");
  const totals = { requests: 3, input: 180_000, output: 3000 };
  const before = await Promise.all(["day", "model", "session", "source"].map(usage));
  for (const one of before) expect(one).toMatchObject({ total: totals });
  const today = (await place.run(["status", "--json"])).lines[0]?.["today"];
  for (const key of ["cli:copy", "cli:direct"])
    expect(await place.run(["sessions", "delete", key, "--yes"])).toMatchObject({ code: 0 });
  expect(await Promise.all(["day", "model", "session", "source"].map(usage))).toEqual(before);
  expect((await place.run(["status", "--json"])).lines[0]?.["today"]).toEqual(today);

  place.configure({ ...config, budgets: [{ scope: "month", tokens: 185_000 }] });
  const refused = await ask();
  expect([refused.code, `${refused.out}${refused.err}`]).toEqual([
    expect.any(Number),
    expect.stringContaining("budget.exhausted"),
  ]);
  // The same key is another conversation now: both are counted.
  place.configure(config);
  model.replies(says("four", USAGE));
  await ask();
  expect(await usage("session")).toMatchObject({ total: { requests: 4, input: 240_000 } });
  await place.run(["sessions", "delete", "cli:direct", "--yes"]);
  expect(await usage("session")).toMatchObject({ total: { requests: 4, input: 240_000 } });
  expect(model.requests).toHaveLength(4);
});

test("status counts what was spent today, not the days before, in conversations and in removed ones", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const place = margay();
  place.configure(modelConfig(model.url));
  const ask = (key: string, clock = fakeClock(Date.now() - 3 * 86_400_000)) =>
    place.run(["agent", "-m", "hello", "--session", key], { clock });
  const today = async () => (await place.run(["status", "--json"])).lines[0]?.["today"];
  model.replies(says("one", USAGE), says("two", USAGE), says("three", USAGE));
  await ask("cli:old");
  await ask("cli:old-and-removed");
  await place.run(["sessions", "delete", "cli:old-and-removed", "--yes"]);
  expect(await today()).toMatchObject({ input: 0, output: 0 });
  await ask("cli:new", fakeClock(Date.now()));
  expect(await today()).toMatchObject(USAGE.usage);
  expect((await place.run(["usage", "--json"])).lines[0]).toMatchObject({ total: { requests: 3, input: 180_000 } });
});

test("DF16 R423 killed between noting what was spent and removing the journal, it is counted once", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const place = margay();
  place.configure(modelConfig(model.url));
  model.replies(says("one", USAGE));
  await place.run(["agent", "-m", "hello"]);
  const sessions = join(place.home, "sessions");
  const name = readdirSync(sessions).find((one) => one.endsWith(".journal")) ?? "";
  const journal = readFileSync(join(sessions, name));
  await place.run(["sessions", "delete", "cli:direct", "--yes"]);
  const spent = join(sessions, "removed-spending.jsonl");
  writeFileSync(join(sessions, name), journal); // as it was left
  writeFileSync(spent, Buffer.concat([readFileSync(spent), Buffer.from('{"id":"half')])); // and another one half-way
  const total = { total: { requests: 1, input: 60_000 } };
  expect((await place.run(["usage", "--json"])).lines[0]).toMatchObject(total);
  await place.run(["sessions", "delete", "cli:direct", "--yes"]);
  expect((await place.run(["usage", "--json"])).lines[0]).toMatchObject(total);
});
