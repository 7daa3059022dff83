import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { writeSession } from "./journals.ts";
import { KEPT_MS, stretchesOf, watchPace } from "./stretch.ts";
import { startGateway, type Owner, type TestGateway } from "./support.ts";

interface Line {
  readonly key: string;
  readonly messages: number;
  readonly state: string;
}

/** A start with the sessions of an earlier process, changed meanwhile. */
function startWith(t: Owner, change: (home: string) => void, from?: TestGateway): Promise<TestGateway> {
  return startGateway(t, {
    prepare: ({ home }) => {
      if (from !== undefined) renameSync(join(from.home, "sessions"), join(home, "sessions"));
      change(home);
    },
  });
}

function journalOf(home: string, id = ""): string {
  return join(home, "sessions", `${id}.journal`);
}

async function listed(gateway: TestGateway): Promise<Readonly<Record<string, readonly [number, string]>>> {
  const { body } = await gateway.api("/sessions?limit=200");
  return Object.fromEntries(
    (body.items as readonly Line[]).map(({ key, messages, state }) => [key, [messages, state]]),
  );
}

async function isFree<Value>(work: () => Promise<Value>): Promise<Value> {
  const slower = watchPace();
  const { value, longestMs, nextMs } = await stretchesOf(work);
  const most = KEPT_MS * slower();
  expect(nextMs).toBeLessThan(most);
  expect(longestMs).toBeLessThan(2 * most);
  return value;
}

test("a start opens the sessions that left something to do and no other, and lists all", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ home }) => {
      for (let n = 0; n < 30; n++) writeSession(home, { key: `web:s${n}`, turns: 2 });
      writeSession(home, { key: "web:open", turns: 2, unfinished: true });
    },
  });
  gateway.model.replies(says("Here is the answer."));
  const openId = async (): Promise<string> => (await gateway.api("/sessions/by-key?key=web:open")).body.id as string;
  await expect
    .poll(async () => (await gateway.api(`/sessions/${await openId()}`)).body)
    .toMatchObject({ state: "idle", preview: "Here is the answer." });
  await gateway.stop();
  // What is opened gets a transcript.
  const transcripts = readdirSync(join(gateway.home, "sessions")).filter((name) => name.endsWith(".jsonl"));
  expect(transcripts).toEqual([expect.stringMatching(/^web-open-/)]);
  const after = await startWith(t, () => {}, gateway);
  const list = await listed(after);
  expect([Object.keys(list).length, list["web:open"], list["web:s7"]]).toEqual([31, [4, "idle"], [4, "idle"]]);
});

test("what was kept about journals is never believed against them", async (t) => {
  const first = await startWith(t, (home) => {
    for (const key of ["web:grown", "web:gone", "web:same", "web:open"]) writeSession(home, { key, turns: 1 });
  });
  expect(Object.keys(await listed(first))).toHaveLength(4);
  await first.stop();
  const changed = await startWith(
    t,
    (home) => {
      writeSession(home, { key: "web:grown", turns: 3 });
      writeSession(home, { key: "web:new", turns: 1 });
      writeSession(home, { key: "web:open", turns: 2, unfinished: true });
      const [gone = ""] = readdirSync(join(home, "sessions")).filter((name) => name.startsWith("web-gone"));
      rmSync(join(home, "sessions", gone));
    },
    first,
  );
  changed.model.replies(says("Gone on with."));
  await expect
    .poll(() => listed(changed))
    .toEqual({
      "web:grown": [6, "idle"],
      "web:new": [2, "idle"],
      "web:same": [2, "idle"],
      "web:open": [4, "idle"],
    });
  await changed.stop();
  const write =
    (text: string): ((path: string) => void) =>
    (path) =>
      writeFileSync(path, text);
  let before = changed;
  for (const damage of [
    (path: string) => appendFileSync(path, '["web-same'),
    write(""),
    write("not json"),
    write('{"version":"0"}\n["web-same-0","1-1",{}]\n'),
  ]) {
    const damageAll = (home: string): void => {
      const sessions = join(home, "sessions");
      const names = readdirSync(sessions).filter((name) => name.endsWith(".cache"));
      expect(names).toHaveLength(3);
      for (const name of names) damage(join(sessions, name));
    };
    const again = await startWith(t, damageAll, before);
    expect(Object.keys(await listed(again))).toHaveLength(4);
    await again.stop();
    before = again;
  }
});

test("a journal that cannot be read is a fault and no absence, and comes back without a restart (R422)", async (t) => {
  const ids: string[] = [];
  const gateway = await startWith(t, (home) => {
    for (const key of ["web:folder", "web:loop", "web:open", "web:other"])
      ids.push(writeSession(home, { key, turns: 1, ...(key === "web:open" && { unfinished: true }) }));
    for (const id of ids.slice(0, 3)) renameSync(journalOf(home, id), `${journalOf(home, id)}.away`);
    mkdirSync(journalOf(home, ids[0])); // nothing can be read
    symlinkSync(`${ids[1]}.journal`, journalOf(home, ids[1])); // not even looked at
    mkdirSync(journalOf(home, ids[2]));
  });
  gateway.model.replies(says("Gone on with."));
  expect(await listed(gateway)).toEqual({ "web:other": [2, "idle"] });
  for (const id of ids.slice(0, 3))
    expect(await gateway.api(`/sessions/${id}`)).toMatchObject({ status: 503, body: { code: "state.disk" } });
  await expect.poll(() => gateway.logs.map(({ event }) => event)).toContain("session.failed"); // the start has met them too
  for (const id of ids.slice(0, 3)) {
    rmSync(journalOf(gateway.home, id), { recursive: true });
    renameSync(`${journalOf(gateway.home, id)}.away`, journalOf(gateway.home, id));
  }
  expect(Object.keys(await listed(gateway)).sort()).toEqual(["web:folder", "web:loop", "web:open", "web:other"]);
  for (const id of ids) expect((await gateway.api(`/sessions/${id}`)).status).toBe(200);
  // What it had left to do is done, by itself.
  await expect
    .poll(async () => (await gateway.api(`/sessions/${ids[2] ?? ""}`)).body, { timeout: 10_000 })
    .toMatchObject({ state: "idle", preview: "Gone on with." });
});

test("5,000 sessions: the second start reads none of them, the list is quick, and nothing keeps the loop", async (t) => {
  const open = async (change: (home: string) => void, from?: TestGateway): Promise<[TestGateway, number]> => {
    const gateway = await startWith(t, change, from);
    let spent = 0;
    const { body } = await isFree(async () => {
      const before = process.threadCpuUsage();
      const answer = await gateway.api("/sessions?limit=50");
      const { user, system } = process.threadCpuUsage(before);
      spent = (user + system) / 1000;
      return answer;
    });
    expect(body.items).toHaveLength(50);
    return [gateway, spent];
  };
  const [first, read] = await open((home) => {
    for (let n = 0; n < 5000; n++) writeSession(home, { key: `web:s${n}`, turns: 2 });
  });
  await first.stop();
  const [second, notRead] = await open(() => {}, first);
  expect(notRead).toBeLessThan(read / 2);
  const warm: number[] = [];
  await isFree(async () => {
    for (let n = 0; n < 20; n++) {
      const startedAt = performance.now();
      await second.api("/sessions?limit=50");
      warm.push(performance.now() - startedAt);
    }
  });
  // The quickest quarter: what a busy machine takes from the others is not ours.
  expect(warm.toSorted((a, b) => a - b)[5]).toBeLessThan(100);
});
