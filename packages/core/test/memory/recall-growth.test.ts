// The search index takes what comes as it comes; what it finds is what one made anew finds.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Recalled } from "../../src/contract/memory.ts";
import type { UserMessage } from "../../src/contract/message.ts";
import type { Commit, JournalRecord } from "../../src/contract/record.ts";
import type { Seq, SessionId } from "../../src/internal.ts";
import { openRecall } from "../../src/memory/recall.ts";
import { temporaryFolder, type Folder } from "../support/folder.ts";

const WORDS = ["tea", "green tea", "coffee", "tea tea", "绿茶", "café milk"];
const word = fc.constantFrom(...WORDS);
const file = fc.constantFrom("MEMORY.md", "HISTORY.md");
const key = fc.constantFrom("cli:1", "cli:2");
const many = fc.constantFrom<number>(1, 1, 2, 130);
const step = fc.oneof(
  fc.record({ do: fc.constant("append" as const), file, word, many, end: fc.constantFrom("\n", "\n", "") }),
  fc.record({ do: fc.constant("change" as const), file, word, at: fc.nat(300) }),
  fc.record({ do: fc.constant("insert" as const), file, word, at: fc.nat(300) }),
  fc.record({ do: fc.constant("truncate" as const), file, at: fc.nat(4000) }),
  fc.record({ do: fc.constant("delete" as const), file }),
  fc.record({ do: fc.constant("replace" as const), file, word, many }),
  fc.record({ do: fc.constant("say" as const), key, word, many }),
  fc.record({ do: fc.constant("import" as const), key, word, many }),
  fc.record({ do: fc.constant("edit" as const), key, word, at: fc.nat(20) }),
  fc.record({ do: fc.constant("withdraw" as const), key, at: fc.nat(20) }),
  fc.record({ do: fc.constant("voice" as const), key, word, at: fc.nat(20) }),
  fc.record({
    do: fc.constant("audience" as const),
    key,
    audience: fc.constantFrom("owner" as const, "guest" as const, "person:eva" as const),
  }),
  fc.record({ do: fc.constant("begin anew" as const), key }),
  fc.record({ do: fc.constant("remove" as const), key }),
  fc.record({ do: fc.constant("look" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface World {
  readonly folder: Folder;
  readonly sessions: Map<string, { readonly id: SessionId; updatedAt: number; commits: Commit[]; said: number }>;
  time: number;
}

function recallOf({ folder, sessions }: World, directory: string): ReturnType<typeof openRecall> {
  return openRecall({
    workspace: folder.path,
    directory: folder.at(directory),
    sessions: () => Promise.resolve([...sessions].map(([name, { id, updatedAt }]) => ({ key: name, id, updatedAt }))),
    commits: async function* (id) {
      await Promise.resolve();
      yield* [...sessions.values()].find((session) => session.id === id)?.commits ?? [];
    },
    damaged: (reason) => expect.unreachable(reason),
  });
}

async function found(recall: ReturnType<typeof openRecall>): Promise<readonly (readonly Recalled[])[]> {
  const all: (readonly Recalled[])[] = [];
  for (const query of ["tea", "coffee", "green", "茶", "m"])
    for (const limit of [3, 1000]) all.push(await recall.search(query, limit));
  return all;
}

function message(id: string, text: string): UserMessage {
  return { role: "user", id, at: 1, from: { id: "u", kind: "person" }, parts: [{ type: "text", text }] };
}

function records(session: { said: number }, one: Extract<Step, { readonly key: string }>): readonly JournalRecord[] {
  const origin = { channel: "test", chat: "1" };
  switch (one.do) {
    case "say":
      return Array.from({ length: one.many }, (_, n): JournalRecord => {
        const said = message(`m${(session.said += 1)}`, `${one.word} ${n}`);
        return n % 2 === 0
          ? { type: "message.received", key: said.id, origin, attended: true, message: said }
          : { type: "message.heard", key: said.id, channel: "test", message: said };
      });
    case "import":
      return [
        {
          type: "history.imported",
          messages: Array.from({ length: one.many }, (_, n) => message(`i${n}`, `${one.word} before ${n}`)),
          ...{ rows: one.many, consolidated: 0 },
        },
      ];
    case "edit":
      return [{ type: "message.edited", message: message(`m${one.at}`, one.at % 5 === 0 ? "" : `${one.word} now`) }];
    case "withdraw":
      return [{ type: "messages.withdrawn", ids: [`m${one.at}`], by: message("", "").from }];
    case "voice":
      return [{ type: "voice.transcribed", message: `m${one.at}`, text: `[voice note] ${one.word}` }];
    case "audience":
      return [{ type: "audience.set", audience: one.audience }];
    case "begin anew":
    case "remove":
      return [];
  }
}

function happen(world: World, one: Exclude<Step, { readonly do: "look" }>): void {
  world.time += 1000;
  if ("key" in one) {
    const { sessions, time } = world;
    if (one.do === "remove" || one.do === "begin anew") sessions.delete(one.key);
    if (one.do === "remove") return;
    const session = sessions.get(one.key) ?? {
      id: `${one.key}-${time}` as SessionId,
      updatedAt: 0,
      commits: [],
      said: 0,
    };
    sessions.set(one.key, session);
    session.updatedAt = time;
    session.commits.push({ seq: (session.commits.length + 1) as Seq, at: time, records: records(session, one) });
    return;
  }
  const path = world.folder.at("memory", one.file);
  const before = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const lines = before.toString().split("\n");
  switch (one.do) {
    case "append":
      appendFileSync(path, Array.from({ length: one.many }, (_, n) => `${one.word} ${n}`).join("\n") + one.end);
      break;
    case "change":
      writeFileSync(path, lines.with(one.at % lines.length, one.word).join("\n"));
      break;
    case "insert":
      writeFileSync(path, lines.toSpliced(one.at % lines.length, 0, one.word).join("\n"));
      break;
    case "truncate":
      writeFileSync(path, before.subarray(0, one.at));
      break;
    case "delete":
      return rmSync(path, { force: true });
    case "replace":
      writeFileSync(path, `${one.word}\n`.repeat(one.many));
      break;
  }
  utimesSync(path, world.time / 1000, world.time / 1000);
}

test("ME18 whatever is added, changed and taken away, the index finds what one made anew finds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      await using folder = await temporaryFolder();
      mkdirSync(folder.at("memory"));
      const world: World = { folder, sessions: new Map(), time: Date.UTC(2026, 0, 1) };
      using grown = recallOf(world, "grown");
      const looks: (readonly [unknown, unknown])[] = [];
      for (const one of [...steps, { do: "look" as const }]) {
        if (one.do !== "look") happen(world, one);
        else {
          using anew = recallOf(world, `anew-${looks.length}`);
          looks.push([await found(grown), await found(anew)]);
        }
      }
      for (const [one, other] of looks) expect(one).toEqual(other);
    }),
    { numRuns: 25, seed: Number(process.env["MARGAY_RECALL_SEED"] ?? 7) },
  );
});

