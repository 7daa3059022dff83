// What the journals of every store must do: files, memory, a database.

import assert from "node:assert/strict";

import type { Seq, SessionId } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { About, Journal, Journals } from "../contract/store.ts";
import type { Place, Register } from "./conformance.ts";
import { CHAT, inPlace, userMessage } from "./conformance.ts";

type JournalTest = (name: string, body: (place: Place<Journals>) => Promise<void>) => void;

const ID = "a-00000000" as SessionId; // as any store mints them
const OTHER = "b-00000000" as SessionId;

/**
 * Registers the tests of the Journals contract.
 * @param create A new, empty place; `open` yields the journals on what it holds.
 * @param options `shared`: two may have one place open at a time, as two processes have a database.
 */
export function journalConformance(
  register: Register,
  create: () => Promise<Place<Journals>>,
  options: { readonly shared?: boolean } = {},
): void {
  const test: JournalTest = (name, body) => register(`journal: ${name}`, () => inPlace(create, body));
  keepsCommits(test);
  tellsWriters(test);
  takesAnyText(test);
  manyJournals(test);
  if (options.shared === true) twoWriters(test);
}

/** What was appended is there, in order, also when the journal is opened again. */
function keepsCommits(test: JournalTest): void {
  test("an empty journal reads as nothing", async (place) => {
    const journals = await place.open();
    await using journal = await journals.open(ID);
    assert.deepEqual([await all(journal), journal.takeOpened(), await journals.has(ID)], [[], [], false]);
  });

  test("commits are read in the order of append, equal to what was appended, and from any place on", async (place) => {
    const journals = await place.open();
    await using journal = await journals.open(ID);
    const commits = [1, 2, 3].map((seq) => commit(seq, `text ${seq}`));
    for (const one of commits) await append(journal, one);
    for (const after of [0, 1, 2, 3]) {
      assert.deepEqual(await all(journal, after), commits.slice(after));
      assert.deepEqual(await collected(journals.read(ID, after as Seq)), commits.slice(after)); // of this test
    }
  });

  test("commits survive closing and opening", async (place) => {
    const commits = [1, 2].map((seq) => commit(seq, `text ${seq}`));
    {
      await using journal = await (await place.open()).open(ID);
      for (const one of commits) await append(journal, one);
    }
    await using again = await (await place.open()).open(ID);
    assert.deepEqual([again.takeOpened(), again.takeOpened(), await all(again)], [commits, [], commits]);
    assert.deepEqual(await append(again, commit(3, "more")), { status: "ok" });
    assert.equal((await all(again)).length, 3);
  });

  test("several commits of one append are stored in order", async (place) => {
    await using journal = await (await place.open()).open(ID);
    const commits = Array.from({ length: 50 }, (_, index) => commit(index + 1, "x".repeat(index)));
    assert.deepEqual(await append(journal, ...commits), { status: "ok" });
    assert.deepEqual(await all(journal), commits);
  });
}

/** Whoever appends is told when it survives, and that somebody else wrote. */
function tellsWriters(test: JournalTest): void {
  test("a commit is called written once, before its append resolves; a refused one is not", async (place) => {
    await using journal = await (await place.open()).open(ID);
    const seen: string[] = [];
    const tell = async (expected: number, seq: number): Promise<void> => {
      const written = (): void => void seen.push(`written ${seq}`);
      const { status } = await journal.append(expected as Seq, [commit(seq, "text")], about, written); // of this test
      seen.push(`${status} ${seq}`);
    };
    await tell(0, 1);
    await tell(1, 2);
    await tell(7, 8);
    assert.deepEqual(seen, ["written 1", "ok 1", "written 2", "ok 2", "behind 8"]);
  });

  test("SO4 an append that expects another last commit is behind, is told which it is, and stores nothing", async (place) => {
    await using journal = await (await place.open()).open(ID);
    await append(journal, commit(1, "one"));
    assert.deepEqual(await append(journal, commit(1, "again")), { status: "behind", head: 1 }); // already taken
    assert.deepEqual(await append(journal, commit(6, "ahead")), { status: "behind", head: 1 }); // leaves a gap
    assert.deepEqual(await all(journal), [commit(1, "one")]);
    assert.deepEqual(await append(journal, commit(2, "two")), { status: "ok" });
  });
}

