// What every journal must do: files, memory, a database.

import assert from "node:assert/strict";

import type { Seq } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import type { Journal } from "../contract/services.ts";
import type { Place, Register } from "./conformance.ts";
import { CHAT, inPlace, userMessage } from "./conformance.ts";

type JournalTest = (name: string, body: (place: Place<Journal>) => Promise<void>) => void;

/**
 * Registers the tests of the Journal contract.
 * @param create A new, empty place; `open` yields a journal on what it holds.
 * @param options `fences`: two journals may be open on one place at a time, and the second writer is told.
 */
export function journalConformance(
  register: Register,
  create: () => Promise<Place<Journal>>,
  options: { readonly fences?: boolean } = {},
): void {
  const test: JournalTest = (name, body) => register(`journal: ${name}`, () => inPlace(create, body));
  keepsCommits(test);
  tellsWriters(test);
  takesAnyText(test);
  if (options.fences === true) fencesTwoJournals(test);
}

/** What was appended is there, in order, also when the journal is opened again. */
function keepsCommits(test: JournalTest): void {
  test("an empty journal reads as nothing", async (place) => {
    await using journal = await place.open();
    assert.deepEqual(await all(journal), []);
  });

  test("commits are read in the order of append, equal to what was appended", async (place) => {
    await using journal = await place.open();
    const commits = [1, 2, 3].map((seq) => commit(seq, `text ${seq}`));
    for (const one of commits) await journal.append((one.seq - 1) as Seq, one); // consecutive from 1
    assert.deepEqual(await all(journal), commits);
  });

  test("commits survive closing and opening", async (place) => {
    const commits = [1, 2].map((seq) => commit(seq, `text ${seq}`));
    {
      await using journal = await place.open();
      for (const one of commits) await journal.append((one.seq - 1) as Seq, one); // consecutive from 1
    }
    await using again = await place.open();
    assert.deepEqual(await all(again), commits);
    await again.append(2 as Seq, commit(3, "more")); // the two above
    assert.equal((await all(again)).length, 3);
  });

  test("appends that were not awaited are stored in order", async (place) => {
    await using journal = await place.open();
    const commits = Array.from({ length: 50 }, (_, index) => commit(index + 1, "x".repeat(index)));
    await Promise.all(commits.map((one) => journal.append((one.seq - 1) as Seq, one))); // consecutive from 1
    assert.deepEqual(await all(journal), commits);
  });
}

/** Whoever appends is told when it survives, and that somebody else wrote. */
function tellsWriters(test: JournalTest): void {
  test("a commit is called written once, in order, before its append resolves; a refused one is not", async (place) => {
    await using journal = await place.open();
    const seen: string[] = [];
    const append = (expected: number, seq: number): Promise<unknown> =>
      journal
        .append(expected as Seq, commit(seq, "text"), () => void seen.push(`written ${seq}`))
        .then(
          () => seen.push(`durable ${seq}`),
          () => seen.push(`refused ${seq}`),
        ); // positions of this test
    await Promise.all([append(0, 1), append(1, 2), append(7, 8)]);
    assert.deepEqual(seen.toSorted(), ["durable 1", "durable 2", "refused 8", "written 1", "written 2"]);
    for (const seq of [1, 2]) assert.ok(seen.indexOf(`written ${seq}`) < seen.indexOf(`durable ${seq}`));
    assert.ok(
      seen.indexOf("written 1") < seen.indexOf("written 2") && seen.indexOf("durable 1") < seen.indexOf("durable 2"),
    );
  });

  test("an append that expects another last commit is fenced and stores nothing", async (place) => {
    await using journal = await place.open();
    await journal.append(0 as Seq, commit(1, "one")); // the first
    await assert.rejects(journal.append(0 as Seq, commit(1, "again")), { code: "session.fenced" }); // already taken
    await assert.rejects(journal.append(5 as Seq, commit(6, "ahead")), { code: "session.fenced" }); // leaves a gap
    assert.deepEqual(await all(journal), [commit(1, "one")]);
    await journal.append(1 as Seq, commit(2, "two")); // the next
  });
}

/** Whatever a commit holds, and whoever reads meanwhile. */
function takesAnyText(test: JournalTest): void {
  test("any text survives: line ends, separators, surrogates, zero, a mebibyte", async (place) => {
    const texts = [
      "a\nb\r\n\u2028\u2029\u0000\u001b[1m",
      "\u{1f600}\ud83d lone \udc00",
      '{"crc":"00000000",',
      "x".repeat(1 << 20),
    ];
    {
      await using journal = await place.open();
      for (const [index, text] of texts.entries()) await journal.append(index as Seq, commit(index + 1, text)); // consecutive from 1
    }
    await using again = await place.open();
    assert.deepEqual(
      await all(again),
      texts.map((text, index) => commit(index + 1, text)),
    );
  });

  test("reading during appends yields whole commits without a gap", async (place) => {
    await using journal = await place.open();
    const appends = Array.from({ length: 20 }, (_, index) =>
      journal.append(index as Seq, commit(index + 1, "y".repeat(5000))),
    ); // consecutive from 1
    const seen = (await all(journal)).map((one) => one.seq as number);
    assert.deepEqual(
      seen,
      Array.from({ length: seen.length }, (_, index) => index + 1),
    );
    await Promise.all(appends);
  });
}

/** Two journals on one place. */
function fencesTwoJournals(test: JournalTest): void {
  test("a second writer on the same place is fenced", async (place) => {
    await using first = await place.open();
    await using second = await place.open();
    await first.append(0 as Seq, commit(1, "first")); // the first
    await assert.rejects(second.append(0 as Seq, commit(1, "second")), { code: "session.fenced" }); // already taken
    assert.deepEqual(await all(first), [commit(1, "first")]);
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

async function all(journal: Journal): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  for await (const one of journal.read()) commits.push(one);
  return commits;
}
