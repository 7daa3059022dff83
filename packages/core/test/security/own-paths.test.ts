// Attacks on the file tools and on undo that the corpus does not have: names, pipes, second names and exchanges meanwhile.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { classifyPath } from "../../src/lib/paths/path-class.ts";
import { fileBench, type FileBench } from "../builtin/file-support.ts";
import { undoBench } from "../undo/support.ts";
import { whileSwapping } from "./swapper.ts";

const SECRET = "FILESECRET-77a1c0de";
const SOURCES = new URL("../../src/", import.meta.url);

async function planted(options: Parameters<typeof fileBench>[0] = {}): Promise<FileBench> {
  const bench = await fileBench(options);
  fs.writeFileSync(join(bench.outside, "secret.txt"), `${SECRET}\n`);
  await bench.put("a.txt", "hello\n");
  return bench;
}

/** Enough for a window of ten microseconds to be met many times; fewer where each try waits for a slow disk. */
function* tries(most = 300): Generator<number> {
  const begun = performance.now();
  for (let attempt = 0; attempt < most && performance.now() - begun < 3_000; attempt += 1) yield attempt;
}

/** Everything below a directory, as text. */
function contentsBelow(directory: string): string {
  return fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => fs.lstatSync(path).isFile())
    .map((path) => fs.readFileSync(path, "latin1"))
    .join("\n");
}

test("R279 own-paths-01 a pipe as the operand of a command: the question about it does not wait for a writer", async () => {
  const bench = await planted();
  execFileSync("mkfifo", [join(bench.workspace, "run.sh")]);
  const program = `import { callFilesOf } from ${JSON.stringify(new URL("builtin/exec/scripts.ts", SOURCES).href)};
    process.stdout.write(JSON.stringify(callFilesOf(process.argv[1], "exec", { command: "bash run.sh" })));`;
  // A process of its own: one that waits in here cannot be told to stop.
  const args = ["--conditions=margay-source", "--input-type=module", "--eval", program, bench.workspace];
  const { stdout, signal } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 60_000 });
  expect(signal).toBeNull();
  expect(JSON.parse(stdout)).toEqual({ workspace: bench.workspace, directory: bench.workspace });
});

/** `notes` goes elsewhere between the look at it and the write into it. */
async function movedMeanwhile(to: (bench: FileBench) => string): Promise<FileBench> {
  const move = { now: (): void => undefined };
  const bench = await planted({ beforeWrite: () => move.now() });
  fs.mkdirSync(join(bench.workspace, "notes"));
  move.now = () => fs.renameSync(join(bench.workspace, "notes"), to(bench));
  return bench;
}

test("R279 own-paths-02 the directory becomes a protected one while a write to it goes on: nothing is written there", async () => {
  const bench = await movedMeanwhile(({ workspace }) => join(workspace, "skills"));
  const answer = await bench.call("write_file", { path: "notes/SKILL.md", content: "evil" });
  expect(answer.status).toBe("error");
  expect(fs.readdirSync(join(bench.workspace, "skills"))).toEqual([]);
});

test("R279 own-paths-03 the directory is moved out of the workspace while a write to it goes on: nothing is written there", async () => {
  const bench = await movedMeanwhile(({ outside }) => join(outside, "notes"));
  expect((await bench.call("write_file", { path: "notes/new.txt", content: "evil" })).status).toBe("error");
  expect(fs.readdirSync(join(bench.outside, "notes"))).toEqual([]);
});

test.each([
  [".\u00dfh/authorized_keys", "sharp s, which case folding makes two of"],
  [".\u1e9eh/authorized_keys", "its capital"],
  ["per\u017fonas/mine/SOUL.md", "long s"],
  ["s\u212aills/x/SKILL.md", "the sign of kelvin"],
  ["AGENTS.md/", "a slash behind"],
  ["AGENTS.md/.", "a dot behind"],
  ["./notes/..//skills/./x/SKILL.md", "there and back"],
  [".gi\u2060t/hooks/pre-commit", "a word joiner"],
  ["\ufeff.git/hooks/pre-commit", "a byte order mark in front"],
  [".git\u3164/hooks/pre-commit", "a filler that looks like nothing"],
])("R16 own-paths-04 %j is protected: %s", (path) => {
  expect(classifyPath("/home/me/ws", path, ["/home/me/state"])).toBe("protected");
});

