/** HEARTBEAT.md at regular times: one small question whether anything is to be done, and only then a turn. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address, AssistantPart, Sender } from "../contract/message.ts";
import type { PersonId } from "../contract/people.ts";
import type { ToolSpec } from "../contract/provider.ts";
import type { Notifications } from "../contract/notification.ts";
import type { HeartbeatOutcome, HeartbeatService, ScheduleTarget } from "../contract/schedule.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { timeText } from "./words.ts";
import { createAlarm } from "./awake.ts";
import { relayChannel, undeliverableId } from "./channel.ts";
import { followFor, type ScheduleHost } from "./follow-turn.ts";
import { activeTasks, hasActiveTask } from "./heartbeat-tasks.ts";
import { isNothing, NOTHING } from "./run-job.ts";

export interface HeartbeatSettings {
  readonly enabled: boolean;
  readonly intervalMs: Millis;
  readonly timeZone: string;
  readonly silent?: boolean;
}
export interface HeartbeatOptions {
  readonly host: () => ScheduleHost;
  readonly settings: (person?: PersonId) => HeartbeatSettings;
  /** Persons beside the owner who have one of their own, in their room. */
  readonly persons?: () => readonly PersonId[];
  /** The text of HEARTBEAT.md; undefined when there is none. */
  readonly readTasks: (signal: AbortSignal, person?: PersonId) => Promise<string | undefined>;
  readonly target: (person?: PersonId) => Promise<ScheduleTarget>;
  /** Told that there is something to read where nobody was sent anything. */
  readonly notify: Notifications["add"];
  readonly clock: Clock;
  readonly log: Logger;
}
export interface Heartbeat extends HeartbeatService {
  /** To be given to the agent: the way of results to the person. */
  readonly channel: Channel;
}

const HEARTBEAT = "heartbeat";
const FROM: Sender = { id: HEARTBEAT, kind: "schedule" };
const DECISION_TOKENS = 1024;
const TURN_MS = 1_200_000;

const SYSTEM =
  "You decide whether a person's assistant has something to do now. You get the file HEARTBEAT.md and the time. Call the tool heartbeat: skip when nothing in it is due, run with the task, complete in itself, when something is.";
const INSTRUCTIONS = `[Heartbeat. Nobody is there to answer a question. Your answer is sent to the person; if there is nothing to tell, answer exactly ${NOTHING}]`;

/** Offered in this one request only. */
const DECISION: ToolSpec = {
  name: HEARTBEAT,
  description: "Says whether there is something to do now.",
  inputSchema: {
    type: "object",
    properties: {
      action: { type: "string", enum: ["skip", "run"] },
      task: { type: "string", description: "What to do, with action run." },
    },
    required: ["action"],
  },
};

/** What was told last: the same trouble every half hour is told once. */
interface HeartbeatState extends HeartbeatOptions {
  readonly complaints: Map<string, string>;
}

/** The conversation of whose it is. */
function placeOf(person: PersonId | undefined): { readonly origin: Address; readonly sessionKey: string } {
  const chat = person ?? HEARTBEAT;
  return {
    origin: { channel: HEARTBEAT, chat },
    sessionKey: person === undefined ? HEARTBEAT : `${HEARTBEAT}:${chat}`,
  };
}

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const heartbeat: HeartbeatState = { ...options, complaints: new Map() };
  return {
    channel: channelOf(options),
    checkNow: (signal, person) => check(heartbeat, person, options.clock.now(), signal),
    openTasks: async (signal) => activeTasks((await options.readTasks(signal)) ?? ""),
    run: (signal) => keepTime(heartbeat, signal),
  };
}

/** The way of results to the person. */
function channelOf({ host, settings, target, notify }: HeartbeatOptions): Channel {
  return relayChannel({
    id: HEARTBEAT,
    host,
    route: async ({ kind, reply, to: { chat } }, text) => {
      if (kind === "error" || text.trim() === "" || isNothing(text)) return undefined;
      const person = chat === HEARTBEAT ? undefined : chat;
      const { to } = await target(person);
      if (to !== undefined) return { to, from: FROM, ...(settings().silent === true && { silent: true }) };
      await notify({ id: `${HEARTBEAT}:${reply}`, kind: "result", session: placeOf(person).sessionKey });
      return undefined;
    },
  });
}

