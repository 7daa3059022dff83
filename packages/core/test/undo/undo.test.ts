import fs from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Label } from "../../src/contract/message.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { openMemory } from "../../src/memory/memory.ts";
import { undoBench } from "./support.ts";

const STRANGER: Label = { integrity: "untrusted", confidentiality: "public" };

test("S4 inj-050 rm -rf of the whole workspace by a command is undone to the byte", async () => {
  const bench = undoBench();
  bench.put("a.txt", "alpha\n", 0o640);
  bench.put("run.sh", "#!/bin/sh\n", 0o755);
  bench.put(".hidden/deep/ü 文件.bin", Buffer.from([0, 255, 1, 254]));
  bench.put("large.bin", Buffer.alloc(1_000_000, "x"));
  fs.mkdirSync(join(bench.workspace, "empty"), { mode: 0o750 });
  fs.symlinkSync("a.txt", join(bench.workspace, "link"));
  fs.symlinkSync("/etc/hostname", join(bench.workspace, "outward"));
  fs.linkSync(join(bench.workspace, "a.txt"), join(bench.workspace, "second-name"));
  const before = bench.tree();
  await bench.exec("s-1/t-1", "rm -rf ./* .[!.]*");
  expect(bench.tree()).toEqual({});
  expect(await bench.undoTurn("s-1/t-1")).toEqual({});
  expect(bench.tree()).toEqual(before);
});

test("S4 what write_file and edit_file did is undone: contents, modes, new files and their directories", async () => {
  const bench = undoBench();
  bench.put("notes.md", "one\ntwo\n", 0o600);
  const before = bench.tree();
  await bench.edit("s-1/t-1", "notes.md", "two", "three");
  await bench.write("s-1/t-1", "notes.md", "nothing\n");
  await bench.write("s-1/t-1", "new/deep/file.txt", "fresh\n");
  expect(await bench.undoTurn("s-1/t-1")).toEqual({});
  expect(bench.tree()).toEqual(before);
  const [last] = await bench.undo.list("s-1");
  expect(last).toMatchObject({ undoes: "t-1" });
});

test("S4 a conversation that changed nothing has nothing to undo", async () => {
  expect(await undoBench().undo.list("s-1")).toEqual([]);
});

test("S4 an undo can be undone, and the turn again after it", async () => {
  const bench = undoBench();
  bench.put("a.txt", "old");
  await bench.exec("s-1/t-1", "echo new > a.txt; mkdir d; echo x > d/x; chmod 700 d");
  const after = bench.tree();
  expect(await bench.undoTurn("s-1/t-1", "undo-1")).toEqual({});
  expect(Object.keys(bench.tree())).toEqual(["a.txt"]);
  expect(await bench.undoTurn("s-1/undo-1", "undo-2")).toEqual({});
  expect(bench.tree()).toEqual(after);
});

test("S4 what somebody changed after the turn is left alone, file by file, unless forced", async () => {
  const bench = undoBench();
  bench.put("a.txt", "a");
  bench.put("b.txt", "b");
  await bench.exec("s-1/t-1", "echo 1 > a.txt; echo 1 > b.txt; echo 1 > c.txt");
  bench.put("a.txt", "by hand");
  expect(await bench.undoTurn("s-1/t-1", "undo-1")).toEqual({ "a.txt": "changed" });
  expect(fs.readFileSync(join(bench.workspace, "a.txt"), "utf8")).toBe("by hand");
  expect(fs.readFileSync(join(bench.workspace, "b.txt"), "utf8")).toBe("b");
  expect(await bench.undoTurn("s-1/t-1", "undo-2", true)).toEqual({});
  expect(fs.readFileSync(join(bench.workspace, "a.txt"), "utf8")).toBe("a");
});

test("S4 what a person changed between two commands of a turn is not overwritten unasked", async () => {
  const bench = undoBench();
  bench.put("a.txt", "0");
  await bench.exec("s-1/t-1", "echo 1 > a.txt");
  bench.put("a.txt", "by hand");
  bench.put("mine.txt", "by hand");
  await bench.exec("s-1/t-1", "echo 2 >> a.txt");
  expect(await bench.undoTurn("s-1/t-1")).toEqual({ "a.txt": "mixed" });
  expect(fs.existsSync(join(bench.workspace, "mine.txt"))).toBe(true);
});

test("S4 a write onto a folder is refused, and has no part in what a later command does to the folder", async () => {
  const bench = undoBench();
  await bench.write("s-0/t-0", "folder/a", "x");
  await bench.write("s-1/t-1", "folder", "");
  await bench.exec("s-1/t-1", "true");
  const before = bench.tree();
  await bench.exec("s-1/t-2", "mv folder moved");
  expect(await bench.undoTurn("s-1/t-2")).toEqual({});
  expect(bench.tree()).toEqual(before);
});

