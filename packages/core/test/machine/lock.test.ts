import { fork, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { lockDirectory, lockOwner } from "../../src/machine/system/lock.ts";
import { temporaryFolder } from "../support/folder.ts";

const STARTER = fileURLToPath(new URL("lock-starter.ts", import.meta.url));
const STARTERS = 8;

test("R177 SS3 of many that start at once over what a killed process left, one holds the directory", async () => {
  await using folder = await temporaryFolder();
  const starters = Array.from({ length: STARTERS }, () => fork(STARTER, [folder.path]));
  onTestFinished(() => {
    for (const child of starters) child.kill("SIGKILL");
  });
  await Promise.all(starters.map(said));
  const { pid } = spawnSync("true"); // it was one
  for (let round = 0; round < 9; round++) {
    // Every third round as a power cut leaves it.
    writeFileSync(folder.at("lock"), round % 3 === 0 ? "" : JSON.stringify({ pid, started: String(round) }));
    const answers = await Promise.all(starters.map((child) => ask(child, "take")));
    expect(answers.filter((answer) => answer === "held unclean")).toHaveLength(1);
    expect(answers.filter((answer) => answer === "state.locked")).toHaveLength(STARTERS - 1);
    const [holder] = starters.filter((_, index) => answers[index] === "held unclean");
    expect(lockOwner(folder.path)).toBe(holder?.pid);
    await Promise.all(starters.map((child) => ask(child, "release")));
    expect(readdirSync(folder.path)).toEqual([]);
  }
});

test("R177 what is released is one's own lock, and the next is a clean start", async () => {
  await using folder = await temporaryFolder();
  const first = lockDirectory(folder.path);
  expect(() => lockDirectory(folder.path)).toThrow(`is used by process ${process.pid}`);
  const other = JSON.stringify({ pid: process.pid, started: "of another process" });
  writeFileSync(folder.at("lock"), other);
  first[Symbol.dispose]();
  expect(readFileSync(folder.at("lock"), "utf8")).toBe(other);
  const second = lockDirectory(folder.path);
  expect(second.unclean).toBe(true); // nobody with that start lives
  second[Symbol.dispose]();
  using third = lockDirectory(folder.path);
  expect(third.unclean).toBe(false);
});

function ask(child: ChildProcess, what: "take" | "release"): Promise<unknown> {
  const answer = said(child);
  child.send(what);
  return answer;
}

async function said(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, "message");
  return message as unknown;
}
