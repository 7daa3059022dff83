import { spawnSync } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Logger } from "../../src/contract/base.ts";
import { silentLog } from "../../src/machine/system/log.ts";
import { removeTemporary } from "../../src/machine/files/safe-replace.ts";
import { createCleanup } from "../../src/machine/files/cleanup.ts";
import { startAgent } from "../support/agent.ts";

const KILLED = fileURLToPath(new URL("killed-replace.ts", import.meta.url));

async function workspace(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "margay-leftovers-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

const cleanupOf = (root: string, log: Logger = silentLog) =>
  createCleanup({ workspace: root, directory: join(tmpdir(), "margay-no-state"), log });

test("FS10 only what was there at the start is cleaned: our own unfinished writes stay", async () => {
  const root = await workspace();
  const shelf = join(root, ".margay/tmp");
  await mkdir(shelf, { recursive: true });
  await writeFile(join(shelf, ".old.tmp"), "half");
  const cleanUp = cleanupOf(root);
  await cleanUp();
  expect(await readdir(shelf)).toEqual([]);
  await writeFile(join(shelf, ".own.tmp"), "half");
  await cleanUp();
  expect(await readdir(shelf)).toEqual([".own.tmp"]);
});

test.runIf(process.platform === "linux")(
  "FS10 a sweep gives back every descriptor, whether there is something to sweep or not",
  async () => {
    const held = (root: string): number =>
      readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(root);
        } catch {
          return false; // the one of this look
        }
      }).length;
    const root = await workspace();
    await removeTemporary(root);
    expect(held(root)).toBe(0);
    await mkdir(join(root, ".margay/tmp"), { recursive: true });
    await writeFile(join(root, ".margay/tmp/.old.tmp"), "half");
    await removeTemporary(root);
    expect(await readdir(join(root, ".margay/tmp"))).toEqual([]);
    expect(held(root)).toBe(0);
  },
);

test("FS10 a workspace that cannot be tidied is logged, one that is missing is not, and neither stops the start", async () => {
  const root = await workspace();
  await writeFile(join(root, "file"), "");
  const lines: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void lines.push(event) };
  await cleanupOf(join(root, "file"), log)();
  expect(lines).toEqual(["leftovers.kept"]);
  await cleanupOf(join(root, "missing"), log)();
  expect(lines).toEqual(["leftovers.kept"]);
});

test("DF22 what processes left that were killed in the middle of a replacement is cleaned at the next start, and nothing else", async (t) => {
  const started = await startAgent(t, { keepsMemory: true });
  const { home } = started;
  const places = [join(started.workspace, "memory"), home, join(home, "memory"), join(home, "blobs", "ab")];
  const long = new Date("2001-01-01");
  const theirs = join(started.workspace, ".4194303-abc.tmp"); // not in a place of ours
  const command = join(home, "exec", "call"); // what commands made
  await mkdir(command, { recursive: true });
  for (const place of places) {
    await mkdir(place, { recursive: true });
    const killed = spawnSync(process.execPath, [KILLED, join(place, "MEMORY.md")]);
    expect(killed).toMatchObject({ signal: "SIGKILL" });
    expect((await readdir(place)).filter((name) => name.endsWith(".tmp"))).toHaveLength(1);
    await writeFile(join(place, `.${process.ppid}-live.tmp`), "somebody alive writes it");
    await writeFile(join(place, `.${process.pid}-live.tmp`), "we write it");
    await writeFile(join(place, "notes.tmp"), "a name that people choose");
    for (const pid of [process.pid, process.ppid]) {
      const reused = join(place, `.${pid}-old.tmp`);
      await writeFile(reused, "of a process that had the same number");
      await utimes(reused, long, long);
    }
  }
  for (const path of [theirs, join(command, ".4194303-abc.tmp")]) await writeFile(path, "somebody's");
  const locks = ["lock.0123456789ab.tmp", "lock.0123456789ab", "lock.0123456789ab.cdef01234567.tmp"];
  for (const name of [...locks, "lock.999999999999.tmp"]) await writeFile(join(home, name), "{}");
  for (const name of locks) await utimes(join(home, name), long, long);

  const { agent } = await started.restart();
  await agent.run(AbortSignal.abort(new Error("enough")));
  const kept = [`.${process.ppid}-live.tmp`, `.${process.pid}-live.tmp`, "notes.tmp"];
  for (const place of places)
    expect((await readdir(place)).filter((name) => name.endsWith(".tmp")).toSorted()).toEqual(
      [...kept, ...(place === home ? ["lock.999999999999.tmp"] : [])].toSorted(),
    );
  expect((await readdir(home)).filter((name) => locks.includes(name))).toEqual([]);
  expect(await readdir(started.workspace)).toContain(".4194303-abc.tmp");
  expect(await readdir(command)).toEqual([".4194303-abc.tmp"]);
});
