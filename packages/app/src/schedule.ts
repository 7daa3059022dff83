/** What happens without a message: jobs, heartbeat, greeting, as the configuration has them at the moment. */
import { join } from "node:path";
import {
  createCron,
  createGreeting,
  createHeartbeat,
  createLastActive,
  parseQuietHours,
  type Address,
  type Agent,
  type Channel,
  type Clock,
  type CommitObserver,
  type CronService,
  type GreetingService,
  type HeartbeatService,
  type Ids,
  type Logger,
  type SchedulePause,
  type Tool,
} from "@margay/core";
import { cronTool } from "@margay/core/builtin";
import type { Loaded } from "./config/load.ts";
import type { Language } from "./i18n/text.ts";
import type { Part } from "./run.ts";
import type { ScheduleHold } from "./schedule-hold.ts";

export interface ScheduleOptions {
  readonly loaded: Loaded;
  readonly language: Language;
  /** Answers come from practice mode: nothing speaks up by itself then. */
  readonly practice: () => boolean;
  /** Called when something is due: the agent exists by then. */
  readonly agent: () => Agent;
  readonly readFile: (path: string, signal: AbortSignal) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly pause: SchedulePause;
  readonly hold: ScheduleHold;
}

export interface Schedule extends AsyncDisposable {
  /** Undefined when jobs are switched off (R15). */
  readonly cron: CronService | undefined;
  readonly heartbeat: HeartbeatService;
  readonly greeting: GreetingService;
  /** Where a person wrote last. */
  readonly lastActive: () => Promise<Address | undefined>;
  /** For the agent: the ways of results to their chats. */
  readonly channels: readonly Channel[];
  readonly tools: readonly Tool[];
  /** For the sessions. */
  readonly observer: CommitObserver;
  /** For a process that stays. */
  readonly parts: readonly Part[];
  readonly waits: boolean;
  /** The emergency stop was released, or a person looked at why margay crashed: from now on things become due again. */
  resumed(): void;
  /** A changed configuration holds from the next time something is due. */
  configure(loaded: Loaded): void;
}

/** Where a person is at the machine itself, or where no person is. */
const NO_PLATFORM: ReadonlySet<string> = new Set([
  "cli",
  "web",
  "api",
  "cron",
  "heartbeat",
  "greeting",
  "subagent",
  "hook",
  "webhook",
  "system",
  "direct",
]);

export function createSchedule(options: ScheduleOptions): Schedule {
  const { language, practice, agent, clock, ids, log, pause, hold } = options;
  let { loaded } = options;
  const held = (): boolean => hold.since !== undefined;
  const waits = (): boolean => pause.paused || held();
  const lastActive = createLastActive({
    sessions: () => agent().sessions,
    isPlatform: (channel) => !NO_PLATFORM.has(channel),
  });
  const cron = loaded.config.cron.enabled
    ? createCron({
        directory: join(loaded.places.home, "cron"),
        host: agent,
        settings: () => {
          const { misfire, maxCatchUp, concurrency, jobTimeoutSeconds } = loaded.config.cron;
          return {
            timeZone: loaded.timeZone,
            misfire,
            maxCatchUp,
            concurrency,
            jobTimeoutMs: jobTimeoutSeconds * 1000,
          };
        },
        clock,
        ids,
        log,
        paused: () => pause.paused,
        held,
      })
    : undefined;
  const heartbeat = createHeartbeat({
    host: agent,
    settings: () => {
      const { enabled, intervalMinutes } = loaded.config.heartbeat;
      return {
        enabled: enabled && !practice() && !waits(),
        intervalMs: intervalMinutes * 60_000,
        timeZone: loaded.timeZone,
      };
    },
    readTasks: (signal) => options.readFile("HEARTBEAT.md", signal),
    lastActive: lastActive.find,
    clock,
    log,
  });
  const greeting = createGreeting({
    host: agent,
    settings: () => {
      const { enabled, idleHours, maxPerDay, quietHours, target } = loaded.config.greeting;
      return {
        enabled: enabled && !practice() && !waits(),
        idleMs: idleHours * 3_600_000,
        maxPerDay,
        quiet: parseQuietHours(quietHours),
        target: target === null ? undefined : addressOf(target),
        timeZone: loaded.timeZone,
        language,
        name: loaded.config.persona.name,
      };
    },
    lastActive: lastActive.find,
    clock,
    log,
  });
  return {
    cron,
    heartbeat,
    greeting,
    lastActive: lastActive.find,
    channels: [...(cron === undefined ? [] : [cron.channel]), heartbeat.channel],
    tools: cron === undefined ? [] : [cronTool({ cron, timeZone: () => loaded.timeZone })],
    observer: lastActive.observer,
    parts: [
      ...(cron === undefined ? [] : [{ name: "cron", run: cron.run }]),
      { name: "heartbeat", run: heartbeat.run },
      { name: "greeting", run: greeting.run },
    ],
    get waits() {
      return waits();
    },
    resumed: () => cron?.resumed(),
    configure: (changed) => {
      loaded = changed;
    },
    [Symbol.asyncDispose]: async () => {
      await cron?.[Symbol.asyncDispose]();
    },
  };
}

/** `channel:chat`; a chat id may hold colons. */
function addressOf(chat: string): Address {
  const at = chat.indexOf(":");
  return { channel: chat.slice(0, at), chat: chat.slice(at + 1) };
}
