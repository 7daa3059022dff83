// What every store of small documents must do: files, memory, a database.

import assert from "node:assert/strict";

import type { Docs } from "../contract/store.ts";
import { changeDoc } from "../lib/async/change-doc.ts";
import type { Place, Register } from "./conformance.ts";
import { inPlace } from "./conformance.ts";

type DocsTest = (name: string, body: (place: Place<Docs>) => Promise<void>) => void;

const NAME = "channels/pairing.json";
const CONFLICT = { code: "doc.conflict" };

/**
 * Registers the tests of the Docs contract.
 * @param create A new, empty place; each `open` is somebody else who works on it at the same time.
 */
export function docsConformance(register: Register, create: () => Promise<Place<Docs>>): void {
  const test: DocsTest = (name, body) => register(`docs: ${name}`, () => inPlace(create, body));
  keepsBodies(test);
  refusesOldRevisions(test);
  losesNothing(test);
  tellsOfChanges(test);
}

function keepsBodies(test: DocsTest): void {
  test("what nobody wrote is not there", async (place) => {
    const docs = await place.open();
    assert.equal(await docs.read(NAME), undefined);
    assert.equal(docs.peek(NAME), undefined);
    assert.deepEqual(await docs.list(""), []);
    assert.deepEqual(await docs.list("channels/"), []);
  });

  test("a body is read as it was written, by everybody", async (place) => {
    const docs = await place.open();
    let rev = 0;
    for (const body of ["{}\n", "", "\u4f60\u597d \u{1f600}\r\n\u0000", "x".repeat(200_000)]) {
      rev = await docs.write(NAME, body, rev);
      assert.deepEqual([docs.peek(NAME)?.body, docs.peek(NAME)?.rev], [body, rev]);
      const seen = await (await place.open()).read(NAME);
      assert.deepEqual([seen?.body, seen?.rev, typeof seen?.at], [body, rev, "number"]);
    }
  });

  test("a list names what begins so and lies no deeper", async (place) => {
    const docs = await place.open();
    for (const name of ["b.json", "a.json", "channels/a.json", "channels/x/account.json", "channels/x/cursor.json"])
      await docs.write(name, "{}", 0);
    const lists = [];
    for (const prefix of ["", "a", "channels/", "channels/x/c", "channels", "none/"])
      lists.push(await docs.list(prefix));
    assert.deepEqual(lists, [
      ["a.json", "b.json"],
      ["a.json"],
      ["channels/a.json"],
      ["channels/x/cursor.json"],
      [],
      [],
    ]);
  });

  test("what was removed is not there, and can be made anew", async (place) => {
    const docs = await place.open();
    await docs.remove(NAME, await docs.write(NAME, "one", 0));
    assert.equal(await (await place.open()).read(NAME), undefined);
    assert.equal(docs.peek(NAME), undefined);
    assert.deepEqual(await docs.list("channels/"), []);
    await docs.write(NAME, "two", 0);
    assert.equal((await docs.read(NAME))?.body, "two");
  });
}

function refusesOldRevisions(test: DocsTest): void {
  test("who read an older one writes nothing", async (place) => {
    const [docs, other] = [await place.open(), await place.open()];
    const first = await docs.write(NAME, "one", 0);
    const second = await other.write(NAME, "two", first);
    assert.notEqual(first, second);
    await assert.rejects(docs.write(NAME, "three", first), CONFLICT);
    await assert.rejects(docs.write(NAME, "three", 0), CONFLICT);
    await assert.rejects(docs.remove(NAME, first), CONFLICT);
    await assert.rejects(docs.remove(NAME, 0), CONFLICT);
    assert.equal((await docs.read(NAME))?.body, "two");
  });

  test("what is gone is no older one of something", async (place) => {
    const docs = await place.open();
    const rev = await docs.write(NAME, "one", 0);
    await docs.remove(NAME, rev);
    await assert.rejects(docs.write(NAME, "two", rev), CONFLICT);
    await assert.rejects(docs.remove(NAME, rev), CONFLICT);
    await assert.rejects(docs.remove(NAME, 0), CONFLICT);
    assert.equal(await docs.read(NAME), undefined);
  });
}

function losesNothing(test: DocsTest): void {
  test("changes that are made at once are all there", async (place) => {
    const writers = [await place.open(), await place.open(), await place.open()];
    const names = writers.flatMap((_docs, who) => Array.from({ length: 20 }, (_, each) => `${who}-${each}`));
    await Promise.all(
      names.map((name) =>
        changeDoc(writers[Number(name[0])] as Docs, NAME, (body = "") => [`${body}${name}\n`, undefined]),
      ),
    );
    const written = (await writers[0]?.read(NAME))?.body.trimEnd().split("\n") ?? [];
    assert.deepEqual(written.toSorted(), names.toSorted());
  });

  test("a change says what came of it, and writes nothing when nothing is different", async (place) => {
    const docs = await place.open();
    assert.equal(await changeDoc(docs, NAME, (body) => [body, body ?? "none"]), "none");
    assert.equal(await docs.read(NAME), undefined);
    assert.equal(await changeDoc(docs, NAME, () => ["one", 1]), 1);
    const { rev } = (await docs.read(NAME)) ?? {};
    assert.equal(await changeDoc(docs, NAME, (body) => [body, body]), "one");
    assert.equal((await docs.read(NAME))?.rev, rev);
    await assert.rejects(
      changeDoc(docs, NAME, () => {
        throw new Error("no");
      }),
      /no/,
    );
    assert.equal(await changeDoc(docs, NAME, (body) => [undefined, body]), "one");
    assert.equal(await docs.read(NAME), undefined);
  });
}

function tellsOfChanges(test: DocsTest): void {
  test("who watches is told of what others write and remove, and of nothing else", async (place) => {
    const [docs, other] = [await place.open(), await place.open()];
    const told: string[] = [];
    let heard = Promise.withResolvers<void>();
    {
      using _watching = docs.watch("channels/pair", (name) => {
        told.push(name);
        heard.resolve();
      });
      await other.write("people.json", "{}", 0);
      const rev = await other.write(NAME, "one", 0);
      await heard.promise;
      assert.equal(docs.peek(NAME)?.body, "one");
      heard = Promise.withResolvers();
      await other.remove(NAME, rev);
      while (docs.peek(NAME) !== undefined) {
        await heard.promise;
        heard = Promise.withResolvers();
      }
    }
    assert.deepEqual([...new Set(told)], [NAME]);
    const before = told.length;
    await other.write(NAME, "two", 0);
    await docs.list("");
    assert.equal(told.length, before);
  });
}