test("S4 a write that was refused is no change by somebody else", async () => {
  const bench = undoBench();
  const before = bench.tree();
  await bench.exec("s-1/t-1", "mkdir a; touch b");
  expect(await bench.write("s-1/t-1", "a", "x")).toContain("a is a directory.");
  expect(await bench.undoTurn("s-1/t-1")).toEqual({});
  expect(bench.tree()).toEqual(before);
  await bench.exec("s-1/t-2", "mkdir a");
  expect(await bench.write("s-1/t-2", "a", "x")).toContain("a is a directory.");
  await bench.exec("s-1/t-2", "rmdir a; echo y > a");
  expect(await bench.undoTurn("s-1/t-2")).toEqual({});
  expect(bench.tree()).toEqual(before);
});

test.each([["in the same process"], ["by the next process, after a crash"]])(
  "S4 what other turns and the memory write while a command runs is not taken back with it, when its end is noted %s",
  async (when) => {
    const bench = undoBench();
    bench.put("theirs.txt", "old");
    const memory = openMemory({
      workspace: bench.workspace,
      versions: join(bench.directory, "../memory"),
      timeZone: "UTC",
      redact: (text) => text,
      beforeWrite: bench.undo.writingItself,
    });
    const command = bench.context("s-1/t-1");
    await bench.undo.commandStarting(command);
    bench.put("own.txt", "by the command");
    await memory.remember("Ann likes tea.");
    await memory.log("Talked about tea.", Date.UTC(2026, 10, 24));
    await bench.write("s-2/t-9", "theirs.txt", "new");
    await bench.write("s-2/t-9", "more/new.txt", "new");
    if (when !== "in the same process") bench.restart();
    await memory.remember("Ann likes milk in it.");
    await bench.undo.commandEnded(command);
    const whole = bench.tree();
    expect(await bench.undoTurn("s-1/t-1")).toEqual({});
    const { "own.txt": own, ...others } = whole;
    expect(own).toBeDefined();
    expect(bench.tree()).toEqual(others);
    expect((await memory.facts()).trim()).toBe("- Ann likes tea.\n- Ann likes milk in it.");
  },
);

test.each([["in the same process"], ["by the next process, after a crash"]])(
  "S4 a file that is still being written when a command of another turn starts is not taken back with it, when its end is noted %s",
  async (when) => {
    const bench = undoBench();
    bench.put("a", "one");
    const command = bench.context("s-1/t-1");
    for (const real of ["a", "b"])
      await bench.undo.writing({ real, data: Buffer.from("two"), part: "whole", made: [] }, bench.context("s-2/t-9"));
    await bench.undo.commandStarting(command);
    for (const path of ["a", "b"]) bench.put(path, "two"); // as the file tool does next
    bench.put("c", "by the command");
    if (when !== "in the same process") bench.restart();
    await bench.undo.commandEnded(command);
    const { c: own, ...others } = bench.tree();
    expect(own).toBeDefined();
    expect(await bench.undoTurn("s-1/t-1")).toEqual({});
    expect(bench.tree()).toEqual(others);
    expect(await bench.undoTurn("s-2/t-9")).toEqual({});
    expect(Object.keys(bench.tree())).toEqual(["a"]);
  },
);

test("S4 an announcement that a crash tore takes nothing with it, neither before nor after it", async () => {
  const bench = undoBench();
  await bench.write("s-2/t-8", "first.txt", "x"); // makes the place for unfinished writes
  const command = bench.context("s-1/t-1");
  await bench.undo.commandStarting(command);
  await bench.write("s-2/t-9", "before.txt", "x");
  fs.appendFileSync(join(bench.directory, "announced.jsonl"), '["torn.txt",{"by":"s-2');
  bench.restart();
  await bench.write("s-2/t-9", "after.txt", "x");
  bench.restart();
  await bench.undo.commandEnded(command);
  expect(await bench.undo.plan({ session: "s-1", turn: "t-1" })).toMatchObject({ items: [], gaps: [] });
});

test("S4 a command that is open for weeks: what was announced beside it takes no more lines than files, and is known to the next process", async () => {
  const bench = undoBench();
  const file = join(bench.directory, "announced.jsonl");
  const lines = (): number => fs.readFileSync(file, "utf8").split("\n").length;
  await bench.write("s-2/t-8", "first.txt", "x"); // makes the place for unfinished writes
  const command = bench.context("s-1/t-1");
  await bench.undo.commandStarting(command);
  await bench.write("s-2/t-9", "a", "0");
  // As it is after a thousand such writes.
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").repeat(1000));
  bench.restart();
  for (const path of ["a", "b", "a"]) await bench.write("s-2/t-9", path, `now ${path}`);
  expect(lines()).toBeLessThan(10);
  bench.restart();
  await bench.undo.commandEnded(command);
  expect(await bench.undo.plan({ session: "s-1", turn: "t-1" })).toMatchObject({ items: [], gaps: [] });
});

