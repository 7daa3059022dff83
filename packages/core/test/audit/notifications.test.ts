import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Notification, Notifications } from "../../src/contract/notification.ts";
import { openNotifications } from "../../src/audit/notifications.ts";
import { fakeClock, runUntilCrash } from "../../src/testing.ts";
import { temporaryFolder, type Folder } from "../support/folder.ts";
import { collectingLog } from "../support/log.ts";

const program = fileURLToPath(new URL("./fixtures/notify.ts", import.meta.url));
const clock = fakeClock();

function open(folder: Folder, maxLines?: number): Notifications {
  return openNotifications({
    path: folder.at("notifications.jsonl"),
    clock,
    log: collectingLog(),
    ...(maxLines !== undefined && { maxLines }),
  });
}

const result = (id: string, session = "heartbeat") => ({ id, kind: "result" as const, session });

test("PE88 what comes in one conversation before it was seen is one notification with a count, after a restart too", async () => {
  await using folder = await temporaryFolder();
  const notifications = open(folder);
  let told = 0;
  notifications.watch(() => (told += 1));
  await notifications.add(result("1"));
  await notifications.add(result("2"));
  await notifications.add(result("2")); // redelivered
  await notifications.add({ id: "p", kind: "paused", session: "cron:water" });
  const all = notifications.list();
  expect(all.map(({ id, count, seen }) => [id, count, seen])).toEqual([
    ["p", 1, false],
    ["2", 2, false],
  ]);
  expect(told).toBe(3);
  expect(open(folder).list()).toEqual(all);
});

test("PE88 what was seen is seen after a restart, what came meanwhile is not, and the next one counts from one", async () => {
  await using folder = await temporaryFolder();
  const notifications = open(folder);
  await notifications.add(result("1"));
  await notifications.add(result("2"));
  await notifications.see(["1"]); // another page had not heard of the second
  expect(notifications.list()).toMatchObject([{ id: "2", count: 2, seen: false }]);
  await notifications.see(["2", "unknown"]);
  expect(open(folder).list()).toMatchObject([{ id: "2", count: 2, seen: true }]);
  await notifications.add(result("3"));
  expect(open(folder).list()).toMatchObject([{ id: "3", count: 1, seen: false }]);
});

test("PE88 the file and the list are bounded, and what nobody has seen goes last", async () => {
  await using folder = await temporaryFolder();
  const notifications = open(folder, 300);
  await notifications.add(result("first", "kept"));
  for (let n = 0; n < 250; n += 1) {
    await notifications.add(result(`n${n}`, `s${n}`));
    await notifications.see([`n${n}`]);
  }
  for (let n = 0; n < 500; n += 1) await notifications.add(result(`more${n}`, "s249"));
  expect(readFileSync(folder.at("notifications.jsonl"), "utf8").split("\n").length).toBeLessThanOrEqual(301);
  const list = notifications.list();
  expect(list).toHaveLength(200);
  expect(list[0]).toMatchObject({ id: "more499", count: 500 });
  expect(list.at(-1)).toMatchObject({ id: "first", seen: false });
  expect(open(folder, 300).list()).toEqual(list);
  expect(statSync(folder.at("notifications.jsonl")).mode & 0o777).toBe(0o600);
});

test("PE88 a damaged file is put aside and said, and new ones are kept", async () => {
  await using folder = await temporaryFolder();
  await open(folder).add(result("1"));
  const path = folder.at("notifications.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace("heartbeat", "heartbeet"));
  const log = collectingLog();
  const notifications = openNotifications({ path, clock, log });
  await notifications.add(result("2"));
  expect(notifications.list()).toMatchObject([{ id: "2" }]);
  expect(log.lines.map(({ event }) => event)).toEqual(["notifications.damaged"]);
  expect(readdirSync(folder.path).some((name) => name.includes(".damaged-"))).toBe(true);
});

for (const when of ["before", "torn", "after"] as const)
  test(`PE88 killed ${when} each line and started again, everything is there once`, async () => {
    for (let commit = 1; ; commit += 1) {
      await using folder = await temporaryFolder();
      const args = [program, folder.at("notifications.jsonl")];
      const first = await runUntilCrash({ args, at: { commit, when } });
      const second = first.signal === null ? first : await runUntilCrash({ args });
      expect([second.code, second.stderr]).toEqual([0, ""]);
      const list = JSON.parse(second.stdout) as readonly Notification[];
      expect(list).toMatchObject([{ id: "r3", kind: "result", session: "heartbeat", count: 2, seen: false }]);
      expect(open(folder).list()).toEqual(list);
      if (first.signal === null) break;
    }
  });

test("PE88 notifications/MAX_ENTRIES: of 200 conversations each is told, of one more the oldest that was seen goes, else the oldest", async () => {
  await using folder = await temporaryFolder();
  const notifications = open(folder);
  for (let n = 0; n < 200; n++) await notifications.add(result(`${n}`, `s${n}`));
  expect(notifications.list().at(-1)?.session).toBe("s0");
  await notifications.see(["1"]);
  await notifications.add(result("200", "s200"));
  const sessions = (): readonly string[] => notifications.list().map(({ session }) => session);
  expect([sessions().length, sessions().includes("s0"), sessions().includes("s1")]).toEqual([200, true, false]);
  await notifications.add(result("201", "s201"));
  expect([sessions().length, sessions().includes("s0")]).toEqual([200, false]);
});
