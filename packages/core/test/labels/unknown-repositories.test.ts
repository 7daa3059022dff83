// A person clones with their own git, outside of margay: until they say whose it is, it is a stranger's.
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFileEndorsement, type FileEndorsement } from "../../src/labels/endorse-files.ts";
import { labelBench, type LabelBench, PAGE, type Result } from "./bench.ts";

/** Cloned from an address, with real git: what it leads to lies beside the workspace. */
function clone({ person, workspace }: LabelBench, address: string, into: string): void {
  const upstream = join(workspace, "..", "upstream");
  const as = "-c user.name=a -c user.email=a@b";
  fs.writeFileSync(join(workspace, "..", "page"), PAGE);
  person(
    `[ -d ${upstream} ] || { git init -q ${upstream} && cp ../page ${upstream}/README.md && git -C ${upstream} add . && git -C ${upstream} ${as} commit -qm one; }`,
  );
  person(`git -c 'url.${upstream}.insteadOf=${address}' -c protocol.file.allow=always clone -q '${address}' ${into}`);
}

const files = ({ workspace, labels }: LabelBench): FileEndorsement => createFileEndorsement(workspace, labels);
const untrusted = (results: readonly Result[]): readonly boolean[] => results.map((result) => result.untrusted);
const nobodys = (): boolean => false;

test("SC17 what a person cloned is a stranger's to file tools, before any command, and to the commands that read it", async () => {
  const bench = labelBench({ isOwn: nobodys });
  clone(bench, "https://github.com/x/y", "cloned");
  fs.mkdirSync(join(bench.workspace, "own"));
  fs.writeFileSync(join(bench.workspace, "own/a.md"), "A note of my own, of some length.\n");
  const { call, exec } = bench;
  const read = [
    await call("search_files", { pattern: "Dear assistant" }),
    await call("read_file", { path: "cloned/README.md" }),
    await call("list_dir", { path: "cloned" }),
  ];
  expect(untrusted(read)).toEqual([true, true, true]);
  const first = await exec("cat cloned/README.md");
  expect([first.untrusted, first.causes]).toEqual([true, ["read cloned/README.md"]]);
  expect(untrusted([await exec("git -C cloned log"), await exec("head -1 */README.md")])).toEqual([true, true]);
  expect(
    untrusted([
      await call("read_file", { path: "own/a.md" }),
      await call("list_dir", { path: "." }),
      await exec("date; ls; cat own/a.md"),
    ]),
  ).toEqual([false, false, false]);
});

test("SC17 a command is the first to meet it: it is told as one of what counts as strangers' text", async () => {
  const bench = labelBench({ isOwn: nobodys });
  await bench.exec("true");
  clone(bench, "git@github.com:x/y.git", "deep/down/cloned");
  expect(await bench.exec("true")).toMatchObject({ untrusted: false, labelled: 1 });
  expect(await files(bench).list()).toEqual([
    { path: "deep/down/cloned/", cause: "came from github.com/x/y", origin: "github.com/x/y" },
  ]);
  expect(await bench.exec("true")).toMatchObject({ labelled: 0 });
});

test("SC17 yours: asked once, by path and address, also after a restart; another address there is asked anew", async () => {
  const bench = labelBench({ isOwn: nobodys });
  clone(bench, "https://me:secret-token@github.com/x/y.git", "cloned");
  await bench.call("read_file", { path: "cloned/README.md" });
  expect(await files(bench).list()).toMatchObject([{ path: "cloned/", origin: "github.com/x/y" }]);
  expect(fs.readFileSync(join(bench.state, "file-labels.jsonl"), "utf8")).not.toContain("secret-token");
  expect(await files(bench).endorse([{ path: "cloned/" }])).toEqual([{ path: "cloned/", status: "endorsed" }]);
  for (const _ of [1, 2]) {
    bench.restart();
    const after = [
      await bench.call("read_file", { path: "cloned/README.md" }),
      await bench.exec("cat cloned/README.md"),
    ];
    expect(untrusted(after)).toEqual([false, false]);
  }
  bench.person("rm -rf cloned");
  clone(bench, "https://gitlab.com/else/y", "cloned");
  expect((await bench.exec("cat cloned/README.md")).untrusted).toBe(true);
  expect(await files(bench).list()).toMatchObject([{ path: "cloned/", origin: "gitlab.com/else/y" }]);
});

test("SC17 a stranger's: that is kept, and not asked again", async () => {
  const bench = labelBench({ isOwn: nobodys });
  clone(bench, "https://github.com/x/y", "cloned");
  await bench.exec("true");
  expect(files(bench).disown(["cloned/", "nothing"])).toEqual([
    { path: "cloned/", status: "disowned" },
    { path: "nothing", status: "unknown" },
  ]);
  bench.restart();
  expect((await bench.exec("cat cloned/README.md")).untrusted).toBe(true);
  expect(await files(bench).list()).toEqual([{ path: "cloned/", cause: "came from github.com/x/y" }]);
});

test("SC17 nobody is asked of the operator's own: by the list, at the top, begun here, or cloned here by a command", async () => {
  const bench = labelBench({ isOwn: (repository) => repository === "github.com/me/proj" });
  clone(bench, "https://github.com/me/proj", "listed");
  bench.person("git init -q begun && cp ../page begun/README.md");
  const { exec } = bench;
  await exec("git clone -q begun copied; cp begun/README.md copied/");
  await exec("true");
  bench.restart();
  for (const name of ["listed", "begun", "copied"])
    expect([
      name,
      untrusted([await exec(`cat ${name}/README.md`), await bench.call("list_dir", { path: name })]),
    ]).toEqual([name, [false, false]]);
  expect(await files(bench).list()).toEqual([]);

  const top = labelBench({ isOwn: nobodys });
  clone(top, "https://github.com/x/y", "../top");
  top.person("cp -r ../top/.git ../top/README.md .");
  expect(untrusted([await top.exec("cat README.md"), await top.call("read_file", { path: "README.md" })])).toEqual([
    false,
    false,
  ]);
});

test("SC17 what a person clones while a command runs that reaches nothing is theirs to answer for", async () => {
  const bench = labelBench({ isOwn: nobodys });
  await bench.together("while [ ! -d cloned/.git/refs/remotes ]; do sleep 0.1; done", "true", () =>
    clone(bench, "https://github.com/x/y", "cloned"),
  );
  expect((await bench.exec("cat cloned/README.md")).untrusted).toBe(true);
});

test("unknown-repositories/MAX_LINE_BYTES: 4,096 bytes of a line are read, what stands behind them is no address", async () => {
  const bench = labelBench({ isOwn: nobodys });
  const before = `${"0".repeat(40)} ${"1".repeat(40)} `;
  const after = "\tclone: from /";
  for (const [path, bytes] of [
    ["whole", 4_096],
    ["cut", 4_097],
  ] as const) {
    const who = "a".repeat(bytes - before.length - after.length - 1);
    fs.mkdirSync(join(bench.workspace, path, ".git/logs"), { recursive: true });
    fs.writeFileSync(join(bench.workspace, path, ".git/logs/HEAD"), `${before}${who}${after}x\n`);
  }
  await bench.exec("true");
  expect(await files(bench).list()).toEqual([
    { path: "cut/", cause: "came from /", origin: "/" },
    { path: "whole/", cause: "came from /x", origin: "/x" },
  ]);
});
