/** What happens without a message: jobs, heartbeat, greeting, as the configuration has them at the moment. */
import { join } from "node:path";
import {
  createCron,
  createGreeting,
  createHeartbeat,
  type Agent,
  type Channel,
  type Clock,
  type CronService,
  type GreetingService,
  type HeartbeatService,
  type Logger,
  type Tool,
} from "@margay/core";
import {
  createLastActive,
  parseQuietHours,
  type CommitObserver,
  type Ids,
  type Notifications,
  type StopFlag,
  type ScheduleTarget,
} from "@margay/core/internal";
import { cronTool } from "@margay/core/builtin";
import { isOwnEntrance } from "../access/admission.ts";
import { isOurs, targetFault } from "../../host/target.ts";
import type { Loaded } from "../../config/load.ts";
import type { Language } from "../../texts/text.ts";
import { translator } from "../../texts/translate.ts";
import type { Part } from "../../host/run-parts.ts";
import type { ScheduleHold } from "../../host/schedule-hold.ts";
import { resolveTarget } from "../../host/targets.ts";

export interface ScheduleOptions {
  readonly loaded: Loaded;
  readonly language: Language;
  /** What people type for `margay`. */
  readonly command: string;
  /** Answers come from practice mode: nothing speaks up by itself then. */
  readonly practice: () => boolean;
  /** Called when something is due: the agent exists by then. */
  readonly agent: () => Agent;
  readonly readFile: (path: string, signal: AbortSignal) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** What nobody asked for goes to the person the assistant belongs to, never to a guest. */
  readonly isOwner: (channel: string, sender: string) => boolean;
  readonly notifications: Notifications;
  readonly stopFlag: StopFlag;
  readonly hold: ScheduleHold;
}

export interface Schedule extends AsyncDisposable {
  /** Undefined when jobs are switched off. */
  readonly cron: CronService | undefined;
  readonly heartbeat: HeartbeatService;
  readonly greeting: GreetingService;
  /** Where the results of the heartbeat go now. */
  readonly heartbeatTarget: () => Promise<ScheduleTarget>;
  /** For the agent: the ways of results to their chats. */
  readonly channels: readonly Channel[];
  readonly tools: readonly Tool[];
  /** For the sessions. */
  readonly observers: readonly CommitObserver[];
  /** For a process that stays. */
  readonly parts: readonly Part[];
  readonly waits: boolean;
  /** The emergency stop was released, or a person looked at why margay crashed: from now on things become due again. */
  resumed(): void;
  /** A changed configuration holds from the next time something is due. */
  configure(loaded: Loaded): void;
}

export function createSchedule(options: ScheduleOptions): Schedule {
  const { language, command, practice, agent, clock, ids, log, notifications, stopFlag, hold } = options;
  const t = translator(language, command);
  let { loaded } = options;
  const held = (): boolean => hold.since !== undefined;
  const waits = (): boolean => stopFlag.on || held();
  const sessions = (): Agent["sessions"] => agent().sessions;
  const lastActive = createLastActive({
    sessions,
    counts: (channel, sender) => !isOurs(channel) && options.isOwner(channel, sender),
  });
  /** The pages and the command line too: what is shown to nobody there picks up what was said there. */
  const lastWord = createLastActive({
    sessions,
    counts: (channel, sender) => isOwnEntrance(channel) || options.isOwner(channel, sender),
  });
  const targetOf = (target: string | null): Promise<ScheduleTarget> =>
    resolveTarget(target, {
      config: loaded.config,
      lastActive: async () => (await lastActive.find())?.origin,
      sessions: sessions(),
      t,
    });
  const heartbeatTarget = (): Promise<ScheduleTarget> => targetOf(loaded.config.heartbeat.target);
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
            language,
            command,
          };
        },
        targetFault: (to) => targetFault(to, loaded.config.channelsById, t),
        notify: notifications.add,
        clock,
        ids,
        log,
        stopped: () => stopFlag.on,
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
    target: heartbeatTarget,
    notify: notifications.add,
    clock,
    log,
  });
  const greeting = createGreeting({
    host: agent,
    settings: () => {
      const { enabled, idleHours, maxPerDay, quietHours } = loaded.config.greeting;
      return {
        enabled: enabled && !practice() && !waits(),
        idleMs: idleHours * 3_600_000,
        maxPerDay,
        quiet: parseQuietHours(quietHours),
        timeZone: loaded.timeZone,
        language,
        name: loaded.config.persona.name,
      };
    },
    target: () => targetOf(loaded.config.greeting.target),
    lastConversation: async () => (await lastWord.find())?.session,
    notify: notifications.add,
    clock,
    log,
  });
  return {
    cron,
    heartbeat,
    greeting,
    heartbeatTarget,
    channels: [...(cron === undefined ? [] : [cron.channel]), heartbeat.channel, greeting.channel],
    tools: cron === undefined ? [] : [cronTool({ cron, timeZone: () => loaded.timeZone })],
    observers: [lastActive.observer, lastWord.observer],
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
