// One follower of one session, frame by frame: the clock, the session and how much waits for the client are the test's.
import type { AgentEvent, Commit, JournalRecord, Session } from "@margay/core";
import type { LiveEvent, SessionId } from "@margay/core/internal";
import { fakeClock } from "@margay/core/testing";
import { type FakeClock } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { follow, type Following } from "../../src/host/live/follow.ts";
import { createHub } from "../../src/host/live/hub.ts";
import { COMMIT_BYTES, createDrain, LIVE_BYTES } from "../../src/host/live/outlet.ts";
import { createReader } from "../../src/host/live/reader.ts";
import type { Frame } from "./frames.ts";

const ID = "session-1" as SessionId;

const RECORD = {
  type: "notice.added",
  notice: { role: "notice", at: 0, kind: "clock", text: "" },
} as const satisfies JournalRecord;
const commitOf = (seq: number): Commit => ({ seq: seq as Commit["seq"], at: 0, records: [RECORD] });

interface Place {
  readonly clock: FakeClock;
  readonly following: Following;
  /** `commit 1`, `live a|b`, `partial ab`, and what was left out: `-live`. */
  readonly seen: string[];
  readonly client: { waiting: number; closed: boolean };
  say(text: string): void;
  /** @param quietly It is in the journal, and the session says nothing of it. */
  commit(quietly?: boolean): Promise<void>;
  /** Whether the session still has it among those it tells. */
  readonly isTold: boolean;
  /** The journal cannot be read from here on. */
  damage(): void;
  /** Little waits for the client again. */
  drain(): Promise<void>;
}

/**
 * @param rests Nobody has it in use: its journal of two commits is all there is.
 * @param breaks As soon as the client was told how it is served there is a commit more, and a journal that cannot be read.
 */
async function place(after = 0, rests = false, breaks = false): Promise<Place> {
  const clock = fakeClock();
  const commits: Commit[] = rests ? [commitOf(1), commitOf(2)] : [];
  let tell = (_event: AgentEvent): void => {};
  const session = {
    state: { id: ID, seq: 0 },
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
  } as unknown as Session; // all that a hub looks at
  const hub = createHub({
    watch: (watcher) => {
      if (!rests) watcher(session);
      return () => {};
    },
  });
  let told = 0;
  let damaged = false;
  const reader = createReader({
    hub,
    clock,
    async *readCommits() {
      if (damaged) throw new Error("The disk is gone.");
      for (const one of commits) yield await Promise.resolve(one);
    },
  });
  const seen: string[] = [];
  const drains = createDrain();
  const client = { waiting: 0, closed: false };
  const note = (frame: Frame): void => {
    if (frame.type === "commit") seen.push(`commit ${frame.seq}`);
    else if (frame.type === "live") seen.push(`live ${frame.events.map(({ text }: Frame) => text).join("|")}`);
    else if (frame.type === "partial") seen.push(`partial ${frame.parts.map(({ text }: Frame) => text).join("|")}`);
    else seen.push(frame.type);
  };
  const following = await follow(
    {
      session: ID,
      after,
      live: true,
      begun: () => {
        if (!breaks) return;
        const one = commitOf(commits.length + 1);
        tell({ seq: one.seq, at: one.at, ...RECORD });
        damaged = true;
      },
      encode: JSON.stringify,
      outlet: {
        send: (text) => note(JSON.parse(text)),
        get waiting() {
          return client.waiting;
        },
        get closed() {
          return client.closed;
        },
        drained: () => drains.wait(),
      },
    },
    {
      hub: {
        ...hub,
        follow: (id, follower) => {
          told += 1;
          const leave = hub.follow(id, follower);
          return () => {
            told -= 1;
            leave();
          };
        },
      },
      reader,
      clock,
      detail: () => ({}) as never, // not looked at here
      failed: (error) => seen.push(String(error)),
      requireOwn: () => {},
      dropped: (kind) => seen.push(`-${kind}`),
    },
  );
  return {
    clock,
    following,
    seen,
    client,
    say: (text) => tell({ type: "text.delta", turn: "turn-1", index: 0, text } as LiveEvent), // one of a turn
    commit: async (quietly = false) => {
      const one = commitOf(commits.length + 1);
      commits.push(one);
      if (!quietly) tell({ seq: one.seq, at: one.at, ...RECORD });
      await clock.advance(0);
    },
    get isTold() {
      return told > 0;
    },
    damage: () => {
      damaged = true;
    },
    drain: async () => {
      client.waiting = 0;
      drains.release();
      await clock.advance(0);
    },
  };
}

