// What is looked for in a workspace and kept from its programs: each bound at n, and at one more.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createLease } from "../../../src/machine/sandbox/leases.ts";
import { leftBehind } from "../../../src/machine/sandbox/quarantine/left-behind.ts";
import { openSandbox } from "../../../src/machine/sandbox/open-sandbox.ts";
import { openOwnWrites } from "../../../src/machine/sandbox/quarantine/own-writes.ts";
import type { Mount } from "../../../src/machine/sandbox/mounts.ts";
import { protect } from "../../../src/machine/sandbox/protection.ts";
import { processTree } from "../../../src/machine/sandbox/space-watch.ts";
import { createSurveyor, type Survey } from "../../../src/machine/sandbox/survey.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createPlace } from "./support.ts";

/** The mounts within the workspace, as `kind path`. */
function mountsOf(workspace: string, survey: Partial<Survey>, isNamed = false): readonly string[] {
  const found = { repositories: [], named: [], links: [], vendored: [], sockets: [], complete: true, ...survey };
  const { mounts } = protect(workspace, found, { inbox: true, isNamed: () => isNamed, mayConfigure: false });
  return mounts.map(({ kind, path }) => `${kind} ${path.slice(workspace.length + 1)}`);
}

test("mounts/MAX_PLACES: 200 places are read-only or away one by one, for one more the folder they lie in is as a whole", async () => {
  await using folder = await temporaryFolder();
  const places = (count: number, name: string): readonly string[] =>
    Array.from({ length: count }, (_, n) => folder.at("app", String(n + 100), name));
  const each = (kind: Mount["kind"], name: string): readonly string[] =>
    Array.from({ length: 200 }, (_, n) => `${kind} app/${n + 100}/${name}`);
  expect(mountsOf(folder.path, { named: places(200, ".npmrc") })).toEqual(each("readonly", ".npmrc"));
  expect(mountsOf(folder.path, { named: places(201, ".npmrc") })).toEqual(["readonly app"]);
  for (const path of places(201, ".git")) mkdirSync(path, { recursive: true });
  expect(mountsOf(folder.path, { repositories: places(200, ".git") })).toEqual(each("readonly", ".git"));
  expect(mountsOf(folder.path, { repositories: places(201, ".git") })).toEqual(["readonly app"]);
  expect(mountsOf(folder.path, { sockets: places(200, "run.sock") })).toEqual(each("nothing", "run.sock"));
  expect(mountsOf(folder.path, { sockets: places(201, "run.sock") })).toEqual(["empty app"]);
  const top = Array.from({ length: 201 }, (_, n) => folder.at(`run-${n + 100}.sock`));
  expect(mountsOf(folder.path, { sockets: top })).toHaveLength(201);
});

test("protection/MAX_OPEN, protection/MAX_NAMED: four repositories can be written, of more the eight that the command names", async () => {
  await using folder = await temporaryFolder();
  const closed = (count: number, isNamed: boolean): readonly string[] => {
    const repositories = Array.from({ length: count }, (_, n) => folder.at(`r${n}`, ".git"));
    for (const path of repositories) mkdirSync(path, { recursive: true });
    return mountsOf(folder.path, { repositories }, isNamed).filter((mount) => mount.startsWith("readonly"));
  };
  expect(closed(4, false)).toEqual([]);
  expect(closed(5, false)).toHaveLength(5);
  expect(closed(8, true)).toEqual([]);
  expect(closed(9, true)).toEqual(["readonly r8/.git"]);
});

test("survey/MAX_DEPTH: what lies twelve folders deep is found, what is deeper is not looked for", async () => {
  await using folder = await temporaryFolder();
  const deep = (levels: number): string => folder.at(...Array.from({ length: levels }, () => "d"));
  mkdirSync(deep(13), { recursive: true });
  writeFileSync(join(deep(13), ".npmrc"), "");
  expect((await createSurveyor()(folder.path)).named).toEqual([]);
  writeFileSync(join(deep(12), ".npmrc"), "");
  expect((await createSurveyor()(folder.path)).named).toEqual([join(deep(12), ".npmrc")]);
});

test("survey/MAX_DIRECTORIES: 5,000 folders are looked into", async () => {
  await using folder = await temporaryFolder();
  // With the workspace 4,999 folders come before the one that is deeper.
  for (let n = 0; n < 4998; n++) mkdirSync(folder.at(`d${n}`));
  mkdirSync(folder.at("d0", "last"));
  writeFileSync(folder.at("d0", "last", ".npmrc"), "");
  expect((await createSurveyor()(folder.path)).named).toEqual([folder.at("d0", "last", ".npmrc")]);
  // What no person made comes last.
  mkdirSync(folder.at("node_modules"));
  expect((await createSurveyor()(folder.path)).named).toEqual([folder.at("d0", "last", ".npmrc")]);
  rmdirSync(folder.at("node_modules"));
  mkdirSync(folder.at("more"));
  expect((await createSurveyor()(folder.path)).named).toEqual([]);
});

/** What a program is found to have left that began a while ago, in what is there now. */
async function foundIn(workspace: string): Promise<readonly string[]> {
  const survey = await createSurveyor()(workspace);
  const lease = createLease(
    workspace,
    { ...survey, named: [] },
    { mounts: [], guarded: [], open: [], untraced: [], hidden: [] },
    100,
  );
  return leftBehind(lease, survey, () => false).map(({ path, why }) => `${path.slice(workspace.length + 1)}: ${why}`);
}

