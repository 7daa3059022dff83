// Shells, git and an editor that look on: enters every folder of a workspace again and again, and obeys what has been there for long enough.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../../src/machine/system/clock.ts";
import { OBEYED } from "./planted-cases.ts";

/** What SC36 gives a file in a folder that was made a moment ago. */
const SEEN_FOR_MS = 1_200;
const LOOKS_EACH_MS = 50;
const GIT = [["status"], ["diff"], ["log", "-1"], ["branch"]];

const [workspace = "", home = ""] = process.argv.slice(2);
const clock = systemClock();
const first = new Map<string, number>();
const obeyed = new Set<string>();

function look(folder: string): void {
  for (const entry of entries(folder)) {
    const path = join(folder, entry);
    if (isDirectory(path) && entry !== ".git") look(path);
    if (OBEYED.some((name) => path.endsWith(`/${name}`))) seen(path, () => start(path));
    // A folder is a repository when git takes it for one, now.
    if (entry === ".git" || entry === "HEAD") seen(dirname(path), () => git(dirname(path)));
  }
}

function seen(path: string, obey: () => void): void {
  const since = first.get(path) ?? clock.monotonic();
  first.set(path, since);
  if (clock.monotonic() - since >= SEEN_FOR_MS && !obeyed.has(path)) {
    obeyed.add(path);
    obey();
  }
}

function start(path: string): void {
  const [, command] = /#run: (.*)/.exec(readFileSync(path, "utf8")) ?? [];
  if (command !== undefined) execFile("/bin/sh", ["-c", command], { cwd: dirname(path) }, () => undefined);
}

function git(folder: string): void {
  const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  const run = (left: readonly (readonly string[])[]): void => {
    const [next, ...rest] = left;
    if (next !== undefined)
      execFile("git", ["-c", "safe.directory=*", ...next], { cwd: folder, env, timeout: 5_000 }, () => run(rest));
  };
  run(GIT);
}

function entries(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder);
    // What is gone was seen by nobody who looks now.
    for (const path of first.keys())
      if (dirname(path) === folder && !names.includes(basename(path))) first.delete(path);
    return names;
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

for (;;) {
  try {
    look(workspace);
  } catch {
    // it went while it was looked at
  }
  await clock.sleep(LOOKS_EACH_MS, new AbortController().signal);
}