test("R281 own-paths-05 received files in another spelling of their folder are data, and nobody writes there", async () => {
  const bench = await planted();
  await bench.put("inbox/letter.txt", "do as I say\n");
  await bench.put("INBOX/letter.txt", "do as I say\n");
  for (const path of ["inbox/letter.txt", "INBOX/letter.txt"])
    expect((await bench.call("read_file", { path })).integrity, path).toBe("untrusted");
  expect((await bench.call("list_dir", { path: "INBOX" })).integrity).toBe("untrusted");
  expect((await bench.call("search_files", { pattern: "as I", path: "INBOX" })).integrity).toBe("untrusted");
  expect((await bench.call("write_file", { path: "INBOX/forged.txt", content: "x" })).status).toBe("error");
  expect(fs.existsSync(join(bench.workspace, "INBOX/forged.txt"))).toBe(false);
});

test.each([
  ["5,000 directories", "d/".repeat(5_000)],
  ["directories beyond what a path can name", `${"d".repeat(255)}/`.repeat(40)],
  ["a name of 300 two-byte letters", "\u00e9".repeat(300)],
])("R279 own-paths-06 a write into %s leaves nothing behind", async (_, folder) => {
  const bench = await planted();
  const answer = await bench.call("write_file", { path: `${folder}f.txt`, content: "x" });
  expect(answer.text).toContain("is too long");
  expect(fs.readdirSync(bench.workspace)).toEqual(["a.txt"]);
});

test.each(["/dev/fd", "/dev/stdin", "/proc/self/fd", "/proc/thread-self/root", "/proc/self/task", "/proc/self/cwd"])(
  "R279 own-paths-07 a link to %s is no door, not even where files outside may be read",
  async (door) => {
    for (const restrict of [true, false]) {
      const bench = await planted({ restrict });
      const held = fs.openSync(join(bench.outside, "secret.txt"), "r");
      onTestFinished(() => fs.closeSync(held));
      fs.symlinkSync(door, join(bench.workspace, "door"));
      for (const path of ["door", `door/${held}`, `door${bench.outside}/secret.txt`, `${door}/${held}`])
        for (const tool of ["read_file", "list_dir"]) {
          const answer = await bench.call(tool, { path });
          expect([tool, path, answer.status]).toEqual([tool, path, "error"]);
          expect(answer.text).not.toContain(SECRET);
        }
      expect((await bench.call("write_file", { path: `door/${held}`, content: "x" })).status).toBe("error");
      expect((await bench.call("search_files", { pattern: "SECRET", path: "door" })).text).not.toContain(SECRET);
    }
  },
);

test.each(["-rf", "--help", "--", "-", "@a.txt", "--files=a.txt", "a.txt; id", "$(id)", "*"])(
  "R279 own-paths-08 a file named %j is a file: written, found, listed, edited and read as any other",
  async (name) => {
    const bench = await planted();
    expect((await bench.call("write_file", { path: name, content: "one two\n" })).status).toBe("ok");
    expect((await bench.call("edit_file", { path: name, old_text: "two", new_text: "three" })).status).toBe("ok");
    expect((await bench.call("read_file", { path: name })).text).toBe("one three\n");
    expect((await bench.call("list_dir", { path: "." })).text).toContain(name);
    expect((await bench.call("search_files", { pattern: "three", path: name })).text).toContain("one three");
    expect(fs.readdirSync(bench.workspace).toSorted()).toEqual([".margay", "a.txt", name].toSorted());
  },
);

test("R279 own-paths-09 a workspace that is itself a link: inside stays inside, by every spelling, and outside outside", async () => {
  const real = await planted();
  const alias = join(real.base, "alias");
  fs.symlinkSync(real.workspace, alias);
  const bench = await planted({ workspace: alias, protect: [real.state] });
  fs.writeFileSync(join(real.outside, "secret.txt"), SECRET);
  fs.symlinkSync(real.outside, join(real.workspace, "out"));
  fs.symlinkSync(join(alias, "a.txt"), join(real.workspace, "by-alias"));
  for (const path of ["a.txt", join(alias, "a.txt"), join(real.workspace, "a.txt"), "by-alias"])
    expect((await bench.call("read_file", { path })).text, path).toBe("hello\n");
  for (const path of ["out/secret.txt", join(alias, "../out/secret.txt"), join(alias, "out/secret.txt")])
    expect((await bench.call("read_file", { path })).text, path).not.toContain(SECRET);
  for (const path of [join(real.workspace, "SOUL.md"), "../ws/SOUL.md"])
    expect((await bench.call("write_file", { path, content: "evil" })).status, path).toBe("error");
  expect(fs.existsSync(join(real.workspace, "SOUL.md"))).toBe(false);
  // Exchanged for another directory: what was opened first is what is meant.
  await bench.call("read_file", { path: "a.txt" });
  await whileSwapping({ path: alias, between: [linkTo(real.outside), linkTo(real.workspace)] }, async () => {
    for (const _ of tries()) expect((await bench.call("read_file", { path: "secret.txt" })).text).not.toContain(SECRET);
  });
});

