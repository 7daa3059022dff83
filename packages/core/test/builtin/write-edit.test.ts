import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { safeFiles } from "../../src/machine/files/safe-files.ts";
import { findEdit } from "../../src/builtin/files/edit-text.ts";
import { unifiedDiff } from "../../src/builtin/files/unified-diff.ts";
import { fileBench } from "./file-support.ts";

test("R98 write_file makes parents, says the bytes and writes what it got", async () => {
  const { call, workspace } = await fileBench();
  expect(await call("write_file", { path: "a/b/c.txt", content: "héllo\r\n" })).toMatchObject({
    status: "ok",
    text: "Wrote 8 bytes to a/b/c.txt.",
  });
  expect(await readFile(join(workspace, "a/b/c.txt"), "utf8")).toBe("héllo\r\n");
  expect((await call("write_file", { path: "empty", content: "" })).text).toBe("Wrote 0 bytes to empty.");
  const large = "x".repeat(3_000_000);
  expect((await call("write_file", { path: "large", content: large })).text).toBe("Wrote 3000000 bytes to large.");
});

test("R98 FS10 mode bits stay and nothing temporary is left", async () => {
  const { call, put, workspace } = await fileBench();
  await chmod(await put("run.sh", "old"), 0o755);
  await chmod(await put("secret", "old"), 0o600);
  for (const path of ["run.sh", "secret"]) await call("write_file", { path, content: "new" });
  expect((await stat(join(workspace, "run.sh"))).mode & 0o7777).toBe(0o755);
  expect((await stat(join(workspace, "secret"))).mode & 0o7777).toBe(0o600);
  expect(await readdir(join(workspace, ".margay/tmp"))).toEqual([]);
});

test("FS10 what a crash left of unfinished writes is removed at start", async () => {
  const { put, workspace } = await fileBench();
  await put(".margay/tmp/.0123.tmp", "half");
  await put(".margay/results/kept.txt", "kept");
  const files = safeFiles({ root: workspace, restrict: true });
  await files.cleanUp();
  expect(await readdir(join(workspace, ".margay/tmp"))).toEqual([]);
  expect(await readdir(join(workspace, ".margay/results"))).toEqual(["kept.txt"]);
});

test("FS10 a .margay that is a link leads no write outside", async () => {
  const { call, workspace, outside } = await fileBench();
  await symlink(outside, join(workspace, ".margay"));
  expect((await call("write_file", { path: "a.txt", content: "x" })).status).toBe("ok");
  expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("x");
  expect(await readdir(outside)).toEqual([]);
  expect((await readdir(workspace)).toSorted()).toEqual([".margay", "a.txt"]);
});

test("R98 FS3 a directory, a pipe's place and a received file are not written", async () => {
  const { call, put, workspace } = await fileBench();
  await mkdir(join(workspace, "d"));
  await put("inbox/photo.txt", "theirs");
  execFileSync("mkfifo", [join(workspace, "p")]);
  const text = async (path: string): Promise<string> => (await call("write_file", { path, content: "x" })).text;
  expect(await text("d")).toBe("Error: d is a directory. Next: use list_dir.");
  expect(await text("inbox/photo.txt")).toBe(
    "Error: inbox/photo.txt is protected. Next: ask the operator to change it.",
  );
  expect(await text("inbox/new.txt")).toContain(" is protected. ");
  expect(await text("p")).toBe("Error: p is a device, pipe or socket. Next: use a regular file.");
  expect((await stat(join(workspace, "p"))).isFIFO()).toBe(true);
  const fresh = await fileBench();
  expect((await fresh.call("write_file", { path: "inbox", content: "x" })).text).toContain(" is protected. ");
  expect(await readFile(join(workspace, "inbox/photo.txt"), "utf8")).toBe("theirs");
});

test("R98 a hard link is replaced, so that its other name keeps the old content", async () => {
  const { call, workspace, outside } = await fileBench();
  await writeFile(join(outside, "kept"), "old");
  await link(join(outside, "kept"), join(workspace, "h"));
  expect((await call("write_file", { path: "h", content: "new" })).status).toBe("ok");
  expect([await readFile(join(workspace, "h"), "utf8"), await readFile(join(outside, "kept"), "utf8")]).toEqual([
    "new",
    "old",
  ]);
});

test("R279 a link to a protected name is refused: the policy judged another path", async () => {
  const { call, put, workspace } = await fileBench();
  await put(".git/hooks/pre-commit", "#!/bin/sh\n");
  await symlink(".git/hooks", join(workspace, "notes"));
  expect((await call("write_file", { path: "notes/pre-commit", content: "evil" })).text).toBe(
    "Error: notes/pre-commit is protected. Next: ask the operator to change it.",
  );
  expect(await readFile(join(workspace, ".git/hooks/pre-commit"), "utf8")).toBe("#!/bin/sh\n");
  // Named openly it is the policy that asks; the tool then does it.
  expect((await call("write_file", { path: ".git/hooks/pre-commit", content: "approved" })).status).toBe("ok");
});

