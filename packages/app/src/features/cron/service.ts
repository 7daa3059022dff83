/** What happens without a message: jobs, heartbeat, greeting, as the configuration has them at the moment. */
import { join } from "node:path";
import {
  createCron,
  createGreeting,
  createHeartbeat,
  type Address,
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
  MAIN,
  parseQuietHours,
  readersTo,
  readerAt,
  withheld,
  type Audience,
  type CommitObserver,
  type Ids,
  type Notifications,
  type PeopleOptions,
  readTextFile,
  type PersonId,
  type StopFlag,
  type ScheduleTarget,
} from "@margay/core/internal";
import { cronTool } from "@margay/core/builtin";
import type { AudienceAt } from "../../host/readers.ts";
import { mayWork } from "../../host/agents.ts";
import { membersOf } from "../../host/members.ts";
import { OWNER, type People } from "../../host/people.ts";
import { spaceOf } from "../../host/spaces.ts";
import { isOurs, targetFault } from "../../host/target.ts";
import { type Loaded, timeZoneOf } from "../../config/load.ts";
import type { Language } from "../../texts/text.ts";
import { translator, type Translate } from "../../texts/translate.ts";
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
  readonly people: People;
  readonly audienceAt: AudienceAt;
  /** The same as far as it is known beforehand. */
  readonly usualAt: (to: Address) => Audience | undefined;
  /** The private chat of a person's latest word. */
  readonly contact: PeopleOptions["contact"];
  readonly notifications: Notifications;
  readonly stopFlag: StopFlag;
  readonly hold: ScheduleHold;
  /** What else runs by itself. */
  readonly also: readonly Part[];
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
  /** Of the owner, or of another person: each sees their own jobs. */
  readonly toolsOf: (person?: PersonId, agent?: string) => readonly Tool[];
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

/** What the three share: the configuration that holds now, and where results go. */
interface State {
  readonly options: ScheduleOptions;
  loaded: Loaded;
  readonly t: Translate;
  readonly held: () => boolean;
  /** Nothing becomes due. */
  readonly waits: () => boolean;
  readonly targetOf: (target: string | null) => Promise<ScheduleTarget>;
}

export function createSchedule(options: ScheduleOptions): Schedule {
  const { stopFlag, hold } = options;
  const sessions = (): Agent["sessions"] => options.agent().sessions;
  const lastActive = createLastActive({
    sessions,
    counts: (channel, sender) => !isOurs(channel) && options.people.isOwner(channel, sender),
  });
  /** The pages and the command line too: what is shown to nobody there picks up what was said there. */
  const lastWord = createLastActive({
    sessions,
    counts: options.people.isOwner,
  });
  const t = translator(options.language, options.command);
  const held = (): boolean => hold.since !== undefined;
  const state: State = {
    options,
    loaded: options.loaded,
    t,
    held,
    waits: () => stopFlag.on || held(),
    targetOf: (target) =>
      resolveTarget(target, {
        config: state.loaded.config,
        lastActive: async () => (await lastActive.find())?.origin,
        sessions: sessions(),
        t,
        home: state.loaded.places.home,
      }),
  };
  const heartbeatTarget = (): Promise<ScheduleTarget> => state.targetOf(state.loaded.config.heartbeat.target);
  const cron = cronOf(state);
  const heartbeat = heartbeatOf(state, heartbeatTarget);
  const greeting = greetingOf(state, async () => (await lastWord.find())?.session);
  return {
    cron,
    heartbeat,
    greeting,
    heartbeatTarget,
    channels: [...(cron === undefined ? [] : [cron.channel]), heartbeat.channel, greeting.channel],
    toolsOf: (person, agent) =>
      cron === undefined
        ? []
        : [
            cronTool({
              cron,
              timeZone: () => timeZoneOf(state.loaded, person),
              ...(person !== undefined && { person }),
              ...(agent !== undefined && { agent }),
            }),
          ],
    observers: [lastActive.observer, lastWord.observer],
    parts: [
      ...(cron === undefined ? [] : [{ name: "cron", run: cron.run }]),
      { name: "heartbeat", run: heartbeat.run },
      { name: "greeting", run: greeting.run },
      ...options.also,
    ],
    get waits() {
      return state.waits();
    },
    resumed: () => cron?.resumed(),
    configure: (changed) => {
      state.loaded = changed;
    },
    [Symbol.asyncDispose]: async () => {
      await cron?.[Symbol.asyncDispose]();
    },
  };
}

