// LP27: a margay that crashes again and again starts with its schedules paused, and says so until a person lets them run.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Logger } from "@margay/core";
import { openFileDocs, silentLog } from "@margay/core/internal";
import { fakeClock, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { scheduleHold } from "../../src/host/schedule-hold.ts";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";

const BIN = join(import.meta.dirname, "../../bin/margay.js");
const FILE = "unclean-starts.json";

interface Running {
  /** What it said on stderr so far. */
  readonly said: () => string;
  api(path: string, init?: { readonly method: "POST"; readonly body: object }): Promise<Record<string, unknown>>;
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

async function start({ home, directory }: Margay): Promise<Running> {
  const note = join(home, "gateway.json");
  rmSync(note, { force: true }); // of the process before
  const child: ChildProcess = spawn(process.execPath, [BIN, "gateway", "--port", "0", "--no-open"], {
    env: { PATH: process.env["PATH"], MARGAY_HOME: home, HOME: directory },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
  const gone = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const noted = (): { readonly url: string; readonly token: string } | undefined => {
    try {
      return JSON.parse(readFileSync(note, "utf8")) as { url: string; token: string }; // written by the gateway
    } catch {
      return undefined; // not yet
    }
  };
  await expect.poll(noted, { timeout: 60_000, interval: 40 }).toBeDefined();
  const { url = "", token = "" } = noted() ?? {};
  return {
    said: () => said,
    api: async (path, init) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method: init?.method ?? "GET",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(init !== undefined && { body: JSON.stringify(init.body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    },
    end: async (signal) => {
      child.kill(signal);
      await gone;
    },
  };
}

interface Run {
  readonly due?: number;
}

async function dues(running: Running, id: string): Promise<readonly number[]> {
  const { items } = await running.api(`/cron/jobs/${id}/runs`);
  return (items as readonly Run[]).flatMap(({ due }) => due ?? []);
}

test(
  "LP27 killed three times within five minutes it starts with schedules paused, says so, and a person lets them run",
  { timeout: 240_000 },
  async () => {
    const model = await startMockModel({ rules: "off" });
    onTestFinished(() => model.close());
    const made = margay();
    made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false }, gateway: { port: 0 } });
    let running = await start(made);
    const added = await made.run(["cron", "add", "--every", "1s", "--message", "tick", "--to", "cli:direct", "--json"]);
    const id = String(added.lines[0]?.["id"]);
    for (let kills = 1; kills <= 3; kills++) {
      const before = (await dues(running, id)).length;
      await expect.poll(async () => (await dues(running, id)).length, { timeout: 60_000 }).toBeGreaterThan(before);
      expect((await running.api("/system"))["scheduleHeldSince"]).toBeUndefined();
      expect(running.said()).not.toContain("Schedules wait");
      await running.end("SIGKILL");
      running = await start(made);
    }

    const since = Number((await running.api("/system"))["scheduleHeldSince"]);
    expect(since).toBeGreaterThan(0);
    await expect.poll(running.said, { timeout: 60_000 }).toContain("margay crashed three times within five minutes");
    expect((await running.api("/cron/upcoming"))["paused"]).toBe(true);
    expect((await made.run(["status", "--json"])).lines[0]).toMatchObject({ scheduleHeld: true });
    const { findings } = (await made.run(["doctor", "--json"])).lines[0] as { findings: readonly object[] };
    expect(findings).toContainEqual(
      expect.objectContaining({ id: "schedule", level: "warning", repair: "margay cron resume" }),
    );
    // Three of its times pass, and none is taken.
    await expect.poll(() => Date.now() - since, { timeout: 60_000 }).toBeGreaterThan(3_500);
    expect((await dues(running, id)).filter((due) => due > since)).toEqual([]);
    // A person may run it all the same.
    expect((await made.run(["cron", "run", id])).code).toBe(0);

    // It outlives an orderly restart.
    await running.end("SIGTERM");
    running = await start(made);
    expect((await running.api("/system"))["scheduleHeldSince"]).toBe(since);

    expect(await made.run(["cron", "resume"])).toMatchObject({ code: 0, out: "Schedules run again.\n" });
    const released = Date.now();
    await expect
      .poll(async () => (await running.api("/system"))["scheduleHeldSince"], { timeout: 60_000 })
      .toBeUndefined();
    await expect
      .poll(async () => (await dues(running, id)).some((due) => due >= released), { timeout: 60_000 })
      .toBe(true);
    await expect
      .poll(async () => JSON.stringify(await running.api("/audit?kind=event&limit=100")), { timeout: 60_000 })
      .toMatch(/schedule\.released.*schedule\.held/);
    expect((await made.run(["cron", "resume"])).out).toBe("No schedule waits.\n");

    // The count begins anew.
    await running.end("SIGKILL");
    running = await start(made);
    expect((await running.api("/system"))["scheduleHeldSince"]).toBeUndefined();
  },
);

test("LP27 notes that cannot be read hold until a person says otherwise; without a process the command releases them", async () => {
  const made = margay();
  made.configure({});
  writeFileSync(join(made.home, FILE), '{"unclean": [1, 2', { mode: 0o600 });
  expect((await made.run(["status", "--json"])).lines[0]).toMatchObject({ scheduleHeld: true });
  expect(await made.run(["cron", "resume"])).toMatchObject({ code: 0, out: "Schedules run again.\n", err: "" });
  expect((await made.run(["status", "--json"])).lines[0]).toMatchObject({ scheduleHeld: false });
  const { out } = await made.run(["audit", "list", "--json"]);
  expect(out).toContain("schedule.released");
});

test("LP27 a start that cannot note how the last one ended goes on, and says so in the log", async () => {
  const logged: string[] = [];
  const log: Logger = { ...silentLog, error: (event) => void logged.push(event) };
  const home = join(margay().directory, "file");
  writeFileSync(home, "no directory");
  const hold = await scheduleHold({
    docs: openFileDocs(home),
    unclean: true,
    clock: fakeClock(),
    audit: { record: () => {} },
    log,
  });
  expect([hold.since, logged]).toEqual([undefined, ["schedule.unnoted"]]);
});
