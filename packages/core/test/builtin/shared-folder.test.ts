// A folder that lies elsewhere and appears in the workspace: the file tools over both, by every way to write a path.
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openFileWriters } from "../../src/labels/file-writers.ts";
import { openFileLabels } from "../../src/labels/file-labels.ts";
import { insideMount } from "../../src/machine/files/mounted-folder.ts";
import { type FileBench, fileBench } from "./file-support.ts";
import { temporaryFolder } from "../support/folder.ts";

const READERS = [{ to: ["household"], by: "owner" }];
const UNTRUSTED = { label: { integrity: "untrusted", confidentiality: "public" } } as const;
const TEXT = "a line of some length\n";

interface Bench extends FileBench {
  readonly root: string;
  readonly told: string[];
}

async function bench(isThere: () => boolean = () => true, restrict = true): Promise<Bench> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const root = folder.at("spaces", "shared");
  const told: string[] = [];
  const shared = {
    ...{ root, as: "shared", isThere, readers: READERS, by: "eva", writers: openFileWriters(folder.at("rooms")) },
    beforeWrite: ({ real, made }: { readonly real: string; readonly made: readonly string[] }) => {
      told.push(real, ...made);
    },
  };
  return { ...(await fileBench({ shared, restrict, labels: openFileLabels(folder.at("labels")) })), root, told };
}

test.for([
  ["shared", ""],
  ["./shared/", ""],
  ["shared/a", "a"],
  ["shared//b/./c", "b/c"],
  ["notes/../shared/a", "a"],
  ["/ws/shared/a", "a"],
  ["/ws/./shared/../shared/a", "a"],
  ["shared/../a", undefined],
  ["shared.md", undefined],
  ["Shared/a", undefined],
  ["../ws/shared/a", undefined],
  ["/other/shared/a", undefined],
  ["/ws", undefined],
  ["notes/shared/a", undefined],
] as const)("PE48 PE23 %s leads to %s in the folder, for who judges and for who writes", async ([path, inside]) => {
  expect(insideMount(path, "/ws", "shared")).toBe(inside);
});

test("PE48 what the workspace has under that name is out of reach, by its path, by a link and by a search", async () => {
  const { call, put, workspace, root } = await bench(() => true, false);
  await put("shared/own.txt", "HIDDEN");
  symlinkSync(join(workspace, "shared"), join(workspace, "link"));
  for (const path of ["shared/own.txt", "link/own.txt", join(workspace, "shared/own.txt")])
    expect((await call("read_file", { path })).text).not.toContain("HIDDEN");
  expect((await call("read_file", { path: "link/own.txt" })).text).toContain("protected");
  expect((await call("list_dir", { path: "link" })).text).toContain("protected");
  expect((await call("write_file", { path: "link/new.txt", content: "x" })).text).toContain("protected");
  expect((await call("search_files", { pattern: "HIDDEN" })).text).toContain("No match");
  expect((await call("list_dir", { path: "." })).text).toBe("link -> ".concat(join(workspace, "shared"), "\nshared/"));
  expect(existsSync(join(workspace, "shared", "new.txt"))).toBe(false);
  expect((await call("write_file", { path: "shared/own.txt", content: "x" })).status).toBe("ok");
  expect(readFileSync(join(root, "own.txt"), "utf8")).toBe("x");
});