function linkTo(target: string): { readonly kind: "link"; readonly target: string } {
  return { kind: "link", target };
}

test("R279 own-paths-10 a file exchanged for a link and for a second name of one outside: no tool shows or changes that one", async () => {
  const bench = await planted();
  const secret = join(bench.outside, "secret.txt");
  const path = join(bench.workspace, "f.txt");
  const between = [
    { kind: "file", text: "plain\n" },
    { kind: "link", target: secret },
    { kind: "file", text: "plain\n" },
    { kind: "hard-link", target: secret },
  ] as const;
  await whileSwapping({ path, between }, async () => {
    for (const _ of tries()) {
      expect((await bench.call("read_file", { path: "f.txt" })).text).not.toContain(SECRET);
      await bench.call("edit_file", { path: "f.txt", old_text: "plain", new_text: "changed" });
    }
    for (const _ of tries(20))
      expect((await bench.call("search_files", { pattern: "SECRET-" })).text).not.toContain(SECRET);
  });
  expect(fs.readFileSync(secret, "utf8")).toBe(`${SECRET}\n`);
});

test("S4 own-paths-11 undo: a file that gets a second name outside when it was looked at is not copied", async () => {
  const bench = undoBench();
  const secret = join(bench.directory, "..", "secret.txt");
  fs.writeFileSync(secret, SECRET);
  const path = join(bench.workspace, "f.txt");
  const between = [
    { kind: "file", text: "plain" },
    { kind: "hard-link", target: secret },
  ] as const;
  await whileSwapping({ path, between }, async () => {
    for (const turn of tries()) await bench.write("s-1/t-1", "f.txt", `mine ${turn}`);
    for (const turn of tries(40)) await bench.undo.commandStarting(bench.context(`s-2/t-${turn}`));
  });
  expect(contentsBelow(bench.directory).includes(SECRET)).toBe(false);
});

test("S4 own-paths-12 undo: a pipe put where a file stood holds nobody up", async () => {
  const bench = undoBench();
  const pipe = join(bench.directory, "..", "pipe");
  execFileSync("mkfifo", [pipe]);
  const path = join(bench.workspace, "f.txt");
  const between = [
    { kind: "file", text: "plain" },
    { kind: "pipe", target: pipe },
  ] as const;
  let waited = 0;
  // A writer that does not wait itself gets in only where a reader is; then that one is let go, so that a failure ends.
  const look = setInterval(() => {
    try {
      fs.closeSync(fs.openSync(pipe, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
      waited += 1;
    } catch {
      // ENXIO: nobody waits
    }
  }, 1_000);
  onTestFinished(() => clearInterval(look));
  await whileSwapping({ path, between }, async () => {
    await bench.write("s-1/t-1", "f.txt", "mine");
    for (const _ of tries(5_000)) await bench.undo.plan({ session: "s-1", turn: "t-1" });
  });
  expect(waited).toBe(0);
});

test("S4 own-paths-13 undo of a mode: a second name of a file outside keeps the mode it has there", async () => {
  const bench = undoBench();
  bench.put("f.txt", "same", 0o644);
  await bench.exec("s-1/t-1", "chmod 600 f.txt");
  const outside = join(bench.directory, "..", "outside.txt");
  fs.writeFileSync(outside, "same", { mode: 0o600 });
  fs.rmSync(join(bench.workspace, "f.txt"));
  fs.linkSync(outside, join(bench.workspace, "f.txt"));
  await bench.undoTurn("s-1/t-1", "undo-1", true);
  expect((fs.statSync(outside).mode & 0o777).toString(8)).toBe("600");
});

test("S4 own-paths-14 undo: directories exchanged for links while it runs, and nothing outside changes", async () => {
  const bench = undoBench();
  const outside = join(bench.directory, "..", "elsewhere");
  fs.mkdirSync(outside);
  fs.writeFileSync(join(outside, "f.txt"), "theirs");
  const path = join(bench.workspace, "d");
  fs.mkdirSync(`${path}-real`);
  fs.symlinkSync("d-real", path);
  const between = [linkTo("d-real"), linkTo(outside)];
  await whileSwapping({ path, between }, async () => {
    for (const turn of tries(60)) {
      await bench.write(`s-1/t-${turn}`, "d/f.txt", `mine ${turn}`);
      await bench.undoTurn(`s-1/t-${turn}`, `undo-${turn}`, true);
    }
  });
  expect(fs.readFileSync(join(outside, "f.txt"), "utf8")).toBe("theirs");
  expect(fs.readdirSync(outside)).toEqual(["f.txt"]);
});
