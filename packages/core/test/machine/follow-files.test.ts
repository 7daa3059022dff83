// What is read of files that others write to: all of it while that is little, the ends of them when it is much.
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Follower, followFiles } from "../../src/machine/files/follow-files.ts";

const MEBIBYTE = 1024 * 1024;
const TAIL = MEBIBYTE + 4 * 1024;

interface Seen {
  readonly follower: Follower;
  readonly path: string;
  /** Of each file, in order: where a piece was read, and its length; the length of what was passed over as a negative number. */
  readonly pieces: number[];
  read(): number;
  /** The bytes that were read, without what was passed over. */
  bytes(): Buffer;
}

/** Follows one file that is there already. */
function follow(content: (path: string) => void): Seen {
  const directory = fs.mkdtempSync(join(tmpdir(), "margay-follow-"));
  const path = join(directory, "out");
  fs.writeFileSync(path, "");
  content(path);
  const pieces: number[] = [];
  const chunks: Buffer[] = [];
  const follower = followFiles(directory, ["out"], {
    onBytes: (_name, bytes) => {
      pieces.push(bytes.length);
      chunks.push(Buffer.from(bytes));
    },
    onSkipped: (_name, bytes) => void pieces.push(-bytes),
    onOverflow: () => undefined,
  });
  onTestFinished(() => {
    follower.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });
  const read = (): number => pieces.filter((piece) => piece > 0).reduce((sum, piece) => sum + piece, 0);
  return { follower, path, pieces, read, bytes: () => Buffer.concat(chunks) };
}

test("SC43 of what was not read when its writer ended the first megabyte and the end are read, and the rest is counted", async () => {
  const text = Buffer.from(Array.from({ length: 1_000_000 }, (_, line) => `${line}\n`).join(""));
  const seen = follow((path) => fs.writeFileSync(path, text));
  await seen.follower.finish();
  const skipped = seen.pieces.filter((piece) => piece < 0).map((piece) => -piece);
  expect(skipped).toHaveLength(1);
  expect(seen.read() + (skipped[0] ?? 0)).toBe(text.length);
  const bytes = seen.bytes();
  const head = bytes.length - TAIL;
  expect(head).toBeGreaterThanOrEqual(MEBIBYTE);
  expect(head).toBeLessThan(2 * MEBIBYTE);
  expect(bytes.subarray(0, head).equals(text.subarray(0, head))).toBe(true);
  expect(bytes.subarray(head).equals(text.subarray(-TAIL))).toBe(true);
});

test("SC43 little is read whole at the end, and one byte more than the two ends have is passed over", async () => {
  const exactly = follow((path) => fs.writeFileSync(path, Buffer.alloc(MEBIBYTE + TAIL, "x")));
  await exactly.follower.finish();
  expect([exactly.read(), exactly.pieces.every((piece) => piece > 0)]).toEqual([MEBIBYTE + TAIL, true]);
  const more = follow((path) => fs.writeFileSync(path, Buffer.alloc(MEBIBYTE + TAIL + 1, "x")));
  await more.follower.finish();
  expect([more.read(), more.pieces.filter((piece) => piece < 0)]).toEqual([MEBIBYTE + TAIL, [-1]]);
});

test("SC43 a writer that could not be ended does not keep its reader: what comes after the end is not waited for", async () => {
  const seen = follow((path) => fs.writeFileSync(path, "before\n"));
  const finished = seen.follower.finish();
  fs.appendFileSync(seen.path, "after\n");
  await finished;
  expect(seen.bytes().toString()).toBe("before\n");
});

test("SC43 while it is written to, at most 64 MB of it are read in a second, and the end does not wait for that", async () => {
  // Less than what a reader may be behind by, and nothing on the disk.
  const seen = follow((path) => fs.truncateSync(path, 128 * MEBIBYTE));
  const startedAt = performance.now();
  await expect.poll(() => seen.read(), { interval: 5, timeout: 10_000 }).toBeGreaterThanOrEqual(16 * MEBIBYTE);
  // The first megabyte is read at once.
  expect(seen.read() - MEBIBYTE).toBeLessThanOrEqual((performance.now() - startedAt) * 64_000 + MEBIBYTE);
  expect(seen.pieces.every((piece) => piece > 0)).toBe(true);
  const before = seen.read();
  await seen.follower.finish();
  expect(seen.read() - before).toBeLessThan(2 * MEBIBYTE);
});

test("SC43 a reader that is 256 MiB behind goes on near the end, so that the disk need not hold what lies between", async () => {
  const seen = follow((path) => fs.truncateSync(path, 300 * MEBIBYTE));
  await expect.poll(() => seen.read()).toBe(MEBIBYTE + TAIL);
  expect(seen.pieces.filter((piece) => piece < 0)).toEqual([-(299 * MEBIBYTE - TAIL)]);
  const { path } = seen;
  fs.appendFileSync(path, "and on it goes");
  await expect.poll(() => seen.bytes().toString("latin1")).toMatch(/and on it goes$/);
});
