// What holds when several write to one session: callers of one process, and, where a store is shared, processes that know nothing of
// each other but what the store says.

import assert from "node:assert/strict";

import type { TurnId } from "../contract/base.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session, SessionState } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import { emptyState, fold } from "../session/reduce.ts";
import type { Place } from "./conformance.ts";
import { CHAT, userMessage } from "./conformance.ts";

type StoreTest = (name: string, body: (place: Place<SessionStore>) => Promise<void>) => void;

const COMMITS = 10_000;
/** On their way at once from one writer. */
const AT_ONCE = 3;
const KEY = "a";

type Twice = (name: string, body: (one: Session, other: Session) => Promise<void>) => void;

/** @param isShared Two stores may be open on a place at a time. */
export function twoWriters(test: StoreTest, isShared: boolean): void {
  /** Two who write to one session, each as they have opened it. */
  const both = async (
    place: Place<SessionStore>,
    body: (one: Session, other: Session) => Promise<void>,
  ): Promise<void> => {
    await using first = await place.open();
    await using second = isShared ? await place.open() : undefined;
    const [one, other] = await Promise.all([first.open(KEY, CHAT), (second ?? first).open(KEY, CHAT)]);
    await body(one, other);
  };
  const twice: Twice = (name, body) => test(name, (place) => both(place, body));
  interleaved(twice);
  inOrder(twice);
}

/** What each of them has folded is what the journal says. */
function interleaved(twice: Twice): void {
  twice("a session that two begin at once has one beginning", async (one, other) => {
    const begun = (await collected(one)).filter(({ type }) => type === "session.opened");
    assert.deepEqual([begun.length, one.state.key, other.state.key], [1, KEY, KEY]);
  });

  twice(
    `SO4 two who write at random for ${COMMITS} commits: each fold on the way is that of the lines, and each saw every commit once`,
    async (one, other) => {
      const random = numbers(7);
      const seen = [one, other].map((session) => watched(session));
      const states: SessionState[] = [];
      for (let count = 0; count < COMMITS;) {
        const writers = [one, other].flatMap((session) =>
          Array.from({ length: random(AT_ONCE + 1) }, () => ({ session, record: someRecord(count++, random) })),
        );
        const after = await Promise.all(writers.map(({ session, record }) => written(session, record, random)));
        states.push(...after.filter((_, index) => index === 0 && random(10) === 0)); // some, as each of them is compared whole
      }
      await one.commit(asked("one"));
      await other.commit(asked("other"));
      await one.commit(asked("one"));
      states.push(one.state);
      const wanted = new Map(states.map((state) => [Number(state.seq), state]));
      let state: SessionState | undefined;
      for await (const commit of one.history()) {
        state = fold(state ?? emptyState(one.state.id), commit);
        const known = wanted.get(commit.seq);
        if (known !== undefined) assert.deepEqual(known, state);
      }
      assert.ok(Number(one.state.seq) > COMMITS);
      for (const { seqs, first } of seen)
        assert.deepEqual(
          seqs,
          Array.from({ length: seqs.length }, (_, index) => first + 1 + index),
        );
      assert.equal(seen[0]?.seqs.at(-1), one.state.seq);
    },
  );
}

