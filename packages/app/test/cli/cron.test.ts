import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel } from "@margay/core/testing";
import { expect, test } from "vitest";
import { startGateway } from "../gateway/support.ts";
import { margay, modelConfig } from "./harness.ts";

const add = ["cron", "add", "--message", "drink water", "--to", "cli:direct"];

test("R247 R245 a job is added, listed, switched off and on, and removed", async () => {
  const app = margay();
  expect((await app.run(["cron", "list"])).out).toBe("No jobs.\n");
  const added = await app.run([...add, "--every", "90s", "--name", "Water", "--json"]);
  expect(added.code).toBe(0);
  const [job] = added.lines;
  expect(job).toMatchObject({ trigger: { kind: "every", everyMs: 90_000 }, mode: "agent", name: "Water" });
  const id = String(job?.["id"]);
  expect((await app.run(["cron", "list"])).out).toMatch(/every 90 s +agent +next \d{4}-.*never run +cli:direct +Water/);
  expect((await app.run(["cron", "disable", id])).out).toBe(`Job ${id} is off.\n`);
  expect((await app.run(["cron", "list"])).out).toContain("  off  ");
  expect((await app.run(["cron", "enable", id])).code).toBe(0);
  expect((await app.run(["cron", "remove", id])).out).toBe(`Removed job ${id}.\n`);
  const again = await app.run(["cron", "remove", id]);
  expect(again).toMatchObject({ code: 1, out: "" });
  expect(again.err).toContain(`no job ${id}`);
});

test("CH99 a job is added whose messages come without a sound, and the others make one", async () => {
  const app = margay();
  const made = async (...more: readonly string[]): Promise<unknown> =>
    (await app.run([...add, "--every", "1h", "--json", ...more])).lines[0]?.["silent"];
  expect([await made("--silent"), await made()]).toEqual([true, undefined]);
});

test("R233 R236 jobs.json shows the jobs in milliseconds", async () => {
  const app = margay();
  await app.run([...add, "--every", "90"]);
  await app.run([...add, "--cron", "0 9 * * MON-FRI", "--tz", "Europe/Berlin", "--deliver"]);
  const view = JSON.parse(readFileSync(join(app.home, "cron/jobs.json"), "utf8")) as { jobs: unknown[] };
  expect(view.jobs).toMatchObject([
    { enabled: true, schedule: { kind: "every", everyMs: 90_000 }, payload: { message: "drink water", to: "direct" } },
    { schedule: { kind: "cron", expr: "0 9 * * MON-FRI", tz: "Europe/Berlin" }, payload: { mode: "deliver" } },
  ]);
});

test("CR13 R234 a job without a chat, or one that cannot be run, is refused with the option named", async () => {
  const app = margay();
  const refused = async (...argv: readonly string[]): Promise<string> => {
    const { code, out, err } = await app.run(["cron", "add", ...argv]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    return err;
  };
  const to = ["--to", "cli:direct", "--message", "x"];
  expect(await refused("--message", "x", "--every", "60")).toContain("--to");
  expect(await refused("--to", "direct", "--message", "x", "--every", "60")).toContain("channel:chat");
  expect(await refused("--to", "cli:direct", "--every", "60")).toContain("--message is required");
  expect(await refused(...to)).toContain("--at, --every, --cron are all missing");
  expect(await refused(...to, "--every", "soon")).toContain("--every");
  expect(await refused(...to, "--every", "60", "--cron", "* * * * *")).toContain("exclude each other");
  expect(await refused(...to, "--cron", "61 * * * *")).toContain("--cron cannot be read");
  expect(await refused(...to, "--cron", "0 0 30 2 *")).toContain("five years");
  expect(await refused(...to, "--cron", "0 9 * * *", "--tz", "Mars/Olympus")).toContain("--tz");
  expect(existsSync(join(app.home, "cron/jobs.journal"))).toBe(false);
});

test("CR13 what a running gateway refuses is told by the command beside it as if it had refused it", async (t) => {
  const gateway = await startGateway(t);
  const argv = ["cron", "add", "--to", "cli:direct", "--message", "x", "--cron", "61 * * * *"];
  const { code, out, err } = await margay().run(argv, { env: { MARGAY_HOME: gateway.home } });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("--cron cannot be read");
});

test("R238 CR17 a manual run of a deliver job sends the text and leaves the schedule alone", async () => {
  const app = margay();
  const [job] = (await app.run([...add, "--every", "1h", "--deliver", "--json"])).lines;
  const id = String(job?.["id"]);
  const ran = await app.run(["cron", "run", id, "--json"]);
  expect(ran.code).toBe(0);
  expect(ran.lines).toMatchObject([{ manual: true, status: "ok" }]);
  expect((await app.run(["sessions", "show", "cli:direct"])).out).toContain("drink water");
  const [[listed]] = (await app.run(["cron", "list", "--json"])).lines as unknown as [[Record<string, unknown>]];
  expect(listed).toMatchObject({ id, nextAt: job?.["nextAt"], last: { status: "ok" } });
  expect((await app.run(["cron", "runs", id])).out).toMatch(/ok {2}\d+ ms/);
});

test("R237 R247 a manual run of a task asks the model and shows how it ended", async () => {
  await using model = await startMockModel();
  const app = margay();
  app.configure(modelConfig(model.url));
  const [job] = (await app.run([...add, "--every", "1h", "--json"])).lines;
  model.replies(says("Have a glass."));
  expect((await app.run(["cron", "run", String(job?.["id"])])).out).toMatch(/: ok after \d+ ms/);
  expect((await app.run(["sessions", "show", "cli:direct"])).out).toContain("Have a glass.");
  expect(model.requests).toHaveLength(1);
});

test("R15 without cron.enabled there is neither the tool nor a store", async () => {
  await using model = await startMockModel();
  const app = margay();
  app.configure({ ...modelConfig(model.url), cron: { enabled: false } });
  model.replies(says("hi"));
  await app.run(["agent", "-m", "hello"]);
  expect(model.requests[0]?.toolNames).not.toContain("cron");
  const listed = await app.run(["cron", "list"]);
  expect(listed.code).toBe(1);
  expect(listed.err).toContain("cron.enabled");
  expect(existsSync(join(app.home, "cron"))).toBe(false);
});

test("R236 CR10 a store that cannot be read is refused and stays as it is", async () => {
  const app = margay();
  await app.run([...add, "--every", "1h"]);
  const path = join(app.home, "cron/jobs.journal");
  const damaged = readFileSync(path, "utf8").replace("drink water", "drink wine!");
  writeFileSync(path, damaged);
  const listed = await app.run([...add, "--every", "1h"]);
  expect(listed.code).toBe(1);
  expect(listed.err).toContain("[journal.damaged]");
  expect(readFileSync(path, "utf8")).toBe(damaged);
});