test("R352 without restriction a write outside happens only where the path says so", async () => {
  const { call, workspace, outside, state } = await fileBench({ restrict: false });
  await symlink(outside, join(workspace, "door"));
  expect((await call("write_file", { path: "door/x", content: "evil" })).text).toContain(" is outside the workspace. ");
  expect(await readdir(outside)).toEqual([]);
  expect((await call("write_file", { path: join(outside, "x"), content: "asked" })).status).toBe("ok");
  expect(await readdir(outside)).toEqual(["x"]);
  expect((await call("write_file", { path: join(state, "x"), content: "evil" })).text).toContain(" is protected. ");
  expect(await readdir(state)).toEqual([]);
});

test("R99 an edit replaces one match and shows a diff", async () => {
  const { call, put, workspace } = await fileBench();
  const file = await put("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n");
  await chmod(file, 0o640);
  expect((await call("edit_file", { path: "a.txt", old_text: "five", new_text: "FIVE\n5" })).text).toBe(
    [
      "Edited a.txt: 1 replacement(s).",
      "--- a.txt",
      "+++ a.txt",
      "@@ -2,7 +2,8 @@",
      " two",
      " three",
      " four",
      "-five",
      "+FIVE",
      "+5",
      " six",
      " seven",
      " eight",
    ].join("\n"),
  );
  expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("one\ntwo\nthree\nfour\nFIVE\n5\nsix\nseven\neight\n");
  expect((await stat(file)).mode & 0o7777).toBe(0o640);
});

test("R99 FS8 line endings stay: LF from the model fits a CRLF file, and what is written is CRLF", async () => {
  const { call, put, workspace } = await fileBench();
  await put("w.txt", "a\r\nb\r\nc\r\n");
  expect((await call("edit_file", { path: "w.txt", old_text: "a\nb", new_text: "x\ny\nz" })).text).toContain(
    "-a\n-b\n+x\n+y\n+z\n c",
  );
  expect(await readFile(join(workspace, "w.txt"), "utf8")).toBe("x\r\ny\r\nz\r\nc\r\n");
  await call("edit_file", { path: "w.txt", old_text: "c", new_text: "c\nd" });
  expect(await readFile(join(workspace, "w.txt"), "utf8")).toBe("x\r\ny\r\nz\r\nc\r\nd\r\n");
  await put("u.txt", "a\nb");
  await call("edit_file", { path: "u.txt", old_text: "b", new_text: "$& $1 \r\n" });
  expect(await readFile(join(workspace, "u.txt"), "utf8")).toBe("a\n$& $1 \r\n");
});

test("R99 replace_all replaces every match; the diff has at most 40 lines", async () => {
  const { call, put, workspace } = await fileBench();
  await put("n.txt", "x = 1\n".repeat(100));
  const { text } = await call("edit_file", { path: "n.txt", old_text: "x", new_text: "y", replace_all: "true" });
  const lines = text.split("\n");
  expect(lines[0]).toBe("Edited n.txt: 100 replacement(s).");
  expect(lines.length).toBe(41);
  expect(lines.at(-1)).toBe("… 164 more lines");
  expect(await readFile(join(workspace, "n.txt"), "utf8")).toBe("y = 1\n".repeat(100));
});

test("R99 FS5 UTF-16 keeps its encoding, a UTF-8 mark stays, Latin-1 is refused", async () => {
  const { call, put } = await fileBench();
  const le = await put("le", Buffer.from("\ufeffold\n", "utf16le"));
  const be = await put("be", Buffer.from("\ufeffold\n", "utf16le").swap16());
  const mark = await put("mark", "\ufeffold\n");
  const latin = await put("latin", Buffer.from("old \xe9\n", "latin1"));
  const edit = async (path: string): Promise<string> =>
    (await call("edit_file", { path, old_text: "old", new_text: "néw" })).text;
  for (const path of ["le", "be", "mark"]) expect(await edit(path)).toContain("1 replacement(s)");
  expect((await readFile(le)).equals(Buffer.from("\ufeffnéw\n", "utf16le"))).toBe(true);
  expect((await readFile(be)).equals(Buffer.from("\ufeffnéw\n", "utf16le").swap16())).toBe(true);
  expect(await readFile(mark, "utf8")).toBe("\ufeffnéw\n");
  expect(await edit("latin")).toBe("Error: latin is not UTF-8 text. Next: use exec with a suitable program.");
  expect((await readFile(latin)).equals(Buffer.from("old \xe9\n", "latin1"))).toBe(true);
});

