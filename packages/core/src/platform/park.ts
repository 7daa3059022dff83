/** Oversized results: whole text under `.margay/results/` in the workspace, kept 7 days and at most 200 MB (CX7). */
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CallId, Clock } from "../contract/base.ts";
import { replaceFile } from "./files.ts";

const DIRECTORY = ".margay/results";
const KEEP_MS = 7 * 24 * 3_600_000;
const KEEP_BYTES = 200 * 1024 * 1024;

/** @returns a function that stores a text and gives its workspace-relative path; undefined when it could not be stored. */
export function parkIn(workspace: string, clock: Pick<Clock, "now">): (callId: CallId, text: string) => Promise<string | undefined> {
  // oxlint-disable-next-line require-await -- the contract is asynchronous: another place is a store
  return async (callId, text) => {
    const directory = join(workspace, DIRECTORY);
    try {
      mkdirSync(directory, { recursive: true });
      // A link planted in the workspace must not lead our own writes out of it.
      if (!lstatSync(join(workspace, ".margay")).isDirectory() || !lstatSync(directory).isDirectory()) return undefined;
      prune(directory, clock.now());
      const name = `${callId}.txt`;
      replaceFile(join(directory, name), text);
      return `${DIRECTORY}/${name}`;
    } catch {
      return undefined; // the result is cut and the turn goes on
    }
  };
}

function prune(directory: string, now: number): void {
  const files = readdirSync(directory)
    .map((name) => ({ path: join(directory, name), ...pick(statSync(join(directory, name))) }))
    .sort((a, b) => b.at - a.at);
  let bytes = 0;
  for (const file of files) {
    bytes += file.bytes;
    if (bytes > KEEP_BYTES || now - file.at > KEEP_MS) rmSync(file.path, { force: true });
  }
}

function pick(stat: { readonly mtimeMs: number; readonly size: number }): { readonly at: number; readonly bytes: number } {
  return { at: stat.mtimeMs, bytes: stat.size };
}
