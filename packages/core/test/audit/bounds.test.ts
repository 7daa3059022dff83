import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { auditedEvent } from "../../src/audit/entry.ts";
import { openAudit } from "../../src/audit/audit.ts";
import { journal, start } from "./journal.ts";

test("entry/MAX_USER_CHARS, entry/MAX_REPLY_CHARS: 500 characters of a message and 2,000 of its answer are kept whole", async () => {
  const directory = mkdtempSync(join(tmpdir(), "margay-audit-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const audit = openAudit({ directory, redact: (text) => text, clock: { now: () => start } });
  const chat = journal("cli:direct", [audit]);
  chat.turn("u".repeat(500), "exec", "", "a".repeat(2000));
  chat.turn("u".repeat(501), "exec", "", "a".repeat(2001));
  await audit.flush();
  const turns = (await audit.list({ limit: 10 })).toReversed().flatMap((one) => (one.kind === "turn" ? [one] : []));
  expect(turns.map(({ user, reply }) => [user.includes("in all]"), reply.includes("in all]")])).toEqual([
    [false, false],
    [true, true],
  ]);
});

test("entry/MAX_ARGUMENT_CHARS: 2,000 characters of an argument are kept whole", () => {
  const kept = (chars: number): unknown =>
    auditedEvent("e", { deep: { text: "x".repeat(chars) } }, 0, { redact: (text) => text, hash: (text) => text }).data;
  expect(kept(2000)).toEqual({ deep: { text: "x".repeat(2000) } });
  expect(kept(2001)).toEqual({ deep: { text: expect.stringContaining("[2001 characters in all]") } });
});

test("audit/MAX_REOPENED: a log that others wrote into three times meanwhile is gone on with, a fourth time is told and the entry comes later", async () => {
  const directory = mkdtempSync(join(tmpdir(), "margay-audit-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  let others = 0;
  /** It is asked between the look at the file and the line. */
  const redact = (text: string): string => {
    const [file = ""] = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
    if (text.startsWith("meanwhile") && others-- > 0) appendFileSync(join(directory, file), "\n");
    return text;
  };
  const audit = openAudit({ directory, redact, clock: { now: () => start } });
  const chat = journal("cli:direct", [audit]);
  const written = async (): Promise<number> =>
    (await audit.list({ kind: "turn" })).filter((one) => one.kind === "turn" && one.user.startsWith("meanwhile"))
      .length;
  chat.turn("first", "exec", "", "a");
  await audit.flush();
  others = 3;
  chat.turn("meanwhile", "exec", "", "a");
  await audit.flush();
  expect(await written()).toBe(1);
  others = 4;
  chat.turn("meanwhile", "exec", "", "a");
  await expect(audit.flush()).rejects.toMatchObject({ code: "state.locked" });
  expect(await written()).toBe(1);
  await audit.flush();
  expect(await written()).toBe(2);
});
