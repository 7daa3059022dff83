// BK6: a running margay makes backups by itself, reads and rehearses them, and says what is wrong.
import { openFileDocs } from "@margay/core/internal";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeClock } from "@margay/core/testing";
import { expect, test, vi } from "vitest";
import { soonest } from "../../src/features/backup/schedule.ts";
import { readState } from "../../src/features/backup/state.ts";
import { margay } from "../cli/harness.ts";
import { startGateway } from "../gateway/support.ts";

const HOUR = 3_600_000;
const LARGE = 4_000_000;
const LONG = { timeout: 60_000, interval: 50 };
const backup = { target: "../kept", passphrase: "four unrelated words here", schedule: "daily", drillDays: 1 };

test(
  "BK6 a backup is made, read and rehearsed by itself; a broken byte is said within a day, and the repair mends it",
  { timeout: 180_000 },
  async (t) => {
    const clock = fakeClock();
    const { home, logs } = await startGateway(t, {
      clock,
      config: { backup },
      prepare: ({ workspace }) => writeFileSync(join(workspace, "photo.jpg"), randomBytes(LARGE)),
    });
    const done = (task: string): number =>
      logs.filter((line) => line["event"] === "backup.done" && line["task"] === task).length;
    await vi.waitUntil(() => done("drill") === 1, LONG);
    expect(done("backup")).toBe(1);
    expect(readState(openFileDocs(home))).toMatchObject({
      last: {},
      checked: {},
      drilled: expect.any(Number) as number,
    });
    expect(readdirSync(join(home, "backup")).filter((name) => name.startsWith("drill"))).toEqual([]);

    const app = margay();
    const env = { MARGAY_HOME: home };
    const found = async (): Promise<unknown> => {
      const { lines } = await app.run(["doctor", "--json"], { env });
      return JSON.stringify(lines);
    };
    expect(await found()).toContain("restored for trial on");
    const packs = join(home, "../kept/packs");
    const [pack = ""] = readdirSync(packs);
    const bytes = readFileSync(join(packs, pack));
    // Of the file that fills it and does not change: what no later state has would stay lost to the first snapshot.
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(join(packs, pack), bytes);
    await clock.waitForSleep();
    await clock.advance(25 * HOUR);
    await vi.waitUntil(() => logs.some((line) => line["event"] === "backup.failed"), LONG);
    expect(await found()).toContain("margay backup --repair");
    expect((await app.run(["backup", "--repair"], { env })).code).toBe(0);
    expect(await app.run(["backup", "check"], { env })).toMatchObject({ code: 0 });
    expect(await app.run(["backup", "drill"], { env })).toMatchObject({ code: 0 });
    expect(await found()).toContain("restored for trial on");
  },
);

test("BK6 what failed is tried again after an hour, and a new process goes on from what was noted", () => {
  const config = { ...backup, schedule: "weekly", workspace: "files", maxMegabytes: 1, prune: false } as const;
  const noted = { last: { at: 0, target: "", name: "", bytes: 0 }, tried: { at: 10 }, checked: { at: 10 } };
  expect(soonest(config, { ...noted, drill: { at: 10 } }, new Map())).toEqual({ task: "check", at: 24 * HOUR + 10 });
  expect(soonest(config, { ...noted, tried: { at: 10, error: "full" }, drill: { at: 10 } }, new Map())).toEqual({
    task: "backup",
    at: HOUR + 10,
  });
  expect(soonest({ ...config, schedule: "off" }, noted, new Map())).toBeUndefined();
});

test("BK6 a backup that cannot be made is said by doctor, and its repair makes one", async () => {
  const app = margay();
  app.configure({ backup: { ...backup, target: "../file/kept" } });
  writeFileSync(join(app.directory, "file"), "not a folder");
  expect((await app.run(["backup"])).code).not.toBe(0);
  expect((await app.run(["doctor", "--json"])).out).toContain("could not be made");
  app.configure({ backup });
  expect((await app.run(["backup"])).code).toBe(0);
  expect((await app.run(["doctor", "--json"])).out).toContain("The last backup is of");
});