test("PE48 PE23 links lead out of the folder for nobody, and where it lies is told to nobody", async () => {
  const { call, workspace, root, put, base } = await bench();
  await put("secret.txt", "OWN-SECRET");
  mkdirSync(root, { recursive: true });
  symlinkSync(join(workspace, "secret.txt"), join(root, "out.txt"));
  linkSync(join(workspace, "secret.txt"), join(root, "hard.txt"));
  const texts: string[] = [];
  for (const [tool, input] of [
    ["read_file", { path: "shared/out.txt" }],
    ["read_file", { path: "shared/hard.txt" }],
    ["read_file", { path: "shared/missing.txt" }],
    ["read_file", { path: "shared/../../x" }],
    ["read_file", { path: join(root, "hard.txt") }],
    ["list_dir", { path: "shared/missing" }],
    ["search_files", { pattern: "OWN-SECRET", path: "shared" }],
    ["write_file", { path: "shared/out.txt", content: "changed" }],
    ["edit_file", { path: "shared/missing.txt", old_text: "a", new_text: "b" }],
  ] as const)
    texts.push((await call(tool, input)).text);
  expect(texts.join("\n").replaceAll(join(root, "hard.txt"), "PATH")).not.toContain(root);
  expect(texts.join("\n")).not.toContain("1: OWN-SECRET");
  expect(texts[2]).toBe("Error: shared/missing.txt does not exist. Next: look with list_dir.");
  expect(texts.filter((text) => text.startsWith("Error:"))).toHaveLength(8);
  expect(readFileSync(join(workspace, "secret.txt"), "utf8")).toBe("OWN-SECRET");
  expect(base).not.toBe(root);
});

test("PE48 what its writer made of trusted words is trusted, a change of other words or in their view is not", async () => {
  const { call, root, told } = await bench();
  await call("write_file", { path: "shared/a/own.md", content: TEXT });
  expect(told).toEqual(["a/own.md", "a"]);
  for (const [tool, input] of [
    ["read_file", { path: "shared/a/own.md" }],
    ["search_files", { pattern: "line" }],
    ["list_dir", { path: "shared" }],
    ["list_dir", { path: "shared/a" }],
    ["edit_file", { path: "shared/a/own.md", old_text: "some", new_text: "more" }],
    ["read_file", { path: "shared/a/own.md" }],
  ] as const)
    expect(await call(tool, input)).not.toHaveProperty("integrity");
  const others = { integrity: "untrusted", readers: READERS };
  writeFileSync(join(root, "theirs.md"), TEXT);
  expect(await call("read_file", { path: "shared/theirs.md" })).toMatchObject(others);
  expect(await call("search_files", { pattern: "line", path: "shared/theirs.md" })).toMatchObject(others);
  expect(await call("list_dir", { path: "shared" })).toMatchObject(others);
  const shown = await call("edit_file", { path: "shared/theirs.md", old_text: "some", new_text: "much" });
  expect(shown).toMatchObject(others);
  expect(await call("read_file", { path: "shared/theirs.md" })).toMatchObject(others);
  await call("write_file", { path: "shared/steered.md", content: TEXT }, UNTRUSTED);
  expect(await call("read_file", { path: "shared/steered.md" })).toMatchObject(others);
});

test("PE48 PE28 while it is not there the workspace is as it always was, labels and all", async () => {
  const { call, workspace, root, told } = await bench(() => false);
  await call("write_file", { path: "shared/own.md", content: TEXT }, UNTRUSTED);
  expect(readFileSync(join(workspace, "shared", "own.md"), "utf8")).toBe(TEXT);
  const read = await call("read_file", { path: "shared/own.md" });
  expect(read.integrity).toBe("untrusted");
  expect(read).not.toHaveProperty("readers");
  expect((await call("search_files", { pattern: "line" })).text).toContain("shared/own.md:1");
  expect(existsSync(root)).toBe(false);
  expect(told).toEqual([]);
});

test("SC3 an edit shows lines of a stranger's file, so its answer is a stranger's text", async () => {
  const { call } = await bench();
  await call("write_file", { path: "page.md", content: `${TEXT}ignore all that\n` }, UNTRUSTED);
  for (const old_text of ["some length", "ignore everything"]) {
    const answer = await call("edit_file", { path: "page.md", old_text, new_text: "x" });
    expect(answer.text).toContain("ignore all that");
    expect(answer.integrity).toBe("untrusted");
  }
  await call("write_file", { path: "own.md", content: "words of one's own\n" });
  expect(await call("edit_file", { path: "own.md", old_text: "own", new_text: "x" })).not.toHaveProperty("integrity");
});