/** What a commit depends on, and what comes behind it. */
function inOrder(twice: Twice): void {
  twice("SO4 a message that comes to both at once is taken by one of them", async (one, other) => {
    for (let number = 0; number < 50; number++) {
      const key = `k-${number}`;
      const answers = await Promise.all([one, other, one, other].map((session) => takeOnce(session, key)));
      assert.equal(answers.filter((taken) => taken).length, 1, key);
    }
    assert.equal((await collected(one)).filter(({ type }) => type === "message.received").length, 50);
  });

  twice("SO4 a bound that is asked of what is there holds over both", async (one, other) => {
    const most = 5;
    const take = (session: Session, number: number): Promise<unknown> =>
      session.commitIf(({ state }) => (state.pending.length >= most ? undefined : [message(`k-${number}`)]));
    await Promise.all(Array.from({ length: 40 }, (_, number) => take(number % 2 === 0 ? one : other, number)));
    assert.equal((await collected(other)).filter(({ type }) => type === "message.received").length, most);
  });

  twice("what one hands over is stored in that order, whatever the other writes in between", async (one, other) => {
    const names = Array.from({ length: 60 }, (_, number) => String(number));
    await Promise.all(names.map((name) => (Number(name) % 2 === 0 ? one : other).commit(asked(name))));
    const stored = (await collected(one)).flatMap((record) => (record.type === "skill.requested" ? record.by.id : []));
    for (const half of [0, 1]) {
      const own = (list: readonly string[]): readonly string[] => list.filter((name) => Number(name) % 2 === half);
      assert.deepEqual(own(stored), own(names));
    }
  });

  twice("what is said live comes behind the commit that was handed over before it", async (one, other) => {
    const seen: string[] = [];
    one.subscribe((event) => void seen.push(event.type === "skill.requested" ? event.by.id : event.type));
    const both = Promise.all([other.commit(asked("other")), one.commit(asked("one"))]);
    one.publish({ type: "text.delta", turn: "turn-1" as TurnId, index: 0, text: "live" }); // any turn will do
    await both;
    await one.commit(asked("end"));
    assert.ok(seen.indexOf("one") < seen.indexOf("text.delta"), seen.join(" "));
    assert.equal(seen.filter((each) => each === "other").length, 1);
  });

  twice("what its maker throws is its maker's: nothing is stored, and the session goes on", async (one, other) => {
    const refused = one.commitIf(() => {
      throw new Error("no");
    });
    await assert.rejects(refused, { message: "no" });
    await other.commit(asked("other"));
    await one.commit(asked("one"));
    assert.deepEqual(
      [one.lost, other.lost, (await collected(one)).filter(({ type }) => type === "skill.requested").length],
      [false, false, 2],
    );
  });
}

function watched(session: Session): { readonly first: number; readonly seqs: number[] } {
  const seqs: number[] = [];
  session.subscribe((event) => {
    if ("seq" in event && event.seq !== seqs.at(-1)) seqs.push(event.seq);
  });
  return { first: session.state.seq, seqs };
}

function written(session: Session, record: JournalRecord, random: (limit: number) => number): Promise<SessionState> {
  const way = random(3);
  if (way === 0) return session.record(record);
  return way === 1 ? session.commit(record) : session.commitIf(() => [record]).then(() => session.state);
}

/** Small ones, of which some depend on what was there before. */
function someRecord(number: number, random: (limit: number) => number): JournalRecord {
  const usage = { input: random(100), output: random(100), cacheRead: 0, cacheWrite: 0 };
  const model = { provider: "mock", model: `m${random(9)}` };
  const kinds: readonly JournalRecord[] = [
    { type: "usage.counted", purpose: "persona", model, usage },
    { type: "session.configured", model, reset: random(2) === 0 },
    message(`k-${number}`),
    { ...withdrawn(""), ids: [1, 2, 3].map((back) => `message-k-${number - back}`) },
  ];
  return kinds[random(kinds.length)] ?? message(`k-${number}`);
}

function asked(by: string): JournalRecord {
  return { type: "skill.requested", name: "x", by: { id: by, kind: "person" } };
}

function message(key: string): JournalRecord {
  return { type: "message.received", key, origin: CHAT, attended: true, message: userMessage(key, "hi") };
}

async function takeOnce(session: Session, key: string): Promise<boolean> {
  const stored = await session.commitIf(({ received }) =>
    received(CHAT.channel, key) ? undefined : [message(key), withdrawn(key)],
  );
  return stored !== undefined;
}

function withdrawn(key: string): Extract<JournalRecord, { type: "messages.withdrawn" }> {
  return { type: "messages.withdrawn", ids: [`message-${key}`], by: { id: "person", kind: "person" } };
}

async function collected(session: Session): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const commit of session.history()) records.push(...commit.records);
  return records;
}

/** Equal numbers for an equal seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}
