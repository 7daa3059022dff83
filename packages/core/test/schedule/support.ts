// A whole agent with jobs: real journals, real HTTP to the mock model, a chat that remembers what it was sent.
import type { AgentOptions, AgentSettings } from "../../src/contract/agent-options.ts";
import type { JobCommit, JobRequest } from "../../src/contract/schedule.ts";
import { storeFiles, type StoreFiles } from "../../src/journal/store-journal.ts";
import { createCron, type Cron, type CronSettings } from "../../src/schedule/cron.ts";
import { cronTool } from "../../src/schedule/cron-tool.ts";
import { recordingChannel } from "../../src/testing.ts";
import { type RecordingChannel } from "../../src/internal-testing.ts";
import { startAgent, type Started } from "../support/agent.ts";
import { collectingLog, type CollectingLog } from "../support/log.ts";

export const CHAT = { channel: "chat", chat: "42" } as const;

export interface WithCron extends Started {
  readonly cron: Cron;
  readonly chat: RecordingChannel;
  readonly cronLog: CollectingLog;
  /** Runs the scheduler; the function ends it. */
  go(): () => Promise<void>;
  again(): Promise<WithCron>;
}

export interface CronScene {
  readonly cron?: Partial<CronSettings>;
  readonly settings?: Partial<AgentSettings>;
  readonly agent?: Partial<AgentOptions>;
  readonly stopped?: () => boolean;
  /** Called with each commit of a job before it is written: a throw is a disk that fails. */
  readonly writing?: (commit: JobCommit) => void;
}

type TestScope = Parameters<typeof startAgent>[0];

export async function startCron(t: TestScope, scene: CronScene = {}): Promise<WithCron> {
  return open(t, scene, await startAgent(t));
}

async function open(t: TestScope, scene: CronScene, before: Started): Promise<WithCron> {
  const chat = recordingChannel("chat");
  const cronLog = collectingLog();
  const held: { started?: Started } = {};
  const cron = createCron({
    directory: `${before.home}/cron`,
    files: observed(storeFiles<JobCommit>(`${before.home}/cron`, "jobs"), scene.writing ?? (() => {})),
    host: () => {
      if (held.started === undefined) throw new Error("not started");
      return held.started.agent;
    },
    settings: () => ({
      timeZone: "UTC",
      misfire: "latest_once",
      maxCatchUp: 20,
      concurrency: 3,
      jobTimeoutMs: 1_200_000,
      ...scene.cron,
    }),
    clock: before.clock,
    ids: { next: (kind) => `${kind}-${crypto.randomUUID()}` },
    log: cronLog,
    ...(scene.stopped !== undefined && { stopped: scene.stopped }),
  });
  const started = await before.restart({
    ...scene.agent,
    ...(scene.settings !== undefined && { settings: scene.settings }),
    channels: [chat, cron.channel],
    tools: [cronTool({ cron, timeZone: () => "UTC" }), ...((scene.agent?.tools as readonly never[] | undefined) ?? [])],
  });
  held.started = started;
  const stops: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0)) await stop();
    await cron[Symbol.asyncDispose]();
  };
  t.onTestFinished(close);
  return {
    ...started,
    cron,
    chat,
    cronLog,
    go: () => {
      const stopping = new AbortController();
      const running = cron.run(stopping.signal);
      running.catch(() => {}); // told by stop()
      const stop = async (): Promise<void> => {
        stopping.abort(new Error("stop"));
        await running;
      };
      stops.push(() => stop().catch(() => {}));
      return stop;
    },
    again: async () => {
      await close();
      return open(t, scene, started);
    },
  };
}

/** As the journal does it, a store that failed to write takes nothing more until it is opened again. */
function observed(files: StoreFiles<JobCommit>, writing: (commit: JobCommit) => void): StoreFiles<JobCommit> {
  return {
    views: files.views,
    openJournal: () => {
      const journal = files.openJournal();
      let failure: Error | undefined;
      return {
        ...journal,
        append: (expected, commit, written) => {
          try {
            if (failure === undefined) writing(commit);
          } catch (error) {
            failure = error as Error; // what the test throws
          }
          return failure === undefined ? journal.append(expected, commit, written) : Promise.reject(failure);
        },
      };
    },
  };
}

/** A job of the chat, every hour unless said otherwise. */
export function job(rest: Partial<JobRequest> = {}): JobRequest {
  const timed = rest.at !== undefined || rest.cron_expr !== undefined;
  return { message: "drink water", to: CHAT, ...(timed ? {} : { every_seconds: 3600 }), ...rest };
}

export function textsOf(chat: RecordingChannel): readonly string[] {
  return chat.sent.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
}

/** Resolves when it holds: what is waited for is on another queue of the event loop, not on the clock. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error("it never came true");
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}
