// What is kept of groups beside their conversations: for how long, how much, and the same after a restart.
import { onTestFinished, expect, test } from "vitest";
import type { InboundMessage } from "../../src/contract/bus.ts";
import type { UserMessage } from "../../src/contract/message.ts";
import { openSessions, type SessionStore } from "../../src/index.ts";
import { openJournalDirectory } from "../../src/internal.ts";
import { createHeard, type Heard } from "../../src/people/heard.ts";
import { fakeClock } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

const origin = { channel: "telegram", chat: "-100" } as const;
const DAY_MS = 86_400_000;

interface Place {
  readonly heard: Heard;
  readonly sessions: SessionStore;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly directory: string;
}

async function place(before?: Place): Promise<Place> {
  let directory = before?.directory;
  if (directory === undefined) {
    const folder = await temporaryFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    directory = folder.at("sessions");
  }
  const clock = before?.clock ?? fakeClock();
  const sessions = openSessions({ journals: openJournalDirectory(directory), clock });
  onTestFinished(() => sessions[Symbol.asyncDispose]());
  return { heard: createHeard({ open: sessions.open, sessions, clock }), sessions, clock, directory };
}

function line(n: number, at: number, by = "eva"): readonly [InboundMessage, UserMessage] {
  const from = { id: by, name: `guest ${by}`, kind: "person" } as const;
  const parts = [{ type: "text", text: `line ${n}` }] as const;
  return [
    { key: String(n), origin, from, parts, chat: "group" },
    { role: "user", id: `m-${n}`, at, from, parts, integrity: "untrusted" },
  ];
}

/** Many at once: what a busy day leaves. */
async function day({ heard, sessions, clock }: Place, first: number, lines: number): Promise<void> {
  await heard.keep(...line(first, clock.now()));
  const session = await sessions.open(heard.keyOf(origin), origin);
  const more = Array.from({ length: lines - 1 }, (_, index) => {
    const [{ key }, message] = line(first + index + 1, clock.now());
    return { type: "message.heard", key, channel: origin.channel, message } as const;
  });
  await session.commit(...more);
}

async function days({ sessions }: Place): Promise<readonly string[]> {
  return (await sessions.list()).map(({ key, rows }) => `${key.slice(-5)} ${rows}`).toSorted();
}

test("PE50 what is heard is there for the next process, and the same line is not heard twice", async () => {
  const first = await place();
  const { clock, heard } = first;
  expect(await heard.keep(...line(1, clock.now()))).toEqual({ status: "ignored", why: "heard" });
  expect(await heard.keep(...line(1, clock.now()))).toEqual({ status: "duplicate" });
  const lines = await heard.since(origin, 0);
  await first.sessions[Symbol.asyncDispose]();
  const next = await place(first);
  expect(await next.heard.since(origin, clock.now())).toEqual(lines);
  expect(await next.heard.keep(...line(1, clock.now()))).toEqual({ status: "duplicate" });
  expect(await next.heard.names(origin)).toEqual([["eva", "guest eva"]]);
});

test("PE50 around midnight the lines of both days are at hand", async () => {
  const here = await place();
  const { clock, heard } = here;
  await clock.advance(DAY_MS / 2 - 60_000);
  await heard.keep(...line(1, clock.now()));
  await clock.advance(120_000);
  await heard.keep(...line(2, clock.now()));
  expect((await heard.since(origin, clock.now() - 1_800_000)).map(({ key }) => key)).toEqual(["1", "2"]);
  expect(await days(here)).toEqual(["03-01 1", "03-02 1"]);
});

test("people/heard/MAX_LINES 10,000 lines of a group are kept for 30 days, and the oldest days go first", async () => {
  const here = await place();
  const { clock, heard } = here;
  await day(here, 0, 10);
  await clock.advance(20 * DAY_MS);
  await day(here, 10_000, 6000);
  await clock.advance(DAY_MS);
  await day(here, 20_000, 4000);
  await clock.advance(DAY_MS);
  await heard.keep(...line(30_000, clock.now()));
  expect(await days(here)).toEqual(["03-21 6000", "03-22 4000", "03-23 1"]);
  await day(here, 40_000, 9999);
  expect(await heard.keep(...line(99_999, clock.now()))).toEqual({ status: "ignored", why: "heard" });
  expect((await days(here)).at(-1)).toBe("03-23 10000");
  await clock.advance(31 * DAY_MS);
  await heard.keep(...line(1, clock.now()));
  expect(await days(here)).toEqual(["04-23 1"]);
});

test("session/reduce/MAX_HEARD session/reduce-conversation/MAX_NAMES the last 200 lines are at hand, and 500 names are known", async () => {
  const { heard, clock } = await place();
  // Ids as platforms have them: numbers, and who came last has the smallest.
  for (let n = 0; n < 505; n++) await heard.keep(...line(n, clock.now(), String(1000 - n)));
  const lines = await heard.since(origin, 0);
  expect([lines.length, lines[0]?.key, lines.at(-1)?.key]).toEqual([200, "305", "504"]);
  const names = await heard.names(origin);
  expect([names.length, names[0]?.[0], names.at(-1)?.[0]]).toEqual([500, "995", "496"]);
});
