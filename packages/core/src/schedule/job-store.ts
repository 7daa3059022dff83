/** The jobs on disk: a journal that is the truth, and `jobs.json` for people to read. */
import type { Clock, Logger, Millis, Seq } from "../contract/base.ts";
import type { Job, JobCommit, JobRecord } from "../contract/schedule.ts";
import { encodeAll, readCommits, type FileJournal } from "../journal/journal.ts";
import { storeFiles, storePath, type StoreFiles } from "../journal/store-journal.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { replaceFile } from "../machine/files/files.ts";
import { foldAll, foldJobs, shortened, type Jobs, type JobState } from "./jobs.ts";

export interface JobStore extends AsyncDisposable {
  readonly jobs: Jobs;
  /** @throws RuntimeError `journal.failed`: nothing more can be stored. */
  commit(...records: readonly JobRecord[]): Promise<void>;
  history(): AsyncIterable<JobCommit>;
}

export interface JobFiles extends StoreFiles<JobCommit> {
  /** The journal, which nobody has open, holds these instead: whoever dies meanwhile leaves the one or the other. */
  readonly rewrite?: (commits: readonly JobCommit[]) => void;
}

export interface JobStoreOptions {
  readonly files: JobFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly nextAt: (state: JobState) => Millis | undefined;
  /** Told when records are on disk. */
  readonly committed: (records: readonly JobRecord[]) => void;
  /** A write failed and nobody knows what the file holds: whoever goes on opens the store anew. This one is closed. */
  readonly broke: () => void;
}

const VIEW = "jobs.json";

export function jobFiles(directory: string): JobFiles {
  return {
    ...storeFiles<JobCommit>(directory, "jobs"),
    rewrite: (commits) => replaceFile(storePath(directory, "jobs"), encodeAll(commits)),
  };
}

/** @throws RuntimeError `journal.damaged`: the file is as it was, and nothing runs on half of it. */
export async function openJobStore(options: JobStoreOptions): Promise<JobStore> {
  const { files, clock, log, nextAt, committed, broke } = options;
  const { journal, commits } = await openShort(files);
  let jobs: Jobs = foldAll(commits);
  let seq: number = commits.at(-1)?.seq ?? 0;
  let writing: Promise<void> = Promise.resolve();
  let stale = false;
  /** One write at a time; what changes meanwhile is in the next one. */
  const writeView = (): void => {
    if (stale) return;
    stale = true;
    writing = writing
      .then(() => {
        stale = false;
        return files.views.replace(VIEW, viewOf(jobs, nextAt));
      })
      .catch((error: unknown) => log.warn("cron.view", { message: messageOf(error) })); // a view: the journal has it all
  };
  const close = async (): Promise<void> => {
    await writing;
    await journal[Symbol.asyncDispose]();
  };
  return {
    get jobs() {
      return jobs;
    },
    commit: async (...records) => {
      const commit: JobCommit = { seq: (seq + 1) as Seq, at: clock.now(), records }; // consecutive
      const stored = journal.append(seq as Seq, commit, () => {
        jobs = foldJobs(jobs, commit);
      });
      seq += 1;
      try {
        await stored;
      } catch (error) {
        broke();
        await close();
        throw error;
      }
      writeView();
      committed(records);
    },
    history: () => journal.read(),
    [Symbol.asyncDispose]: close,
  };
}

/** A journal that tells of more runs than anybody asks for is written anew first, before anybody has the store. */
async function openShort(
  files: JobFiles,
): Promise<{ readonly journal: FileJournal<JobCommit>; readonly commits: readonly JobCommit[] }> {
  const journal = files.openJournal();
  const commits = journal.takeOpened();
  const short = files.rewrite && shortened(commits);
  if (short === undefined) return { journal, commits };
  await journal[Symbol.asyncDispose]();
  files.rewrite?.(short);
  const anew = files.openJournal();
  return { journal: anew, commits: anew.takeOpened() };
}

/** As they stand in a directory that another process may work on: nothing is written. @throws RuntimeError `journal.damaged`. */
export async function readJobs(directory: string): Promise<readonly JobState[]> {
  const commits: JobCommit[] = [];
  for await (const commit of readCommits<JobCommit>(storePath(directory, "jobs"))) commits.push(commit);
  return [...foldAll(commits).values()];
}

/** In the form of nanobot's file, with what it has no word for beside it. */
function viewOf(jobs: Jobs, nextAt: (state: JobState) => Millis | undefined): string {
  const live = [...jobs.values()].filter((state) => !state.gone);
  return `${JSON.stringify({ version: 1, jobs: live.map((state) => rowOf(state, nextAt(state))) }, null, 2)}\n`;
}

function rowOf({ job, enabled, last }: JobState, next: Millis | undefined): object {
  return {
    id: job.id,
    name: job.name ?? "",
    enabled,
    schedule: scheduleOf(job),
    payload: {
      kind: "agent_turn",
      message: job.message,
      deliver: true,
      channel: job.to.channel,
      to: job.to.chat,
      mode: job.mode,
    },
    misfire: job.misfire,
    state: {
      nextRunAtMs: next ?? null,
      lastRunAtMs: last?.startedAt ?? null,
      lastStatus: last?.status ?? null,
      lastError: last?.error ?? null,
      lastDurationMs: last?.durationMs ?? null,
    },
    createdAtMs: job.createdAt,
    deleteAfterRun: job.trigger.kind === "at",
  };
}

function scheduleOf({ trigger }: Job): object {
  switch (trigger.kind) {
    case "at":
      return { kind: "at", atMs: trigger.atMs, tz: trigger.timeZone };
    case "every":
      return { kind: "every", everyMs: trigger.everyMs, anchorMs: trigger.fromMs };
    case "cron":
      return { kind: "cron", expr: trigger.expression, tz: trigger.timeZone };
  }
}