test("leases/MAX_CONFIG_BYTES: a configuration of git of 64 KiB is judged by its keys, a larger one is taken away whole", async () => {
  await using folder = await temporaryFolder();
  for (const name of ["objects", "refs"]) mkdirSync(folder.at("r.git", name), { recursive: true });
  writeFileSync(folder.at("r.git", "HEAD"), "ref: refs/heads/main\n");
  const of = (bytes: number): string => `[core]\n\tbare = true\n#${"x".repeat(bytes)}`.slice(0, bytes);
  writeFileSync(folder.at("r.git", "config"), of(64 * 1024));
  expect(await foundIn(folder.path)).toEqual([]);
  writeFileSync(folder.at("r.git", "config"), of(64 * 1024 + 1));
  expect(await foundIn(folder.path)).toEqual(["r.git/config: config is no plain file"]);
});

test("git-left-behind/MAX_KEYS: three keys that were taken out are named", async () => {
  await using folder = await temporaryFolder();
  for (const name of ["objects", "refs"]) mkdirSync(folder.at("r.git", name), { recursive: true });
  writeFileSync(folder.at("r.git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(folder.at("r.git", "config"), "[core]\n\tpager = a\n\teditor = a\n\tfsmonitor = a\n\taskpass = a\n");
  expect(await foundIn(folder.path)).toEqual(["r.git/config: core.pager, core.editor, core.fsmonitor"]);
});

test("left-behind/MAX_INSIDE: of a folder that a package brought, a thousand entries are looked at; one with more counts as changed", async () => {
  await using folder = await temporaryFolder();
  const place = folder.at("node_modules", "p", ".vscode");
  mkdirSync(place, { recursive: true });
  // With the folder itself they are a thousand, none newer than a program that begins now.
  for (let n = 0; n < 999; n++) writeFileSync(join(place, `f${n}`), "");
  const lease = async (): Promise<readonly unknown[]> => {
    const survey = await createSurveyor()(folder.path);
    const later = createLease(
      folder.path,
      survey,
      { mounts: [], guarded: [], open: [], untraced: [], hidden: [] },
      Date.now() + 60_000,
    );
    return leftBehind(later, survey, () => false);
  };
  expect(await lease()).toEqual([]);
  writeFileSync(join(place, "one-more"), "");
  expect(await lease()).toHaveLength(1);
});

test("own-writes/MAX_WRITES: ten thousand writes of margay itself are remembered", async () => {
  await using folder = await temporaryFolder();
  const made = (count: number): boolean => {
    const writes = openOwnWrites(folder.at(`writes-${count}`));
    for (let n = 0; n < count; n++) writes.add(`/w/f${n}`, 1_000);
    return writes.made("/w/f0", 1_000);
  };
  expect([made(10_000), made(10_001)]).toEqual([true, false]);
});

test("a program that runs for weeks: what margay has written meanwhile takes no more of the disk than twice what is remembered of it", async () => {
  await using folder = await temporaryFolder();
  const file = folder.at("writes");
  const writes = openOwnWrites(file);
  let most = 0;
  for (let n = 0; n < 45_000; n++) {
    writes.add(`/w/f${n}`, 1_000);
    if (n % 5000 === 0) most = Math.max(most, readFileSync(file, "utf8").split("\n").length);
  }
  expect(most).toBeLessThanOrEqual(20_002);
  const next = openOwnWrites(file);
  expect([34_999, 35_000, 44_999].map((n) => next.made(`/w/f${n}`, 1_000))).toEqual([false, true, true]);
});

test("open-sandbox/MAX_WRITTEN: a thousand writes before the first program are told to the sandbox", async () => {
  const told = async (count: number): Promise<boolean> => {
    using place = createPlace();
    const sandbox = openSandbox({ mode: "required", workspace: place.workspace, state: place.state, searchPath: "" });
    for (let n = 0; n < count; n++) sandbox.writing(`f${n}`);
    await sandbox.keepAside({});
    return openOwnWrites(join(place.state, "quarantine-writes.jsonl")).made(join(place.workspace, "f0"), Date.now());
  };
  expect([await told(1_000), await told(1_001)]).toEqual([true, false]);
});

test("space-watch/MAX_PROCESSES: a thousand processes of a command are looked at", async () => {
  // 998 children, the first with a child of its own; then one more. They wait for the end of a pipe that they share.
  const script = `
    waits() { read line <&3; }
    (waits & echo $!; waits) &
    n=1; while [ $n -lt 998 ]; do waits & n=$((n+1)); done
    echo; read line; waits & echo more; wait`;
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["pipe", "pipe", "ignore", "pipe"] });
  onTestFinished(() => void child.stdio[3]?.destroy());
  let said = "";
  child.stdout?.on("data", (data: Buffer) => (said += data.toString()));
  await expect.poll(() => said).toMatch(/\d+\n/);
  const grandchild = Number(/\d+/.exec(said)?.[0]);
  await expect.poll(() => said).toMatch(/^\n|\n\n/); // the two write as they come
  const tree = (): readonly number[] => processTree(child.pid ?? 0);
  expect([tree().length, tree().includes(grandchild)]).toEqual([1000, true]);
  child.stdin?.write("\n");
  await expect.poll(() => said).toContain("more");
  expect([tree().length, tree().includes(grandchild)]).toEqual([1000, false]);
});
