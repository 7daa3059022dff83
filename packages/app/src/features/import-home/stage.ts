// Carries a plan out in empty folders beside the home and the workspace, with the code that writes there every day. What is
// changed and not made anew is copied into them first.
import { cpSync, copyFileSync, existsSync, fsyncSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { createCron, openMemory, openSessions, RuntimeError, type Address, type Clock } from "@margay/core";
import {
  makeDirectory,
  openBlobs,
  openJournalDirectory,
  replaceFile,
  sha256,
  silentLog,
  systemIds,
  transcriptObserver,
  type Misfire,
  type SessionId,
} from "@margay/core/internal";
import { installSkill } from "@margay/core/internal";
import type { Plan } from "./plan.ts";
import type { SourceFile } from "./source.ts";
import type { PlannedMemory, PlannedSession, PlannedSetting } from "./step.ts";

/** The home and the workspace as they are, or the folders in which the new things are made. */
export interface Place {
  readonly home: string;
  readonly workspace: string;
}

export interface StageOptions {
  readonly here: Place;
  readonly made: Place;
  readonly timeZone: string;
  readonly toolResultChars: number;
  readonly misfire: Misfire;
  readonly clock: Clock;
  /** Into `config.json` of the folder, a copy of the one here. */
  readonly saveSettings: (home: string, settings: readonly PlannedSetting[]) => Promise<void>;
  /** What the pages show for a session, in the folder. */
  readonly saveTitles: (home: string, titles: ReadonlyMap<SessionId, string>) => Promise<void>;
}

export async function stage(plan: Plan, options: StageOptions, signal: AbortSignal): Promise<void> {
  const { made, saveSettings } = options;
  makeDirectory(made.home);
  mkdirSync(made.workspace, { recursive: true });
  if (plan.sessions.length > 0) await stageSessions(plan.sessions, options);
  if (plan.jobs.length > 0) await stageJobs(plan, options);
  for (const file of plan.files) copySynced(file, made.workspace);
  for (const memory of plan.memory) await stageMemory(memory, options);
  for (const skill of plan.skills) await installSkill(skill, made.workspace, signal);
  if (plan.settings.length === 0) return;
  bring("config.json", options);
  await saveSettings(made.home, plan.settings);
}

/** Each as old as it is: its commits have the times of its first and its last row. */
async function stageSessions(sessions: readonly PlannedSession[], options: StageOptions): Promise<void> {
  const { here, made, clock, toolResultChars, saveTitles } = options;
  const directory = join(made.home, "sessions");
  const journals = openJournalDirectory(directory);
  const blobs = openBlobs(join(made.home, "blobs"));
  const transcripts = transcriptObserver({ directory, readCommits: journals.read, toolResultChars });
  const now = clock.now();
  let at = now;
  const store = openSessions({ journals, clock: { ...clock, now: () => at }, observers: [transcripts] });
  const titles = new Map<SessionId, string>();
  try {
    for (const { key, id, title, imported, pictures } of sessions) {
      if (id !== undefined) bring(`sessions/${id}.journal`, options); // opened here, and never used
      for (const picture of pictures) await blobs.put(picture());
      at = imported.createdAt === 0 ? now : Math.min(imported.createdAt, now);
      const session = await store.open(key, addressOf(key));
      at = Math.min(now, Math.max(session.state.updatedAt, imported.updatedAt));
      const { messages, rows, consolidated, transcript } = imported;
      await session.commit({ type: "history.imported", messages, rows, consolidated, transcript });
      if (title !== undefined) titles.set(session.state.id, title);
      store.invalidate(key);
    }
  } finally {
    await store[Symbol.asyncDispose]();
  }
  if (titles.size === 0) return;
  if (existsSync(join(here.home, "gateway"))) bring("gateway/sessions.json", options);
  await saveTitles(made.home, titles);
}

async function stageJobs(plan: Plan, options: StageOptions): Promise<void> {
  const { made, clock, timeZone, misfire } = options;
  bring("cron/jobs.journal", options);
  await using cron = createCron({
    directory: join(made.home, "cron"),
    host: () => {
      throw new RuntimeError("internal.bug", "A job was run while it was imported.");
    },
    settings: () => ({ timeZone, misfire, maxCatchUp: 0, concurrency: 1, jobTimeoutMs: 0 }),
    clock,
    ids: systemIds(),
    log: silentLog,
  });
  for (const { request } of plan.jobs) await cron.add(request);
}

/** Never over a file that is there: the plan left those out. */
function copySynced({ file, to }: SourceFile, workspace: string): void {
  const place = join(workspace, to);
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(file, place);
  const descriptor = openSync(place, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function stageMemory({ to, before, after }: PlannedMemory, options: StageOptions): Promise<void> {
  const { made, timeZone } = options;
  const folder = join(made.workspace, "memory");
  mkdirSync(folder, { recursive: true });
  if (to === "HISTORY.md") return replaceFile(join(folder, to), after, 0o644);
  // Through the memory itself: the version before is kept. Its text was redacted when the plan was made.
  replaceFile(join(folder, to), before, 0o644);
  if (!existsSync(join(made.home, "memory"))) bring("memory", options);
  const versions = join(made.home, "memory");
  const memory = openMemory({ workspace: made.workspace, versions, timeZone, redact: (text) => text });
  await memory.rewrite(after, sha256(before));
}

/** As it is here, to be changed. */
function bring(path: string, { here, made }: StageOptions): void {
  if (!existsSync(join(here.home, path))) return;
  makeDirectory(dirname(join(made.home, path)));
  cpSync(join(here.home, path), join(made.home, path), { recursive: true });
}

/** The chat that a key of the usual form `channel:chat` names. */
function addressOf(key: string): Address {
  const colon = key.indexOf(":");
  return colon < 0 ? { channel: "cli", chat: key } : { channel: key.slice(0, colon), chat: key.slice(colon + 1) };
}
