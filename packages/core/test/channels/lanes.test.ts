// What is asked of a platform after a gap, in which order, and what waits for it.
import { expect, onTestFinished, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatLanes, SpokenPlace } from "../../src/contract/channel.ts";
import { channelHost } from "../../src/channels/host.ts";
import type { JsonObject, Logger } from "../../src/contract/base.ts";
import { fakeClock } from "../../src/testing.ts";

const HOUR = 3_600_000;
const NOW = 40 * 24 * HOUR;

interface Scene {
  readonly lanes: ChatLanes;
  /** What was asked, taken and done, in order. */
  readonly happened: string[];
  readonly failures: unknown[];
  readonly logged: { readonly event: string; readonly data: JsonObject }[];
  readonly told: unknown[];
  /** The places that are asked wait for this. */
  readonly gates: Map<string, PromiseWithResolvers<void>>;
}

function scene(
  places: readonly SpokenPlace[],
  said: Readonly<Record<string, readonly string[] | "gone" | "closed">>,
  backfillHours?: number,
): Scene {
  const folder = mkdtempSync(join(tmpdir(), "margay-lanes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const happened: string[] = [];
  const failures: unknown[] = [];
  const logged: Scene["logged"] = [];
  const told: unknown[] = [];
  const gates: Scene["gates"] = new Map();
  const write = (event: string, data: JsonObject = {}): void => void logged.push({ event, data });
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  const clock = fakeClock(NOW);
  const report = (_id: string, change: unknown): void => void told.push(change);
  const host = channelHost("desk", { folder, clock, log, report, backfillHours });
  const end = new AbortController();
  const lanes = host.lanes<SpokenPlace, string>(
    {
      places: () => places,
      async missed({ id }, { since }) {
        happened.push(`ask ${id} since ${(NOW - since) / HOUR} h`);
        await gates.get(id)?.promise;
        const found = said[id] ?? [];
        return typeof found === "string" ? found : { said: found };
      },
      async take(text, { chat }) {
        if (text === "unreadable") throw new Error("the disk is full");
        happened.push(text);
        const thread = /begins (\w+)/.exec(text)?.[1];
        return thread === undefined ? undefined : { id: thread, chat, at: NOW };
      },
    },
    (error) => {
      failures.push(error);
      end.abort(error);
    },
    end.signal,
  );
  return { lanes, happened, failures, logged, told, gates };
}

const chat = (id: string, ageHours: number): SpokenPlace => ({ id, chat: id, at: NOW - ageHours * HOUR });

test("CH52 after a gap the chats are asked, newest first, a day back; threads that are a week old are not; new threads are", async () => {
  const thread = (id: string, of: string, ageHours: number): SpokenPlace => ({ ...chat(id, ageHours), chat: of });
  const { lanes, happened } = scene(
    [chat("a", 900), chat("b", 5), thread("old", "b", 24 * 7), thread("t", "b", 1), chat("c", 2)],
    { a: ["a1"], b: ["b1 begins n", "b2"], n: ["n1"], c: ["c1"] },
  );
  await lanes.catchUp();
  const asked = happened.filter((one) => one.startsWith("ask"));
  expect(asked.map((one) => one.split(" ")[1])).toEqual(["t", "c", "a", "b", "n"]);
  expect(new Set(asked.map((one) => one.split("since ")[1]))).toEqual(new Set(["24 h"]));
  expect(happened.filter((one) => /^[bn]\d/.test(one))).toEqual(["b1 begins n", "n1", "b2"]);
});

test("CH52 lanes/MAX_MISSED of a place the newest 200 are taken, which is said; so far back as is set, and 0 is nothing", async () => {
  const many = Array.from({ length: 230 }, (_, count) => `m${count + 1}`);
  const { lanes, happened, logged } = scene([chat("a", 100)], { a: many }, 72);
  await lanes.catchUp();
  expect(happened).toEqual(["ask a since 72 h", ...many.slice(30)]);
  expect(logged).toEqual([{ event: "channel.backfill-cut", data: { channel: "desk", chat: "a", messages: 200 } }]);
  const none = scene([chat("a", 100)], { a: many }, 0);
  await none.lanes.catchUp();
  expect(none.happened).toEqual([]);
});

test("CH52 CH114 what comes live in a chat waits for what was missed there, which is asked next, and no other chat waits", async () => {
  const { lanes, happened, gates } = scene([chat("a", 3), chat("b", 2), chat("c", 1)], {
    a: ["a1"],
    b: ["b1"],
    c: ["c1"],
  });
  const gate = Promise.withResolvers<void>();
  gates.set("c", gate);
  const asked = lanes.catchUp();
  const live = lanes.run("a", async () => void happened.push("live in a"));
  await lanes.run("new", async () => void happened.push("live elsewhere"));
  expect(happened).toEqual(["ask c since 24 h", "live elsewhere"]);
  gate.resolve();
  await Promise.all([asked, live]);
  const order = happened.filter((one) => one.startsWith("ask")).map((one) => one.split(" ")[1]);
  expect(order).toEqual(["c", "a", "b"]);
  expect(happened.indexOf("live in a")).toBeGreaterThan(happened.indexOf("a1"));
});

test("CH52 CH21 behind a message that could not be kept nothing of its chat is taken, and whoever asked is told", async () => {
  const { lanes, happened, failures } = scene([chat("a", 1)], { a: ["a1", "unreadable", "a3"] });
  const asked = lanes.catchUp();
  const live = lanes.run("a", async () => void happened.push("live"));
  await expect(asked).rejects.toThrow("the disk is full");
  await Promise.all([live, lanes.over()]);
  expect(happened).toEqual(["ask a since 24 h", "a1"]);
  expect(failures[0]).toMatchObject({ message: "the disk is full" });
});

test("CH52 a chat that is gone is left, and one that nobody lets us look into is said in the status", async () => {
  const { lanes, happened, told } = scene([chat("a", 1), chat("b", 2), chat("c", 3)], {
    a: "gone",
    b: "closed",
    c: ["c1"],
  });
  await lanes.catchUp();
  expect(happened.at(-1)).toBe("c1");
  expect(told).toEqual([{ history: "part" }]);
});
