// What every store must do, files or a database: its journals, blobs and keys, and, where processes share it, who works and who is told.

import assert from "node:assert/strict";

import type { Seq } from "../contract/base.ts";
import type { Claim, Journals, Store } from "../contract/store.ts";
import { openSessions } from "../session/sessions.ts";
import type { Place, Register } from "./conformance.ts";
import { CHAT, inPlace } from "./conformance.ts";
import { fakeClock } from "./fake-clock.ts";
import { journalConformance } from "./journal-conformance.ts";
import { receive } from "./session-scenes.ts";
import { sessionStoreConformance } from "./store-conformance.ts";

type StoreTest = (name: string, body: (place: Place<Store>) => Promise<void>) => void;

/**
 * Registers the tests of the Store contract, with those of its journals and of sessions on them.
 * @param create A new, empty place; `open` yields a store on what it holds.
 * @param options `shared`: two may have one place open at a time, as two processes have a database. Its clock is the machine's.
 */
export function storeConformance(
  register: Register,
  create: () => Promise<Place<Store>>,
  options: { readonly shared?: boolean } = {},
): void {
  const on =
    <T>(make: (store: Store) => T) =>
    async (): Promise<Place<T>> => {
      const place = await create();
      return { ...place, open: async () => make(await place.open()) };
    };
  journalConformance(
    register,
    on<Journals>(({ journals }) => journals),
    options,
  );
  sessionStoreConformance(
    register,
    on(({ journals, bus }) => openSessions({ journals, ...(bus !== undefined && { bus }), clock: fakeClock() })),
    options,
  );
  const test: StoreTest = (name, body) => register(`store: ${name}`, () => inPlace(create, body));
  blobsAndKeys(test);
  if (options.shared === true) betweenProcesses(test);
}

function blobsAndKeys(test: StoreTest): void {
  test("bytes are known by their content, listed, and gone when they are removed", async (place) => {
    await using store = await place.open();
    const { blobs } = store;
    const [one, again] = [await blobs.put(Buffer.from("a\0b")), await blobs.put(Buffer.from("a\0b"))];
    const other = await blobs.put(Buffer.from("other"));
    assert.deepEqual(one, again);
    assert.equal(Buffer.from(await blobs.read(one)).toString(), "a\0b");
    const listed = await blobs.list();
    assert.deepEqual(listed.map(({ sha256 }) => sha256).toSorted(), [one.sha256, other.sha256].toSorted());
    const putAt = listed.find(({ sha256 }) => sha256 === one.sha256)?.putAt ?? 0;
    assert.deepEqual(
      [
        await blobs.remove(one.sha256, putAt),
        await blobs.remove(one.sha256, putAt + 1),
        await blobs.remove(one.sha256),
      ],
      [false, true, false],
    );
    await assert.rejects(blobs.read(one), { code: "blob.missing" });
    assert.equal(Buffer.from(await blobs.read(other)).toString(), "other");
  });

  test("a key is new until it is intended, names its conversation, and then is taken; of another channel it is another", async (place) => {
    await using store = await place.open();
    const { keys } = store;
    assert.equal(await keys.find("a", "k"), undefined);
    await keys.intend("a", "k", "a:1");
    assert.deepEqual([await keys.find("a", "k"), await keys.find("b", "k")], [{ session: "a:1" }, undefined]);
    keys.taken("a", "k");
    assert.equal(await keys.find("a", "k"), "taken");
  });
}

/** Each test ends with what it holds given back. */
function betweenProcesses(test: StoreTest): void {
  const two = (name: string, body: (one: Required<Shared>, other: Required<Shared>) => Promise<void>): void =>
    test(name, async (place) => {
      await using one = await place.open();
      await using other = await place.open();
      await body(sharedOf(one), sharedOf(other));
    });

  two(
    "SO9 a session that was woken is given to one of them, to nobody else before it is given back, and again when something came",
    async (one, other) => {
      await using sessions = openSessions({ journals: one.journals, clock: fakeClock() });
      const session = await sessions.open("a", CHAT);
      const given: Claim[] = [];
      const next = (count: number): Promise<void> => untilTrue(() => given.length >= count);
      using _first = one.work.take((claim) => void given.push(claim));
      using _second = other.work.take((claim) => void given.push(claim));
      one.work.wake("a");
      await next(1);
      const [claim] = given;
      assert.equal(claim?.key, "a");
      const head = session.state.seq;
      await receive(session, "k", "hi");
      assert.equal(await claim?.end(head), "again");
      assert.equal(await claim?.end(session.state.seq), "ended");
      assert.equal(given.length, 1);
      other.work.wake("a");
      await next(2);
      assert.equal(await given[1]?.end(session.state.seq as Seq), "ended");
    },
  );

  two("SO13 a name is held by one, and by the next when it is given back", async (one, other) => {
    const [first, second] = [new AbortController(), new AbortController()];
    const held = await one.leases.hold("channel:a", first.signal);
    let isOthers = false;
    const waiting = other.leases.hold("channel:a", second.signal).then(() => (isOthers = true));
    await other.leases.hold("channel:b", second.signal);
    assert.deepEqual([isOthers, held.aborted], [false, false]);
    first.abort(new Error("it ends"));
    assert.equal(await waiting, true);
    second.abort(new Error("it ends"));
  });

  two("what is published is heard by all who listen to it, and by nobody else", async (one, other) => {
    const heard: string[] = [];
    using _other = other.bus.subscribe("topic", (text) => void heard.push(`other ${text}`));
    using _more = other.bus.subscribe("more", (text) => void heard.push(`more ${text}`));
    const left = other.bus.subscribe("topic", (text) => void heard.push(`left ${text}`));
    left[Symbol.dispose]();
    one.bus.publish("topic", "x");
    one.bus.publish("more", "y");
    await untilTrue(() => heard.length >= 2);
    assert.deepEqual(heard.toSorted(), ["more y", "other x"]);
  });
}

type Shared = Pick<Store, "journals" | "work" | "leases" | "bus">;

function sharedOf({ journals, work, leases, bus }: Store): Required<Shared> {
  assert.ok(
    work !== undefined && leases !== undefined && bus !== undefined,
    "a shared store has work, leases and a bus",
  );
  return { journals, work, leases, bus };
}

/** Polled, as a store may be asked once a second. */
async function untilTrue(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