const line = (n: number): string => `entry ${n} about tea`;

test("ME18 one line more is one row more, and one edited message one row, however much there is", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(folder.at("memory"));
  const path = folder.at("memory", "HISTORY.md");
  writeFileSync(path, Array.from({ length: 2000 }, (_, n) => `${line(n)}\n`).join(""));
  const world: World = { folder, sessions: new Map(), time: Date.now() };
  happen(world, { do: "say", key: "cli:1", word: "coffee", many: 500 });
  using recall = recallOf(world, "index");
  await recall.search("tea", 1);
  using other = new DatabaseSync(folder.at("index", "recall.sqlite"));
  other.exec(`
    CREATE TABLE log (change TEXT);
    CREATE TRIGGER added AFTER INSERT ON rows BEGIN INSERT INTO log VALUES ('+' || new.source || new.line); END;
    CREATE TRIGGER gone AFTER DELETE ON rows BEGIN INSERT INTO log VALUES ('-' || old.source || old.line); END;
  `);
  const changes = async (): Promise<readonly unknown[]> => {
    await recall.search("tea", 1);
    const rows = other.prepare("SELECT change FROM log").all();
    other.exec("DELETE FROM log");
    return rows.map(({ change }) => change);
  };
  appendFileSync(path, `${line(2000)}\n`);
  expect(await changes()).toEqual(["+history2001"]);
  writeFileSync(path, readFileSync(path, "utf8").replace(`${line(7)}\n`, "entry 7 about milk\n"));
  expect(await changes()).toEqual(["-history8", "+history8"]);
  happen(world, { do: "say", key: "cli:1", word: "coffee", many: 2 });
  expect(await changes()).toEqual(["+cli:1501", "+cli:1502"]);
  happen(world, { do: "edit", key: "cli:1", word: "tea", at: 3 });
  expect(await changes()).toEqual(["-cli:13", "+cli:13"]);
  happen(world, { do: "say", key: "cli:1", word: "coffee", many: 1 });
  expect(await changes()).toEqual(["+cli:1503"]);
});

test("ME18 more rows than are looked at, and rows that are gone, count as in an index made anew", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(folder.at("memory"));
  const world: World = { folder, sessions: new Map(), time: Date.UTC(2026, 0, 1) };
  using grown = recallOf(world, "grown");
  happen(world, { do: "say", key: "cli:1", word: "tea", many: 600 });
  await grown.search("tea", 1);
  for (const word of ["coffee", "milk", "tea cup"]) {
    happen(world, { do: "replace", file: "HISTORY.md", word, many: 600 });
    await grown.search("tea", 1);
  }
  happen(world, { do: "edit", key: "cli:1", word: "tea", at: 3 });
  happen(world, { do: "replace", file: "MEMORY.md", word: "green tea tea", many: 1 });
  using anew = recallOf(world, "anew");
  for (const query of ["tea", "green tea", "t"])
    expect(await grown.search(query, 1000)).toEqual(await anew.search(query, 1000));
  // How much a word is worth hangs on how many rows there are: those that are gone are none.
  const ranks = (name: string): unknown => {
    using db = new DatabaseSync(folder.at(name, "recall.sqlite"));
    return db.prepare("SELECT bm25(words) AS rank FROM words WHERE words MATCH 'green'").all();
  };
  expect(ranks("grown")).toEqual(ranks("anew"));
});