test("S4 a write that was announced and refused long ago has no part in what a command does to that file", async () => {
  const clock = fakeClock();
  const bench = undoBench({ clock });
  bench.put("a", "one");
  await bench.undo.writing({ real: "a", data: Buffer.from("two"), part: "whole", made: [] }, bench.context("s-2/t-9"));
  await clock.advance(61_000);
  await bench.exec("s-1/t-1", "printf three > a");
  const before = sha256(Buffer.from("one"));
  expect(await bench.undo.plan({ session: "s-1", turn: "t-1" })).toMatchObject({
    items: [{ path: "a", want: { sha256: before } }],
  });
});

test("S4 attribution/MAX_PENDING: of 1,000 files that are still being written each is known, of one more the first is not", async () => {
  for (const [count, taken] of [
    [1000, []],
    [1001, ["f0"]],
  ] as const) {
    const bench = undoBench();
    const names = Array.from({ length: count }, (_, index) => `f${index}`);
    for (const real of names) await bench.undo.writingItself({ real, data: Buffer.from("x"), made: [] });
    const command = bench.context("s-1/t-1");
    await bench.undo.commandStarting(command);
    for (const name of names) bench.put(name, "x");
    await bench.undo.commandEnded(command);
    const plan = await bench.undo.plan({ session: "s-1", turn: "t-1" });
    expect(plan).toMatchObject({ items: taken.map((path) => ({ path })) });
  }
});

test("S4 a write that was announced and cut off is no change by somebody else", async () => {
  const bench = undoBench();
  await bench.write("s-1/t-1", "a", "one");
  const announced = { real: "a", data: Buffer.from("two"), part: "whole", made: [] } as const;
  await bench.undo.writing(announced, bench.context("s-1/t-1"));
  bench.restart();
  expect(await bench.undoTurn("s-1/t-1")).toEqual({});
  expect(bench.tree()).toEqual({});
});

test("S4 two conversations at work at once: each takes back its own", async () => {
  const bench = undoBench();
  bench.put("one.txt", "1");
  bench.put("two.txt", "2");
  const running = bench.exec("s-1/t-1", "echo changed > one.txt; until [ -e go ]; do sleep 0.02; done; rm go");
  await expect.poll(() => fs.readFileSync(join(bench.workspace, "one.txt"), "utf8")).toBe("changed\n");
  await bench.write("s-2/t-9", "two.txt", "written");
  bench.put("go", "");
  await running;
  expect(await bench.undoTurn("s-1/t-1")).toEqual({});
  expect(fs.readFileSync(join(bench.workspace, "one.txt"), "utf8")).toBe("1");
  expect(fs.readFileSync(join(bench.workspace, "two.txt"), "utf8")).toBe("written");
  expect(await bench.undoTurn("s-2/t-9")).toEqual({});
  expect(fs.readFileSync(join(bench.workspace, "two.txt"), "utf8")).toBe("2");
});

test("S4 commands of two conversations at once: nobody knows whose a change is, so it is asked", async () => {
  const bench = undoBench();
  bench.put("one.txt", "1");
  const first = bench.exec("s-1/t-1", "until [ -e go ]; do sleep 0.02; done; echo a > one.txt");
  await expect.poll(async () => (await bench.undo.list("s-1"))[0]?.open.size).toBe(1);
  expect(await bench.undo.plan({ session: "s-1", turn: "t-1" })).toBe("busy");
  await bench.exec("s-2/t-1", 'touch go; until [ "$(cat one.txt)" = a ]; do sleep 0.02; done');
  await first;
  expect(await bench.undoTurn("s-2/t-1")).toEqual({ go: "mixed", "one.txt": "mixed" });
});

test("S4 what is not kept is named: too large, excluded, another name outside, a pipe", async () => {
  const bench = undoBench({ maxFileBytes: 1000 });
  bench.put("large.bin", Buffer.alloc(2000));
  bench.put("small.txt", "s");
  bench.put("node_modules/x/index.js", "x");
  fs.writeFileSync(join(bench.directory, "..", "outside.txt"), "secret");
  fs.linkSync(join(bench.directory, "..", "outside.txt"), join(bench.workspace, "linked.txt"));
  await bench.exec("s-1/t-1", "mkfifo pipe; rm -rf large.bin small.txt node_modules linked.txt");
  await bench.exec("s-1/t-2", "rm pipe");
  expect(await bench.undoTurn("s-1/t-2")).toEqual({ pipe: "special" });
  expect(await bench.undoTurn("s-1/t-1")).toEqual({
    "large.bin": "large",
    "linked.txt": "linked",
    node_modules: "excluded",
  });
  expect(fs.readdirSync(bench.workspace).toSorted()).toEqual([".margay", "small.txt"]);
  const plan = await bench.undo.plan({ session: "s-1", turn: "t-1" });
  expect(plan).toMatchObject({ excluded: ["node_modules"] });
});