/** What is made for one agent is made without it for nobody. */
function agentFault(agent = MAIN, audience: Audience = OWNER, { loaded, t }: State): string | undefined {
  return mayWork(agent, audience, loaded.config) ? undefined : t("target.agent", { agent });
}

function cronOf(state: State): ReturnType<typeof createCron> | undefined {
  const { language, command, agent, notifications, clock, ids, log, stopFlag } = state.options;
  if (!state.loaded.config.cron.enabled) return undefined;
  return createCron({
    directory: join(state.loaded.places.home, "cron"),
    host: agent,
    settings: (by) => {
      const { misfire, maxCatchUp, concurrency, jobTimeoutSeconds } = state.loaded.config.cron;
      return {
        timeZone: timeZoneOf(state.loaded, by),
        misfire,
        maxCatchUp,
        concurrency,
        jobTimeoutMs: jobTimeoutSeconds * 1000,
        language,
        command,
      };
    },
    targetFault: ({ to, by, agent }) => {
      const { people: known, channelsById } = state.loaded.config;
      if (by !== undefined && !Object.hasOwn(known, by)) return state.t("target.nobody", { person: by });
      return (
        agentFault(agent, by ?? state.options.usualAt(to), state) ??
        targetFault(to, channelsById, state.t, state.loaded.places.home)
      );
    },
    readersFault: async ({ to, by, marks, agent }) => {
      const audience = await state.options.audienceAt(to, by);
      const fault = agentFault(agent, audience, state);
      if (fault !== undefined) return fault;
      const reader = readerAt(audience, to);
      const all = [...(by === undefined ? [] : [readersTo([by], by)]), ...(marks?.readers ?? [])];
      const [first] = withheld(
        all,
        reader,
        membersOf(() => state.loaded.config),
      );
      return first && state.t("target.withheld", { person: first.by });
    },
    audienceAt: ({ to, by }) => state.options.audienceAt(to, by),
    notify: notifications.add,
    clock,
    ids,
    log,
    stopped: () => stopFlag.on,
    held: state.held,
  });
}

function heartbeatOf(state: State, target: () => Promise<ScheduleTarget>): ReturnType<typeof createHeartbeat> {
  const { agent, practice, readFile, contact, notifications, clock, log } = state.options;
  return createHeartbeat({
    host: agent,
    settings: (person) => {
      const { enabled, intervalMinutes, silent } = state.loaded.config.heartbeat;
      return {
        enabled: enabled && !practice() && !state.waits(),
        intervalMs: intervalMinutes * 60_000,
        timeZone: timeZoneOf(state.loaded, person),
        silent,
      };
    },
    persons: () =>
      Object.entries(state.loaded.config.people).flatMap(([person, { heartbeat }]) =>
        heartbeat === true && person !== OWNER ? [person] : [],
      ),
    readTasks: (signal, person) =>
      (person === undefined ? readFile : readTextFile(spaceOf(state.loaded.places, person)))("HEARTBEAT.md", signal),
    target: async (person) => {
      if (person === undefined) return target();
      const to = await contact(person);
      return to === undefined ? {} : { to };
    },
    notify: notifications.add,
    clock,
    log,
  });
}

function greetingOf(
  state: State,
  lastConversation: () => Promise<string | undefined>,
): ReturnType<typeof createGreeting> {
  const { agent, practice, language, notifications, clock, log } = state.options;
  return createGreeting({
    host: agent,
    settings: () => {
      const { enabled, idleHours, maxPerDay, quietHours } = state.loaded.config.greeting;
      return {
        enabled: enabled && !practice() && !state.waits(),
        idleMs: idleHours * 3_600_000,
        maxPerDay,
        quiet: parseQuietHours(quietHours),
        timeZone: state.loaded.timeZone,
        language,
        name: state.loaded.config.persona.name,
      };
    },
    target: () => state.targetOf(state.loaded.config.greeting.target),
    lastConversation,
    notify: notifications.add,
    clock,
    log,
  });
}