/** Whatever a commit holds, and whoever reads meanwhile. */
function takesAnyText(test: JournalTest): void {
  test("any text survives: line ends, separators, surrogates, zero, a mebibyte", async (place) => {
    const commits = [
      "a\nb\r\n\u2028\u2029\u0000\u001b[1m",
      "\u{1f600}\ud83d lone \udc00",
      '{"crc":"00000000",',
      "x".repeat(1 << 20),
    ].map((text, index) => commit(index + 1, text));
    {
      await using journal = await (await place.open()).open(ID);
      for (const one of commits) await append(journal, one);
    }
    await using again = await (await place.open()).open(ID);
    assert.deepEqual(await all(again), commits);
  });

  test("reading during an append yields whole commits without a gap", async (place) => {
    await using journal = await (await place.open()).open(ID);
    const appended = append(journal, ...Array.from({ length: 20 }, (_, index) => commit(index + 1, "y".repeat(5000))));
    const seen = (await all(journal)).map(({ seq }) => Number(seq));
    assert.deepEqual(
      seen,
      Array.from({ length: seen.length }, (_, index) => index + 1),
    );
    assert.deepEqual(await appended, { status: "ok" });
  });
}

/** Each of its own. */
function manyJournals(test: JournalTest): void {
  test("a whole journal is created at once, and only where there is none", async (place) => {
    const commits = [1, 2].map((seq) => commit(seq, `text ${seq}`));
    const journals = await place.open();
    await journals.create(ID, "a", commits, about);
    await assert.rejects(journals.create(ID, "a", [commit(1, "other")], about), { code: "session.exists" });
    assert.deepEqual([await collected(journals.read(ID)), await journals.list()], [commits, [ID]]);
  });

  test("what changes says so: a stamp is another after each commit, and of another journal it is not", async (place) => {
    const journals = await place.open();
    for (const id of [ID, OTHER]) await journals.create(id, id, [commit(1, "one")], about);
    const before = await stamps(journals);
    await using journal = await journals.open(ID);
    await append(journal, commit(2, "two"));
    const after = await stamps(journals);
    assert.deepEqual([...before.keys()].toSorted(), [ID, OTHER]);
    assert.deepEqual([after.get(ID) === before.get(ID), after.get(OTHER) === before.get(OTHER)], [false, true]);
  });

  test("SO15 R423 a removed journal is gone with all that is kept of it, but what it had spent", async (place) => {
    const journals = await place.open();
    for (const id of [ID, OTHER]) await journals.create(id, id, [commit(1, "one")], about);
    const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
    const gone = {
      id: ID,
      key: ID,
      opened: commit(1, "one").at,
      spent: [{ at: 1001, source: "test", purpose: "turn", usage }],
    };
    const spent = (): Promise<typeof gone> => Promise.resolve(gone);
    assert.deepEqual([await journals.remove(ID, spent), await journals.remove(ID, spent)], [true, false]);
    assert.deepEqual([await journals.has(ID), await collected(journals.read(ID))], [false, []]);
    assert.deepEqual([await journals.list(), await journals.gone()], [[OTHER], [gone]]);
  });
}

/** Two who have the same place open. */
function twoWriters(test: JournalTest): void {
  test("SO4 the second of two writers is behind until it has read what the first wrote", async (place) => {
    await using first = await (await place.open()).open(ID);
    await using second = await (await place.open()).open(ID);
    await append(first, commit(1, "first"));
    assert.deepEqual(await append(second, commit(1, "second")), { status: "behind", head: 1 });
    assert.deepEqual(await all(second), [commit(1, "first")]);
    assert.deepEqual(await append(second, commit(2, "second")), { status: "ok" });
    assert.deepEqual(await all(first, 1), [commit(2, "second")]);
  });

  test("of many who append at once, each place goes to one of them", async (place) => {
    const writers = await Promise.all(Array.from({ length: 10 }, async () => (await place.open()).open(ID)));
    const answers = await Promise.all(writers.map((journal, index) => append(journal, commit(1, String(index)))));
    assert.equal(answers.filter(({ status }) => status === "ok").length, 1);
    const [one] = writers;
    assert.equal(one && (await all(one)).length, 1);
  });
}

function commit(seq: number, text: string): Commit {
  const message = userMessage(String(seq), text);
  return {
    seq: seq as Seq, // the tests count from 1
    at: 1000 + seq,
    records: [{ type: "message.received", key: String(seq), origin: CHAT, attended: true, message }],
  };
}

/** In front of the first of them. */
function append(journal: Journal, ...commits: readonly Commit[]): ReturnType<Journal["append"]> {
  return journal.append(((commits[0]?.seq ?? 1) - 1) as Seq, commits, about, () => {}); // consecutive
}

function about(): About {
  return {
    summary: { id: ID, key: "a", createdAt: 1001, updatedAt: 1001, title: "", rows: 0 },
    deliver: [],
    spent: [],
  };
}

async function stamps(journals: Journals): Promise<Map<SessionId, string>> {
  const found = new Map<SessionId, string>();
  for await (const [id, stamp] of journals.stamps()) found.set(id, stamp);
  return found;
}

function all(journal: Journal, after = 0): Promise<readonly Commit[]> {
  return collected(journal.read(after as Seq)); // of this test
}

async function collected(commits: AsyncIterable<Commit>): Promise<readonly Commit[]> {
  const found: Commit[] = [];
  for await (const one of commits) found.push(one);
  return found;
}