test("ME18 while much is read in the first time everything else has its turn, and a search waits for the end", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(folder.at("memory"));
  const world: World = { folder, sessions: new Map(), time: 0 };
  using recall = recallOf(world, "index");
  const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
    let turns = 0;
    let done = false;
    const turn = (): void => {
      turns += 1;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    await work();
    done = true;
    return turns;
  };
  const both = async (): Promise<void> => {
    const found = await Promise.all([recall.search("2999", 1), recall.search("2998", 1)]);
    expect(found.map(([row]) => row?.text)).toEqual([line(2999), line(2998)]);
  };
  writeFileSync(folder.at("memory", "HISTORY.md"), Array.from({ length: 3000 }, (_, n) => `${line(n)}\n`).join(""));
  expect(await turnsOf(both)).toBeGreaterThanOrEqual(25); // 64 rows at a time
  happen(world, { do: "say", key: "cli:1", word: "coffee", many: 3000 });
  expect(await turnsOf(() => recall.search("coffee", 1))).toBeGreaterThanOrEqual(25);
});

test("ME18 an index that was left halfway goes on where it was, also when the file is another by then", async () => {
  for (const change of [undefined, 3, 700]) {
    await using folder = await temporaryFolder();
    mkdirSync(folder.at("memory"));
    const path = folder.at("memory", "HISTORY.md");
    writeFileSync(path, Array.from({ length: 1000 }, (_, n) => `${line(n)}\n`).join(""));
    const world: World = { folder, sessions: new Map(), time: Date.now() };
    using recall = recallOf(world, "index");
    await recall.search("warm", 1);
    using other = new DatabaseSync(folder.at("index", "recall.sqlite"));
    const stop = (condition: string): void =>
      other.exec(`CREATE TRIGGER no_room BEFORE ${condition} BEGIN SELECT RAISE(ABORT, 'no room'); END`);
    appendFileSync(path, Array.from({ length: 1000 }, (_, n) => `${line(1000 + n)}\n`).join(""));
    stop("INSERT ON rows WHEN new.line = 1550");
    await expect(recall.search("tea", 1)).rejects.toThrow("no room");
    const { rows } = other.prepare("SELECT count(*) AS rows FROM rows").get() ?? {};
    expect([Number(rows) > 1000, Number(rows) < 1550]).toEqual([true, true]);
    other.exec("DROP TRIGGER no_room");
    if (change !== undefined) happen(world, { do: "change", file: "HISTORY.md", word: "coffee", at: change });
    using anew = recallOf(world, "anew");
    expect(await found(recall)).toEqual(await found(anew));
    // Made shorter, and left halfway again.
    happen(world, { do: "truncate", file: "HISTORY.md", at: 2000 });
    stop("DELETE ON rows WHEN old.line = 1200");
    await expect(recall.search("tea", 1)).rejects.toThrow("no room");
    other.exec("DROP TRIGGER no_room");
    happen(world, { do: "append", file: "HISTORY.md", word: "coffee", many: 130, end: "\n" });
    using last = recallOf(world, "last");
    expect(await found(recall)).toEqual(await found(last));
  }
});

test("ME18 two processes that read the same file into one index at once, each as it found it, end with what is there", async () => {
  for (let wait = 0; wait < 24; wait++) {
    await using folder = await temporaryFolder();
    mkdirSync(folder.at("memory"));
    const path = folder.at("memory", "HISTORY.md");
    const lines = Array.from({ length: 1000 }, (_, n) => line(n));
    writeFileSync(path, `${lines.join("\n")}\n`);
    const world: World = { folder, sessions: new Map(), time: Date.now() };
    using one = recallOf(world, "index");
    using other = recallOf(world, "index");
    const first = one.search("tea", 1);
    for (let turn = 0; turn < wait; turn++) await new Promise((resolve) => void setImmediate(resolve));
    // Another file in its place, longer and with other lines at its end: who has the old one open goes on in it.
    writeFileSync(
      `${path}.new`,
      `${[...lines.slice(0, 700), ...lines.map((text) => `${text} and coffee`)].join("\n")}\n`,
    );
    renameSync(`${path}.new`, path);
    await Promise.all([first, other.search("tea", 1)]);
    using anew = recallOf(world, "anew");
    expect(await found(one)).toEqual(await found(anew));
  }
});