const SOURCE = "const first = 1;\n\tif (Ready) {\n    start();\n}\nif (done) {\n    start();\n}\n";
test.each([
  ["start();", "Error: old_text occurs 2 times in s.ts (lines 3, 6). Next: add context or set replace_all."],
  [
    "const  first = 1;",
    "Error: old_text not found in s.ts. Next: copy it exactly; closest is line 1: const first = 1;. Only white space differs there.",
  ],
  [
    "Const First = 1;",
    "Error: old_text not found in s.ts. Next: copy it exactly; closest is line 1: const first = 1;. Only case differs there.",
  ],
  [
    "const frist = 2;",
    "Error: old_text not found in s.ts. Next: copy it exactly; closest is line 1: const first = 1;.",
  ],
  [
    "if (done) {\n    stop();",
    "Error: old_text not found in s.ts. Next: copy it exactly; closest is line 6:     start();.",
  ],
  ["", "Parameter error: old_text must not be blank"],
  [" \n\t", "Parameter error: old_text must not be blank"],
  ["same", "Parameter error: new_text must differ from old_text"],
])("R100 FS8 an edit that does not fit (%j) changes nothing and says why", async (oldText, expected) => {
  const { call, put, workspace } = await fileBench();
  await put("s.ts", SOURCE);
  expect(await call("edit_file", { path: "s.ts", old_text: oldText, new_text: "same" })).toMatchObject({
    status: "error",
    text: expected,
  });
  expect(await readFile(join(workspace, "s.ts"), "utf8")).toBe(SOURCE);
});

test("R100 an empty file has no closest line; many matches are counted, twenty lines are listed", async () => {
  const { call, put } = await fileBench();
  await put("empty", "");
  await put("many", "x\n".repeat(30));
  expect((await call("edit_file", { path: "empty", old_text: "a", new_text: "b" })).text).toBe(
    "Error: old_text not found in empty. Next: copy it exactly; the file is empty.",
  );
  expect((await call("edit_file", { path: "many", old_text: "x", new_text: "b" })).text).toMatch(
    /occurs 30 times in many \(lines 1, 2, .*20, …\)/,
  );
});

test("FS9 two edits in a row: the second works on the result of the first", async () => {
  const { call, put, workspace } = await fileBench();
  await put("a", "1");
  await call("edit_file", { path: "a", old_text: "1", new_text: "2" });
  await call("edit_file", { path: "a", old_text: "2", new_text: "3" });
  expect(await readFile(join(workspace, "a"), "utf8")).toBe("3");
});

test("R99 a file that somebody changed since it was read is not overwritten", async () => {
  const { put, workspace } = await fileBench();
  const path = await put("a", "1");
  const files = safeFiles({ root: workspace, restrict: true });
  using file = await files.read("a");
  await writeFile(path, "theirs");
  await expect(files.write("a", Buffer.from("ours"), { unchanged: file.stats })).rejects.toThrow(
    "a was changed by somebody else meanwhile. Next: read it again.",
  );
  expect(await readFile(path, "utf8")).toBe("theirs");
  expect(await readdir(join(workspace, ".margay/tmp"))).toEqual([]);
});

test("R99 a diff, applied, gives the edited text", () => {
  const text = fc.array(fc.constantFrom("a", "b", "ab", "", "c"), { maxLength: 30 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, fc.stringMatching(/^[abc\n]{1,3}$/), fc.stringMatching(/^[abc\n]{0,4}$/), (before, from, to) => {
      const edit = findEdit(before, from, to);
      fc.pre(edit.at.length > 0);
      const after = before.split(from).join(to);
      expect(apply(before, unifiedDiff("f", before, after, edit, 10_000))).toEqual(linesOf(after));
    }),
    { numRuns: 2000 },
  );
});

/** patch(1) without fuzz: context and removed lines must be there, headers must count right. */
function apply(before: string, diff: string): readonly string[] {
  const old = linesOf(before);
  const result: string[] = [];
  let at = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [header = "", ...body] = hunk.replace(/\n$/, "").split("\n");
    const [from, count, newFrom, newCount] = (header.match(/\d+/g) ?? []).map(Number);
    while (at < (from ?? 0) - 1) result.push(old[at++] ?? "?");
    expect([
      result.length + 1,
      body.filter((line) => !line.startsWith("+")).length,
      body.filter((line) => !line.startsWith("-")).length,
    ]).toEqual([newFrom, count, newCount]);
    for (const line of body) {
      if (!line.startsWith("+") && old[at++] !== line.slice(1)) throw new Error(`not there: ${line}`);
      if (!line.startsWith("-")) result.push(line.slice(1));
    }
  }
  return [...result, ...old.slice(at)];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