test("live text goes out before the commit it came before, and the first of it at once", async () => {
  const { seen, say, commit, clock } = await place();
  say("a");
  say("b");
  await commit();
  say("c");
  say("d");
  expect(seen).toEqual(["live a", "live b", "commit 1", "live c"]);
  await clock.advance(33);
  expect(seen.at(-1)).toBe("live d");
});

test("who takes no more gets no live text between the commits that are missed, and the whole of it behind them", async () => {
  const { seen, say, commit, clock, client, drain } = await place();
  say("a");
  say("b");
  client.waiting = COMMIT_BYTES + 1;
  await commit();
  say("c");
  await commit();
  await clock.advance(33);
  expect(seen).toEqual(["live a", "-commit"]);
  await drain();
  expect(seen.slice(2)).toEqual(["commit 1", "commit 2", "partial abc"]);
  client.waiting = COMMIT_BYTES; // as much may wait
  await commit();
  expect(seen.at(-1)).toBe("commit 3");
});

test("who is a little behind misses live text, no commit, and gets all of it at once when there is room", async () => {
  const { seen, say, commit, clock, client, drain } = await place();
  client.waiting = LIVE_BYTES;
  say("a");
  client.waiting += 1;
  say("b");
  await commit();
  client.waiting = 0; // and nobody has been told yet
  say("c");
  expect(seen).toEqual(["live a", "-live", "commit 1", "-live"]);
  await drain();
  say("d");
  say("e");
  client.waiting = LIVE_BYTES + 1;
  say("f");
  await clock.advance(33);
  expect(seen.slice(4)).toEqual(["partial abc", "live d", "-live"]);
  await drain();
  expect(seen.at(-1)).toBe("partial abcdef");
});

test("a commit that was not told is read from the journal before the next one", async () => {
  const { seen, commit } = await place();
  await commit();
  await commit(true);
  await commit();
  expect(seen).toEqual(["commit 1", "-commit", "commit 2", "commit 3"]);
});

test("live text is switched off and on again, with all that was said meanwhile; commits come in any case", async () => {
  const { seen, say, commit, clock, following } = await place();
  say("a");
  say("b");
  following.live(false);
  say("c");
  await clock.advance(33);
  await commit();
  following.live(true);
  say("d");
  expect(seen).toEqual(["live a", "commit 1", "partial abc", "live d"]);
});

test("nothing follows the end, nor goes to a client that is gone", async () => {
  const one = await place();
  one.say("a");
  one.say("b");
  expect(one.isTold).toBe(true);
  one.following.end();
  expect(one.isTold).toBe(false);
  one.say("c");
  await one.commit();
  await one.clock.advance(33);
  expect(one.seen).toEqual(["live a"]);
  const two = await place();
  two.client.closed = true;
  two.say("a");
  await two.commit();
  expect(two.seen).toEqual([]);
  const three = await place();
  three.client.waiting = COMMIT_BYTES + 1;
  await three.commit();
  three.following.end(); // while it waits for room
  await three.drain();
  expect(three.seen).toEqual(["-commit"]);
});

test("who falls behind a journal that cannot be read is told once, and is not told anything any more", async () => {
  const one = await place();
  const { seen, say, commit, damage } = one;
  await commit();
  damage();
  await commit(true);
  await commit();
  expect(seen).toEqual(["commit 1", "-commit", "Error: The disk is gone."]);
  say("a");
  await commit();
  expect(seen).toHaveLength(3);
  expect(one.isTold).toBe(false);
});

test("who was told how it is served, and then cannot be, hears of it as of what fails later", async () => {
  const one = await place(0, false, true);
  expect(one.seen).toEqual(["Error: The disk is gone."]);
  await one.commit();
  expect(one.seen).toHaveLength(1);
  expect(one.isTold).toBe(false);
});

test("who has what never was starts from a snapshot, who has all that there is gets nothing again", async () => {
  expect((await place(1)).seen).toEqual(["snapshot"]);
  for (const [after, seen] of [
    [0, ["commit 1", "commit 2"]],
    [1, ["commit 2"]],
    [2, []],
    [3, ["snapshot"]],
  ] as const)
    expect((await place(after, true)).seen, `after ${after}`).toEqual(seen);
});