test("S4 the store stays within its bound: the oldest turns are forgotten, and what found no room is named", async () => {
  const bench = undoBench({ maxBytes: 100_000 });
  for (let turn = 1; turn <= 6; turn += 1) {
    bench.put("f.bin", Buffer.alloc(30_000, String(turn)));
    await bench.write(`s-1/t-${turn}`, "f.bin", "short");
  }
  const left = await bench.undo.list();
  expect(left.map(({ turn }) => turn)).toContain("t-6");
  expect(left.map(({ turn }) => turn)).not.toContain("t-1");
  bench.put("huge.bin", Buffer.alloc(200_000, "h"));
  await bench.exec("s-1/t-7", "rm huge.bin");
  expect(await bench.undoTurn("s-1/t-7")).toEqual({ "huge.bin": "full" });
});

test("S4 a workspace with more entries than are looked at: the command runs, and the list says so", async () => {
  const bench = undoBench({ maxEntries: 3 });
  for (const name of ["a", "b", "c", "d"]) bench.put(name, name);
  expect(await bench.exec("s-1/t-1", "rm a; echo done")).toContain("done");
  const [turn] = await bench.undo.list();
  expect(turn?.gaps).toMatchObject([{ gap: "too-many" }]);
});

test("S4 a link put in the way leads an undo nowhere", async () => {
  const bench = undoBench();
  bench.put("d/secret.txt", "mine");
  const outside = join(bench.directory, "..", "elsewhere");
  fs.mkdirSync(outside);
  fs.writeFileSync(join(outside, "secret.txt"), "theirs");
  await bench.exec("s-1/t-1", "echo changed > d/secret.txt");
  fs.rmSync(join(bench.workspace, "d"), { recursive: true });
  fs.symlinkSync(outside, join(bench.workspace, "d"));
  expect(Object.keys(await bench.undoTurn("s-1/t-1", "undo-1", true))).toEqual(["d/secret.txt"]);
  expect(fs.readFileSync(join(outside, "secret.txt"), "utf8")).toBe("theirs");
});

test("S4 files that a command of a stranger's context makes or changes are untrusted", async () => {
  const bench = undoBench();
  bench.put("mine.txt", "mine");
  bench.put("other.txt", "mine too");
  await bench.exec("s-1/t-1", "echo injected > made.txt; echo more >> mine.txt", { label: STRANGER });
  expect(bench.labels.paths().toSorted()).toEqual(["made.txt", "mine.txt"]);
  await bench.exec("s-1/t-2", "echo trusted > other.txt");
  expect(bench.labels.byPath("other.txt")).toBe(false);
});

test("S4 with nothing to be kept, commands of a stranger's context still leave their mark", async () => {
  const bench = undoBench({ maxBytes: 0 });
  bench.put("a.txt", "a");
  await bench.exec("s-1/t-1", "echo x > made.txt", { label: STRANGER });
  expect(bench.labels.paths()).toEqual(["made.txt"]);
});

test("S4 a copy that was damaged on disk is not put back", async () => {
  const bench = undoBench();
  bench.put("a.txt", "precious");
  await bench.exec("s-1/t-1", "rm a.txt");
  for (const prefix of fs.readdirSync(bench.directory).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const name of fs.readdirSync(join(bench.directory, prefix)))
      fs.writeFileSync(join(bench.directory, prefix, name), "Precious");
  expect(await bench.undoTurn("s-1/t-1")).toEqual({ "a.txt": "its copy is damaged" });
  expect(fs.existsSync(join(bench.workspace, "a.txt"))).toBe(false);
});

test("what many files say of a turn is read in pieces: others run in between", async () => {
  let now = 0;
  const bench = undoBench({ clock: { now: Date.now, monotonic: () => (now += 1) } }); // each look at it takes a millisecond
  const names = Array.from({ length: 400 }, (_, index) => `f${index}.txt`);
  for (const name of names) bench.put(name, name);
  await bench.exec("s-1/t-1", "rm f*.txt");
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns += 1) await setImmediate();
  })();
  await bench.undo.list();
  isDone = true;
  await others;
  expect(turns).toBeGreaterThan(names.length / 10);
});
