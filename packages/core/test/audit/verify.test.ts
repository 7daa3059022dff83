import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../src/contract/base.ts";
import { canonicalJson } from "../../src/lib/canonical-json.ts";
import type { TurnId } from "../../src/contract/base.ts";
import { openAudit } from "../../src/audit/audit.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { journal, start } from "./journal.ts";

const root: string = mkdtempSync(join(tmpdir(), "margay-verify-"));
const intact: string = join(root, "intact");
/** Some two hundred lines in three days; the same after two of them; others' logs of that size. */
const large: string = join(root, "large");
const older: string = join(root, "older");
const foreign: string = join(root, "foreign");
const sibling: string = join(root, "sibling");
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  await writeDays(intact, [0, 1, 2], 3);
  await writeDays(large, [0, 1], 15);
  cpSync(large, older, { recursive: true });
  await writeDays(large, [2], 15);
  await writeDays(foreign, [0, 1, 2], 15);
  // The same beginning and key, and then another story: what a restored backup that went on looks like.
  cpSync(older, sibling, { recursive: true });
  await writeDays(sibling, [2], 14, "elsewhere");
});

async function writeDays(directory: string, days: readonly number[], turns: number, who = "cli"): Promise<void> {
  for (const day of days) {
    await using audit = openAudit({
      directory,
      redact: (text) => text,
      clock: { now: () => start + day * 86_400_000 },
    });
    const chat = journal(`${who}:${day}`, [audit]);
    for (let turn = 0; turn < turns; turn++) {
      chat.turn(`question ${turn}`, "exec", `output ${turn} ünïcode`, `answer ${turn}`);
      if (turn % 5 === 0) audit.record("settings.changed", { keys: ["model"], by: "user" });
    }
  }
}

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
  const kind = next(14);
  switch (kind) {
    case 9: {
      // an attacker without the key: a field changed, this hash and all after it computed anew
      const changed = [...lines];
      let { prev } = JSON.parse(changed[at]!) as { prev: string };
      for (let each = at; each < changed.length; each++) {
        const { hash: _hash, ...body } = JSON.parse(changed[each]!) as JsonObject;
        const { mac, ...rest } = { ...body, prev, ...(each === at && { at: Number(body["at"]) + 1 }) } as JsonObject;
        prev = createHash("sha256")
          .update(prev + canonicalJson(rest))
          .digest("hex");
        changed[each] = canonicalJson({ ...rest, hash: prev, ...(next(2) === 0 && mac !== undefined && { mac }) });
      }
      write(changed);
      return `line ${at} of ${name} changed and sealed without the key`;
    }
    case 10: {
      // everything before the anchor cut, over several files
      for (const later of logs.slice(logs.indexOf(name) + 1)) {
        touched.add(join(directory, later));
        rmSync(join(directory, later));
      }
      write(lines.slice(0, at));
      return `everything from line ${at} of ${name} on removed`;
    }
    case 11:
    case 12: {
      // spliced: the rest of a day, or the whole of it, from another log
      const other = readFileSync(join(kind === 11 ? foreign : sibling, logs.at(-1)!), "utf8")
        .split("\n")
        .slice(0, -1);
      const last = join(directory, logs.at(-1)!);
      const own = readFileSync(last, "utf8").split("\n").slice(0, -1);
      const cut = next(Math.min(own.length, other.length));
      touched.add(last);
      put(last, [...own.slice(0, cut), ...other.slice(cut)].map((line) => `${line}\n`).join(""));
      return `${logs.at(-1)} spliced at ${cut} with a ${kind === 11 ? "foreign" : "sibling"} log`;
    }
    case 13: {
      // the signature taken away
      write(lines.with(at, lines[at]!.replace(/,"mac":"[0-9a-f]{64}"/, "")));
      return `signature of line ${at} of ${name} removed`;
    }
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
          lines[at]!.replace('"status":"ok"', '"status":"denied"')
            .replace('"reason":"done"', '"reason":"limit"')
            .replace('"by":"user"', '"by":"root"'),
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
  expect(await verifyAudit(intact)).toMatchObject({ ok: true, entries: 21 });
  for (const log of [large, older, foreign, sibling]) expect((await verifyAudit(log)).ok).toBe(true);
});