/** Looks at each whole interval, until aborted. */
async function keepTime(heartbeat: HeartbeatState, signal: AbortSignal): Promise<void> {
  const { settings, clock } = heartbeat;
  const alarm = createAlarm(clock);
  const ordinal = (): number => ordinalOf(clock.now(), settings().intervalMs);
  let last = ordinal();
  try {
    for (;;) {
      const { enabled, intervalMs } = settings();
      const now = ordinal();
      if (now > last && enabled)
        for (const person of [undefined, ...(heartbeat.persons?.() ?? [])])
          await check(heartbeat, person, now * intervalMs, signal);
      last = now;
      await alarm.wait(nextCheckAt(clock.now(), settings().intervalMs), signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** When it looks next. Counted from the epoch, so that no restart moves it. */
export function nextCheckAt(now: Millis, intervalMs: Millis): Millis {
  return (ordinalOf(now, intervalMs) + 1) * intervalMs;
}

function ordinalOf(now: Millis, intervalMs: Millis): number {
  return Math.floor(now / intervalMs);
}

/** @param person Absent: the owner. */
async function check(
  heartbeat: HeartbeatState,
  person: PersonId | undefined,
  due: Millis,
  signal: AbortSignal,
): Promise<HeartbeatOutcome> {
  const { clock, host, notify, readTasks, target } = heartbeat;
  const { origin, sessionKey } = placeOf(person);
  const complain = (message: string): HeartbeatOutcome => complained(heartbeat, sessionKey, message);
  try {
    const text = await readTasks(signal, person);
    if (text === undefined || !hasActiveTask(text)) return "idle";
    const { fault } = await target(person);
    if (fault !== undefined) {
      await notify({ id: undeliverableId(sessionKey, clock.now()), kind: "undeliverable", session: sessionKey });
      return complain(fault);
    }
    const task = await decide(heartbeat, person, text, signal);
    if (task === undefined) return "skip";
    const parts = [task, INSTRUCTIONS].map((part) => ({ type: "text" as const, text: part }));
    const message = {
      ...{ key: `${sessionKey}:${due}`, ...origin, sessionKey, from: FROM, parts },
      ...(person !== undefined && { audience: person }),
    };
    const { reason, error } = await followFor(host(), message, { clock, timeoutMs: TURN_MS }, signal);
    if (reason !== "done" && reason !== "limit") return complain(error?.message ?? reason);
    heartbeat.complaints.delete(sessionKey);
    return "ran";
  } catch (error) {
    if (signal.aborted) throw error;
    return complain(messageOf(error));
  }
}

function complained({ complaints, log }: HeartbeatState, session: string, message: string): HeartbeatOutcome {
  if (message !== complaints.get(session))
    log.warn("heartbeat.failed", { message, ...(session !== HEARTBEAT && { session }) });
  complaints.set(session, message);
  return "failed";
}

/** One small request. @returns the task; undefined when there is nothing to do now. */
async function decide(
  { host, settings, clock }: HeartbeatOptions,
  person: PersonId | undefined,
  text: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { origin, sessionKey } = placeOf(person);
  await host().sessions.open(sessionKey, origin);
  const time = timeText(clock.now(), settings(person).timeZone);
  const request = {
    purpose: HEARTBEAT,
    system: SYSTEM,
    text: `It is ${time}.\n\n<file path="HEARTBEAT.md">\n${text.trim()}\n</file>`,
    tools: [DECISION],
    maxOutputTokens: DECISION_TOKENS,
    ...(person !== undefined && { audience: person }),
  };
  return taskOf((await host().ask(sessionKey, request, signal)) ?? []);
}

/** Whatever is no clear order to run something is a no. */
function taskOf(parts: readonly AssistantPart[]): string | undefined {
  for (const part of parts) {
    if (part.type !== "tool-call" || part.name !== HEARTBEAT) continue;
    const { input } = part;
    if (typeof input !== "object" || input === null || Array.isArray(input)) continue;
    const { action, task } = input as Readonly<Record<string, unknown>>; // a JSON object
    if (action === "run" && typeof task === "string" && task.trim() !== "") return task.trim();
  }
  return undefined;
}
