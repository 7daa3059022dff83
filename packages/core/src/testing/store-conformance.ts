// What every session store must do: exact keys, one object per session, nothing lost between two processes.

import assert from "node:assert/strict";

import type { Seq, TurnId } from "../contract/base.ts";
import type { AgentEvent } from "../contract/event.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import type { Place, Register } from "./conformance.ts";
import { CHAT, inPlace } from "./conformance.ts";
import { twoWriters } from "./two-writers.ts";
import { collect, receive, texts, turn } from "./session-scenes.ts";

/** Keys that careless stores confuse: prefixes, wildcards, case, separators, dots, normal forms, length. */
const NEAR_KEYS: readonly string[] = [
  "123",
  "1234",
  "a_b",
  "axb",
  "a-b",
  "a%b",
  "A_B",
  "a b",
  "a:b",
  "a/b",
  "a\\b",
  "a.b",
  "..",
  "../a_b",
  ".",
  "a:b:c",
  "a:b:",
  "caf\u00e9",
  "cafe\u0301",
  "\u4f60",
  "\u597d",
  "con",
  "nul.txt",
  "x".repeat(300),
  `${"x".repeat(299)}y`,
];

type StoreTest = (name: string, body: (place: Place<SessionStore>) => Promise<void>) => void;

/**
 * Registers the tests of the SessionStore contract.
 * @param create A new, empty place; `open` yields a store on what it holds.
 * @param options `shared`: two may have one place open at a time, as two processes have a database.
 */
export function sessionStoreConformance(
  register: Register,
  create: () => Promise<Place<SessionStore>>,
  options: { readonly shared?: boolean } = {},
): void {
  const test: StoreTest = (name, body) => register(`session store: ${name}`, () => inPlace(create, body));
  keys(test);
  keepsSessions(test);
  showsCommits(test);
  events(test);
  manySessions(test);
  twoWriters(test, options.shared === true);
}

/** Each key has a session of its own. */
function keys(test: StoreTest): void {
  test("a new session knows its key and where it came from", async (place) => {
    await using store = await place.open();
    const { state } = await store.open("test:1", CHAT);
    assert.deepEqual(
      [state.key, state.origin, state.messages, state.pending, state.outbox],
      ["test:1", CHAT, [], [], []],
    );
  });

  test("SS5 equal keys give the same object, also when opened at once", async (place) => {
    await using store = await place.open();
    const [first, second] = await Promise.all([store.open("a", CHAT), store.open("a", CHAT)]);
    assert.equal(first, second);
    assert.equal(await store.open("a", CHAT), first);
    assert.equal(await store.find("a"), first);
  });

  test("R167 keys are exact", async (place) => {
    {
      await using store = await place.open();
      for (const key of NEAR_KEYS) await receive(await store.open(key, CHAT), "k", `I am ${key}`);
    }
    await using store = await place.open();
    for (const key of NEAR_KEYS) {
      const found = await store.find(key);
      assert.deepEqual(texts(found), [`I am ${key}`], `session ${key}`);
      assert.equal(found?.state.key, key);
    }
    assert.deepEqual((await store.list()).map((one) => one.key).toSorted(), NEAR_KEYS.toSorted());
    assert.equal(await store.find("a*b"), undefined);
    assert.equal(await store.find("12"), undefined);
  });

  test("finding creates nothing", async (place) => {
    await using store = await place.open();
    assert.equal(await store.find("a"), undefined);
    assert.deepEqual(await store.list(), []);
  });
}

/** What was committed is there after opening again. */
function keepsSessions(test: StoreTest): void {
  test("state after opening again equals the state before", async (place) => {
    let before: Session["state"];
    {
      await using store = await place.open();
      const session = await store.open("a", CHAT);
      await turn(session, 1);
      await receive(session, "waiting", "later");
      before = session.state;
    }
    await using store = await place.open();
    assert.deepEqual((await store.open("a", CHAT)).state, before);
  });

  test("a committed key is known as received, here and after opening again, and nowhere else", async (place) => {
    {
      await using store = await place.open();
      const session = await store.open("a", CHAT);
      assert.equal(session.received("test", "k"), false);
      await receive(session, "k", "hi");
      assert.deepEqual(
        [session.received("test", "k"), session.received("test", "K"), session.received("other", "k")],
        [true, false, false],
      );
    }
    await using store = await place.open();
    assert.equal((await store.open("a", CHAT)).received("test", "k"), true);
    assert.equal((await store.open("b", CHAT)).received("test", "k"), false);
  });
}

