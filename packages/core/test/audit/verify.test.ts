import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAudit } from "../../src/audit/audit.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { journal, start } from "./journal.ts";

const root: string = mkdtempSync(join(tmpdir(), "margay-verify-"));
const intact: string = join(root, "intact");
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  for (let day = 0; day < 3; day++) {
    await using audit = openAudit({
      directory: intact,
      redact: (text) => text,
      clock: { now: () => start + day * 86_400_000 },
    });
    const chat = journal(`cli:${day}`, [audit]);
    for (let turn = 0; turn < 3; turn++)
      chat.turn(`question ${turn}`, "exec", `output ${turn} ünïcode`, `answer ${turn}`);
  }
});

/** Deterministic random numbers (mulberry32), so that a failing manipulation can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) % below;
  };
}

/** A new file each time: many file systems flush a file that is truncated and written again. */
function put(path: string, data: string | Uint8Array): void {
  rmSync(path, { force: true });
  writeFileSync(path, data);
}

function manipulate(directory: string, next: (below: number) => number, touched: Set<string>): string {
  const logs = readdirSync(directory)
    .filter((name) => name.endsWith(".jsonl"))
    .sort();
  const name = logs[next(logs.length)]!;
  const path = join(directory, name);
  const bytes = readFileSync(path);
  touched.add(path);
  const lines = bytes.toString().split("\n").slice(0, -1);
  const write = (changed: readonly string[]): void => put(path, changed.map((line) => `${line}\n`).join(""));
  const at = next(lines.length);
  const kind = next(9);
  switch (kind) {
    case 0: {
      // one bit
      const byte = next(bytes.length);
      bytes[byte] = bytes[byte]! ^ (1 << next(8));
      put(path, bytes);
      return `bit ${byte} of ${name}`;
    }
    case 1: // one line removed
      write(lines.toSpliced(at, 1));
      return `line ${at} of ${name} removed`;
    case 2: {
      // two lines swapped
      const other = (at + 1 + next(lines.length - 1)) % lines.length;
      const swapped = [...lines];
      [swapped[at], swapped[other]] = [lines[other]!, lines[at]!];
      write(swapped);
      return `lines ${at} and ${other} of ${name} swapped`;
    }
    case 3: {
      // bytes cut off the end
      const cut = 1 + next(bytes.length);
      put(path, bytes.subarray(0, bytes.length - cut));
      return `${cut} bytes cut off ${name}`;
    }
    case 4: // a line twice
      write(lines.toSpliced(at, 0, lines[at]!));
      return `line ${at} of ${name} doubled`;
    case 5: // white space that a JSON parser would not see
      write(lines.with(at, `${lines[at]!} `));
      return `space after line ${at} of ${name}`;
    case 6: {
      // a value changed and the hash recomputed by nobody
      write(
        lines.with(
          at,
          lines[at]!.replace('"status":"ok"', '"status":"denied"').replace('"reason":"done"', '"reason":"limit"'),
        ),
      );
      return `field of line ${at} of ${name}`;
    }
    case 7: // a whole day
      rmSync(path);
      return `${name} removed`;
    default: {
      // two days exchanged
      const other = join(directory, logs[(logs.indexOf(name) + 1) % logs.length]!);
      touched.add(other);
      put(path, readFileSync(other));
      put(other, bytes);
      return `${name} exchanged with ${other}`;
    }
  }
}

test("R264 an untouched log is intact", async () => {
  expect(await verifyAudit(intact)).toMatchObject({ ok: true, entries: 18 });
});

test("R264 SE10 1,000 random edits, deletions, swaps and truncations: 1,000 found, each with file and line", async () => {
  const next = random(20_261_121);
  const copy = join(root, "copy");
  cpSync(intact, copy, { recursive: true });
  const original = new Map(readdirSync(intact).map((name) => [join(copy, name), readFileSync(join(intact, name))]));
  const touched = new Set<string>();
  for (let count = 0; count < 1_000; count++) {
    for (const path of touched) put(path, original.get(path) ?? "");
    touched.clear();
    const what = manipulate(copy, next, touched);
    const report = await verifyAudit(copy);
    expect([what, report.ok]).toEqual([what, false]);
    expect(report.broken?.message).toContain(`${report.broken?.file}, line ${report.broken?.line}`);
  }
});

test.each([
  ["head.json removed", (directory: string) => rmSync(join(directory, "head.json")), "truncated"],
  [
    "head.json edited",
    (directory: string) =>
      writeFileSync(
        join(directory, "head.json"),
        readFileSync(join(directory, "head.json"), "utf8").replace('"n":18', '"n":10'),
      ),
    "key",
  ],
  ["key removed", (directory: string) => rmSync(join(directory, "key")), "key"],
  ["key replaced", (directory: string) => writeFileSync(join(directory, "key"), "00".repeat(32)), "key"],
  ["second line removed", (directory: string) => edit(directory, (lines) => lines.toSpliced(1, 1)), "missing"],
  [
    "second and third line swapped",
    (directory: string) => edit(directory, (lines) => [lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)]),
    "reordered",
  ],
  [
    "second line edited",
    (directory: string) => edit(directory, (lines) => lines.with(1, lines[1]!.replace("answer 0", "answer 9"))),
    "edited",
  ],
])("R264 %s is told apart", async (name, change, reason) => {
  const copy = join(root, name.replaceAll(" ", "-"));
  cpSync(intact, copy, { recursive: true });
  change(copy);
  expect((await verifyAudit(copy)).broken).toMatchObject({ reason });
});

test("R264 going on after lines were taken away neither hides the gap nor stops the log", async () => {
  const copy = join(root, "went-on");
  cpSync(intact, copy, { recursive: true });
  edit(copy, (lines) => lines.slice(0, 3), "2026-11-23.jsonl");
  await using audit = openAudit({
    directory: copy,
    redact: (text) => text,
    clock: { now: () => start + 3 * 86_400_000 },
  });
  journal("cli:later", [audit]).turn("more", "exec", "out", "done");
  const report = await audit.verify();
  expect(report.broken).toMatchObject({ file: "2026-11-24.jsonl", line: 1, reason: "missing" });
  expect((await audit.list({ limit: 3 })).map((entry) => (entry.kind === "event" ? entry.name : entry.kind))).toEqual([
    "turn",
    "call",
    "audit.broken",
  ]);
});

function edit(
  directory: string,
  change: (lines: readonly string[]) => readonly string[],
  file = "2026-11-21.jsonl",
): void {
  const path = join(directory, file);
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  writeFileSync(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}
