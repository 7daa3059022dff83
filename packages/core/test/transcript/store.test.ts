import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openAudit, type Audit } from "../../src/audit/audit.ts";
import type { SessionStore } from "../../src/contract/store.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { renderTranscripts } from "../../src/transcript/format.ts";
import { transcriptObserver } from "../../src/transcript/observer.ts";
import { journal } from "../audit/journal.ts";

interface Process {
  readonly sessions: SessionStore;
  readonly audit: Audit;
  flush(): Promise<void>;
}
/** What a process opens on its state directory. */
function begin(home: string, views = true): Process {
  const clock = systemClock();
  const directory = join(home, "sessions");
  const journals = openJournalDirectory(directory);
  const transcripts = transcriptObserver({ directory, readCommits: (id) => journals.read(id), toolResultChars: 500 });
  const audit = openAudit({ directory: join(home, "audit"), clock, redact: (text) => text });
  const sessions = openSessions({ journals, clock, observers: views ? [audit, transcripts] : [] });
  return {
    sessions,
    audit,
    flush: async () => {
      await transcripts.flush();
      await audit.flush();
    },
  };
}

test("R45 R167 R171 journal, transcript and audit agree after a process died at any commit and the session is opened again", async () => {
  const source = journal("telegram:42");
  source.turn("one", "read_file", "1", "first");
  source.turn("two", "exec", "2", "second");
  const records = source.commits.map((commit) => commit.records).slice(1);
  for (let died = 1; died <= records.length; died += 3) {
    const home = mkdtempSync(join(tmpdir(), "margay-store-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    // A commit is durable before it is observed, so a process may die with its views written or not.
    const before = begin(home, died % 2 === 0);
    const first = await before.sessions.open("telegram:42", { channel: "telegram", chat: "42" });
    for (const commit of records.slice(0, died)) await first.commit(...commit);
    await before.flush();
    const after = begin(home);
    const session = await after.sessions.open("telegram:42", { channel: "telegram", chat: "42" });
    for (const commit of records.slice(died)) await session.commit(...commit);
    await after.flush();
    const names = readdirSync(join(home, "sessions")).filter((name) => name.endsWith(".jsonl"));
    expect(names).toEqual([expect.stringMatching(/^telegram-42-[0-9a-f]{8}\.jsonl$/)]);
    const [expected] = await renderTranscripts(session.history(), { toolResultChars: 500 });
    expect(readFileSync(join(home, "sessions", names[0]!), "utf8")).toBe(expected?.text);
    expect((await after.audit.list()).map((entry) => (entry.kind === "call" ? entry.tool : entry.kind))).toEqual([
      "turn",
      "exec",
      "turn",
      "read_file",
    ]);
    expect((await after.audit.verify()).ok).toBe(true);
  }
});
