import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { JobCommit } from "../../src/contract/schedule.ts";
import type { JournalRecord } from "../../src/contract/record.ts";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { readCommits } from "../../src/journal/journal.ts";
import { runUntilCrash, says, startMockModel } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

const program = fileURLToPath(new URL("./fixtures/one-job.ts", import.meta.url));

// Lines of jobs.journal: 1 added, 2 run started, 3 run finished. Of the job's session: 1 opened, 2 received, 3 turn
// started, 4 requested, 5 responded, 6 ended and reply queued, 7 delivered. Of the chat: 1 opened, 2 posted and queued.
for (const [what, file, commit, when] of [
  ["the run was being recorded", "jobs.journal", 2, "torn"],
  ["the run was recorded and nothing else happened", "jobs.journal", 2, "after"],
  ["the job's message was accepted", "cron-water", 2, "after"],
  ["its turn had ended and nothing was delivered", "cron-water", 6, "after"],
  ["its result was in the chat and nobody was told", "chat-42", 2, "after"],
  ["the run was over and not recorded as such", "jobs.journal", 3, "before"],
] as const)
  test(`R239 CR1 a process killed when ${what} runs the due time once`, async () => {
    await using folder = await temporaryFolder();
    await using model = await startMockModel();
    model.route(() => true, ...Array.from({ length: 4 }, () => says("Drink!")));
    await mkdir(folder.at("workspace"));
    const due = Date.now();
    const args = [program, folder.at("home"), folder.at("workspace"), model.url, String(due)];
    expect(await runUntilCrash({ args, at: { commit, when, file } })).toMatchObject({ signal: "SIGKILL" });
    const second = await runUntilCrash({ args });
    expect(second).toMatchObject({ code: 0, stderr: "" });
    // Killed before its last commit the first process may have sent it already: a platform tells by the reply's id.
    expect([...(when === "before" ? [""] : []), "true: Drink!\n"]).toContain(second.stdout);
    const jobs: JobCommit[] = [];
    for await (const line of readCommits<JobCommit>(folder.at("home", "cron", "jobs.journal"))) jobs.push(line);
    expect(jobs.flatMap(({ records }) => records.map(({ type }) => type))).toEqual([
      "job.added",
      "run.started",
      "run.finished",
    ]);
    const records = await allRecords(folder.at("home", "sessions"));
    expect(records.filter(({ type }) => type === "message.received")).toMatchObject([{ key: `cron:water:${due}` }]);
    expect(records.filter(({ type }) => type === "message.posted")).toMatchObject([{ text: "Drink!" }]);
  });

async function allRecords(directory: string): Promise<readonly JournalRecord[]> {
  const journals = openJournalDirectory(directory);
  const records: JournalRecord[] = [];
  for (const id of await journals.list()) for await (const commit of journals.read(id)) records.push(...commit.records);
  return records;
}