test("R264 SE10 1,000 random edits, deletions, swaps and truncations: 1,000 found, each with file and line", async () => {
  const next = random(20_261_121);
  const copy = join(root, "copy");
  cpSync(large, copy, { recursive: true });
  const original = new Map(readdirSync(large).map((name) => [join(copy, name), readFileSync(join(large, name))]));
  const reasons = new Map<string, number>();
  const touched = new Set<string>();
  for (let count = 0; count < 1_000; count++) {
    for (const path of touched) put(path, original.get(path) ?? "");
    touched.clear();
    const what = manipulate(copy, next, touched);
    const report = await verifyAudit(copy);
    expect([what, report.ok]).toEqual([what, false]);
    expect(report.broken?.message).toMatch(/^(?:Lines 1 to|.*\(\S+, line \d+\))/);
    expect(report.broken?.n).toBe(report.broken?.reason === "key" && report.broken.n === 1 ? 1 : report.entries + 1);
    const reason = report.broken?.reason ?? "";
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  expect([...reasons.keys()].sort()).toEqual(["edited", "key", "missing", "reordered", "truncated"]);
});

test.each([
  ["head.json removed", (directory: string) => rmSync(join(directory, "head.json")), "truncated"],
  [
    "head.json edited",
    (directory: string) =>
      writeFileSync(
        join(directory, "head.json"),
        readFileSync(join(directory, "head.json"), "utf8").replace('"n":21', '"n":10'),
      ),
    "key",
  ],
  ["key removed", (directory: string) => rmSync(join(directory, "key")), "key"],
  ["key replaced", (directory: string) => writeFileSync(join(directory, "key"), "00".repeat(32)), "key"],
  ["second line removed", (directory: string) => edit(directory, (lines) => lines.toSpliced(1, 1)), "missing"],
  [
    "last line doubled",
    (directory: string) => edit(directory, (lines) => [...lines, lines.at(-1)!], "2026-11-23.jsonl"),
    "reordered",
  ],
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

test("R264 a log and its anchor put back together are found by a head that was noted elsewhere, and only by it", async () => {
  const { head } = await verifyAudit(large);
  const back = join(root, "put-back");
  cpSync(older, back, { recursive: true });
  expect((await verifyAudit(back)).ok).toBe(true); // whole in itself: this is what an anchor beside the log cannot tell
  expect((await verifyAudit(back, { known: head })).broken).toMatchObject({ reason: "truncated" });
  // Put back, and written on: the noted head stands at a number that is somebody else's now.
  expect((await verifyAudit(sibling)).ok).toBe(true);
  expect((await verifyAudit(sibling, { known: head })).broken?.reason).toBe("truncated");
  const ahead = (await verifyAudit(sibling)).head;
  expect((await verifyAudit(large, { known: ahead })).broken).toMatchObject({ reason: "edited", n: ahead.n });
  expect((await verifyAudit(large, { known: head })).ok).toBe(true);
  rmSync(back, { recursive: true });
  expect((await verifyAudit(back, { known: head })).ok).toBe(false);
});

test("R264 a chain from before there was a key is checked as far as it goes, and the report says what it does not show", async () => {
  const copy = join(root, "unsigned");
  cpSync(intact, copy, { recursive: true });
  for (const name of readdirSync(copy).filter((each) => each.endsWith(".jsonl")))
    edit(copy, (lines) => lines.map((line) => line.replace(/,"mac":"[0-9a-f]{64}"/, "")), name);
  expect(await verifyAudit(copy)).toMatchObject({ ok: false, entries: 21, broken: { reason: "key", n: 1 } });
  rmSync(join(copy, "key"));
  rmSync(join(copy, "head.json"));
  expect((await verifyAudit(copy)).broken?.message).toContain("Lines 1 to 21 are from before there was a key");
});

test("R264 what was written is vouched for a second later, in the midst of a turn too", async () => {
  const directory = join(root, "long-turn");
  await using audit = openAudit({ directory, redact: (text) => text, clock: { now: () => start } });
  const chat = journal("cli:long", [audit]);
  const begin = (): TurnId => {
    const turn = chat.begin();
    const call = chat.call("exec", {});
    chat.respond(turn, [call]);
    chat.judge(turn, call.callId, "allow");
    chat.run(turn, call.callId, "exec");
    chat.finish(turn, call.callId, "exec", "ok");
    return turn;
  };
  const file = join(directory, "2026-11-21.jsonl");
  const anchored = (): string => {
    try {
      return /"n":\d+/.exec(readFileSync(join(directory, "head.json"), "utf8"))?.[0] ?? "";
    } catch {
      return "";
    }
  };
  const first = begin();
  while ((await audit.list()).length === 0) await new Promise(setImmediate);
  chat.end(first, "done"); // sooner than that second is over: the end of a turn is vouched for at once
  await audit.flush();
  expect(anchored()).toBe('"n":2');
  begin();
  await expect.poll(anchored).toBe('"n":3');
  const whole = readFileSync(file, "utf8");
  writeFileSync(file, whole.split("\n").slice(0, 2).join("\n") + "\n");
  expect((await verifyAudit(directory)).broken).toMatchObject({ reason: "truncated", n: 3 });
  writeFileSync(file, whole);
});

test.each(["while it runs", "while it does not run"])(
  "R264 who cuts the end off and takes the anchor away too, %s, leaves a gap that stays",
  async (when) => {
    const copy = join(root, `cut-${when.length}`);
    cpSync(intact, copy, { recursive: true });
    const options = { directory: copy, redact: (text: string) => text, clock: { now: () => start + 2 * 86_400_000 } };
    const before = openAudit(options);
    before.record("settings.changed", { keys: [] });
    await before.flush();
    if (when !== "while it runs") await before[Symbol.asyncDispose]();
    edit(copy, (lines) => lines.slice(0, 2), "2026-11-23.jsonl");
    for (const name of ["head.json", "checkpoint.json"]) rmSync(join(copy, name), { force: true });
    expect((await verifyAudit(copy)).broken?.reason).toBe("truncated");
    await using after = when === "while it runs" ? before : openAudit(options);
    after.record("settings.changed", { keys: ["model"] });
    await after.flush();
    expect((await after.verify()).broken).toMatchObject({ reason: "missing", file: "2026-11-23.jsonl", line: 3 });
    expect((await after.list()).map((entry) => (entry.kind === "event" ? entry.name : ""))).toContain("audit.broken");
  },
);

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