/** Commits are stored, folded, then shown. */
function showsCommits(test: StoreTest): void {
  test("a commit is stored, folded, then shown; commits of two callers both count", async (place) => {
    await using store = await place.open();
    const session = await store.open("a", CHAT);
    const seen: number[] = [];
    const stop = session.subscribe((event) => {
      if (!("seq" in event)) return;
      assert.ok(session.state.seq >= event.seq, "shown before it was folded");
      seen.push(event.seq);
    });
    const start = session.state.seq;
    await Promise.all([receive(session, "1", "a"), receive(session, "2", "b"), receive(session, "3", "c")]);
    stop();
    await receive(session, "4", "d");
    assert.deepEqual(seen, [start + 1, start + 2, start + 3]);
    assert.deepEqual(texts(session), ["a", "b", "c", "d"]);
    const stored: number[] = [];
    for await (const commit of session.history()) stored.push(commit.seq);
    assert.deepEqual(
      stored,
      Array.from({ length: session.state.seq }, (_, index) => index + 1),
    );
  });

  test("recorded facts keep their place among commits and live events, and the next commit makes them durable", async (place) => {
    let shown: readonly (number | string)[] = [];
    {
      await using store = await place.open();
      const session = await store.open("a", CHAT);
      const seen: (number | string)[] = [];
      session.subscribe((event) => void seen.push("seq" in event ? event.seq : event.type));
      const notice = (text: string): JournalRecord => ({
        type: "notice.added",
        notice: { role: "notice", at: 1, kind: "runtime", text },
      });
      await session.record(notice("one"));
      session.publish({ type: "text.delta", turn: "turn-1" as TurnId, index: 0, text: "live" }); // any turn will do
      await session.record(notice("two"));
      assert.equal(session.state.seq, 3);
      await session.commit(notice("three"));
      shown = seen;
    }
    assert.deepEqual(shown, [2, "text.delta", 3, 4]);
    await using store = await place.open();
    assert.equal((await store.find("a"))?.state.messages.length, 3);
  });
}

/** Whoever listens misses nothing. */
function events(test: StoreTest): void {
  test("events after a position come without a gap or a double, while commits go on", async (place) => {
    await using store = await place.open();
    const session = await store.open("a", CHAT);
    for (let n = 1; n <= 5; n++) await receive(session, `old-${n}`, "x");
    const last = session.state.seq + 20;
    const readers = [0, 1, 3, session.state.seq].map((after) => collect(session, after as Seq, last)); // positions that exist
    for (let n = 1; n <= 20; n++) await receive(session, `new-${n}`, "x");
    for (const { after, seen } of await Promise.all(readers))
      assert.deepEqual(
        seen,
        Array.from({ length: last - after }, (_, index) => after + 1 + index),
        `events after ${after}`,
      );
  });

  test("live events reach whoever listens and are not stored", async (place) => {
    await using store = await place.open();
    const session = await store.open("a", CHAT);
    const seen: AgentEvent[] = [];
    const stop = session.subscribe((event) => void seen.push(event));
    const delta = { type: "text.delta", turn: "turn-1" as TurnId, index: 0, text: "hi" } as const; // any turn will do
    session.publish(delta);
    stop();
    session.publish(delta);
    assert.deepEqual(seen, [delta]);
    assert.equal(session.state.seq, 1);
  });
}

/** The list, forks, and what is removed. */
function manySessions(test: StoreTest): void {
  test("LP23 the list names each session by its first user line, the latest first", async (place) => {
    await using store = await place.open();
    await turn(await store.open("a", CHAT), 1, "First line\nsecond line");
    await turn(await store.open("b", CHAT), 1, "y".repeat(200));
    const list = await store.list();
    assert.deepEqual(list.map((one) => one.key).toSorted(), ["a", "b"]);
    assert.equal(list.find((one) => one.key === "a")?.title, "First line");
    assert.equal(list.find((one) => one.key === "b")?.title.length, 60);
    assert.deepEqual(
      list,
      list.toSorted((one, other) => other.updatedAt - one.updatedAt),
    );
  });

  test("SS12 a fork has the turns up to a position and its own life from there", async (place) => {
    await using store = await place.open();
    const session = await store.open("a", CHAT);
    await turn(session, 1);
    const position = session.state.seq;
    await turn(session, 2);
    await receive(session, "waiting", "later");
    const early = await store.fork("a", "early", position);
    const whole = await store.fork("a", "whole");
    assert.deepEqual(
      [texts(early), texts(whole), texts(session)],
      [["question 1"], ["question 1", "question 2"], ["question 1", "question 2", "later"]],
    );
    assert.deepEqual([early.state.key, whole.state.pending, whole.state.outbox], ["early", [], []]);
    await turn(early, 3);
    assert.deepEqual([texts(early), texts(session).length], [["question 1", "question 3"], 3]);
    await assert.rejects(store.fork("nobody", "x"), { code: "session.missing" });
    await assert.rejects(store.fork("a", "early"), { code: "session.exists" });
    assert.equal(await store.find("x"), undefined);
  });

  test("a removed session is gone; its key begins anew", async (place) => {
    await using store = await place.open();
    await receive(await store.open("a", CHAT), "k", "hi");
    await receive(await store.open("ab", CHAT), "k", "hi");
    assert.deepEqual([await store.remove("a"), await store.remove("a")], [true, false]);
    assert.equal(await store.find("a"), undefined);
    assert.deepEqual(
      (await store.list()).map((one) => one.key),
      ["ab"],
    );
    const anew = await store.open("a", CHAT);
    assert.deepEqual([anew.received("test", "k"), texts(anew)], [false, []]);
  });
}
