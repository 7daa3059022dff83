/** A short word after a long silence: decided by the clock and the journal, written by one request. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { Channel } from "../contract/channel.ts";
import type { Address, Message, Sender } from "../contract/message.ts";
import type { Notifications } from "../contract/notification.ts";
import type { GreetingOutcome, GreetingService, ScheduleTarget } from "../contract/schedule.ts";
import type { Session } from "../contract/session.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { timeText } from "./words.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { zonedClock } from "../lib/zoned-time.ts";
import { createAlarm } from "./awake.ts";
import { relayChannel, undeliverableId } from "./channel.ts";
import type { ScheduleHost } from "./follow-turn.ts";
import { isQuiet, slotsOf, type QuietHours, type Slot } from "./greeting-slots.ts";
import { allOf, bySomeKind, type SomeKinds } from "../lib/by-kind.ts";
import type { AgentEvent } from "../contract/event.ts";

export interface GreetingSettings {
  readonly enabled: boolean;
  readonly idleMs: Millis;
  readonly maxPerDay: number;
  readonly quiet: QuietHours;
  readonly timeZone: string;
  readonly language: "en" | "zh-CN";
  /** Of the assistant, for a chat that has no prompt yet. */
  readonly name: string;
}
export interface GreetingOptions {
  readonly host: () => ScheduleHost;
  readonly settings: () => GreetingSettings;
  readonly target: () => Promise<ScheduleTarget>;
  /** The conversation in which the person wrote last, on whatever entrance: the one that is looked at when no chat is sent to. */
  readonly lastConversation: () => Promise<string | undefined>;
  /** Told that there is something to read where nobody was sent anything. */
  readonly notify: Notifications["add"];
  readonly clock: Clock;
  readonly log: Logger;
}
export interface Greeting extends GreetingService {
  /** To be given to the agent: what no chat is sent is a row here. */
  readonly channel: Channel;
}

/** Where the next greeting goes, and the conversation it picks up. */
interface Place {
  readonly to: Address;
  readonly about: string;
  /** The conversation that it becomes a row of. */
  readonly kept: string;
}

const GREETING = "greeting";
const HERE: Address = { channel: GREETING, chat: GREETING };
const FROM: Sender = { id: GREETING, kind: "schedule" };
const DAY_MS = 86_400_000;
/** A slot that is noticed later than this is over: the machine slept. */
const LATE_MS = 600_000;
const MAX_CHARS = 200;
const ANSWER_TOKENS = 512;
const RECENT_ROWS = 10;
const MAX_ROW_CHARS = 500;
const LANGUAGES = { en: "English", "zh-CN": "Chinese" } as const;

/** The same trouble at each slot is told once. */
interface GreetingState extends GreetingOptions {
  complaint: string;
}

export function createGreeting(options: GreetingOptions): Greeting {
  const greeting: GreetingState = { ...options, complaint: "" };
  const { host, settings, clock, notify, target } = options;
  return {
    channel: relayChannel({
      id: GREETING,
      host,
      route: async ({ reply }) => {
        await notify({ id: reply, kind: "result", session: GREETING });
        return undefined;
      },
    }),
    view: () => view(options),
    preview: async (signal) => {
      const place = await placeOf(await target(), options);
      const session = place === undefined ? undefined : await host().sessions.find(place.about);
      if (session === undefined) return { because: "no-target" };
      const text = await write(options, session, signal);
      return text === undefined ? { because: "no-budget" } : { text, dropped: isDropped(text) };
    },
    checkNow: (signal) => check(greeting, today(settings(), clock.now()).slot, signal),
    run: (signal) => keepTime(greeting, signal),
  };
}

async function view(options: GreetingOptions): ReturnType<GreetingService["view"]> {
  const { host, settings, clock } = options;
  const target = await options.target();
  const place = await placeOf(target, options);
  if (place === undefined) return { sentToday: 0 };
  const next = nextSlot(settings(), place.kept, clock.now());
  const { date } = today(settings(), clock.now());
  return {
    ...(target.to !== undefined && { target: target.to }),
    sentToday: await deliveredOn(date, await host().sessions.find(place.kept)),
    ...(next !== undefined && { nextSlot: next.at }),
  };
}

/** Greets in each slot, until aborted. */
async function keepTime(greeting: GreetingState, signal: AbortSignal): Promise<void> {
  const { settings, clock, target } = greeting;
  const alarm = createAlarm(clock);
  let seen = clock.now();
  try {
    for (;;) {
      const slot = settings().enabled ? nextSlot(settings(), keptIn(await target()), seen) : undefined;
      const now = clock.now();
      if (slot !== undefined && slot.at <= now) {
        seen = slot.at;
        if (now - slot.at <= LATE_MS) await check(greeting, slot.name, signal);
        continue;
      }
      seen = now; // also when the clock was set back: a slot is greeted in once, by its name
      await alarm.wait(slot?.at ?? now + DAY_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function check(greeting: GreetingState, slot: string, signal: AbortSignal): Promise<GreetingOutcome> {
  const { clock, log, notify } = greeting;
  try {
    const target = await greeting.target();
    if (target.fault !== undefined) {
      await notify({ id: undeliverableId(GREETING, clock.now()), kind: "undeliverable", session: GREETING });
      throw new Error(target.fault);
    }
    const place = await placeOf(target, greeting);
    const outcome = place === undefined ? "no-target" : await greet(greeting, place, slot, signal);
    greeting.complaint = "";
    return outcome;
  } catch (error) {
    if (signal.aborted) throw error;
    const message = messageOf(error);
    if (message !== greeting.complaint) log.warn("greeting.failed", { message });
    greeting.complaint = message;
    return "failed";
  }
}

async function greet(
  options: GreetingOptions,
  place: Place,
  slot: string,
  signal: AbortSignal,
): Promise<GreetingOutcome> {
  const { host, settings, clock } = options;
  const { idleMs, maxPerDay, quiet, timeZone } = settings();
  const now = clock.now();
  if (isQuiet(zonedClock(timeZone)(now).hour, quiet)) return "not-due";
  const session = await host().sessions.find(place.about);
  if (session === undefined) return "no-target";
  const { state } = session;
  if (state.turn !== undefined || state.pending.length > 0) return "busy";
  const reply = `${GREETING}:${slot}`;
  const kept = await host().sessions.find(place.kept);
  if (now - Math.max(state.updatedAt, kept?.state.updatedAt ?? 0) < idleMs) return "not-due";
  if (kept?.received(GREETING, reply) === true) return "not-due";
  if ((await deliveredOn(slot.slice(0, 10), kept)) >= maxPerDay) return "quota";

  let written = false;
  const notes: SomeKinds<AgentEvent, [], void> = {
    "message.received": () => {
      written = true;
    },
  };
  const unsubscribe = session.subscribe((event) => bySomeKind(notes, event));
  try {
    const text = await write(options, session, signal);
    if (text === undefined || isDropped(text)) return "dropped";
    if (written) return "busy"; // the person was faster
    const { to, kept: key } = place;
    await host().bus.send(key, { reply, to, kind: "message", parts: [{ type: "text", text }], from: FROM });
    return "sent";
  } finally {
    unsubscribe();
  }
}

/** @returns undefined when no budget has room. */
async function write(
  { host, settings, clock }: GreetingOptions,
  { state }: Session,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { language, timeZone, name } = settings();
  await host().sessions.open(GREETING, HERE);
  const parts = await host().ask(
    GREETING,
    {
      purpose: GREETING,
      // Persona and memory are in the chat's own prompt.
      system: state.prefix?.system ?? `You are ${name}, a person's assistant.`,
      text: request(state.messages, LANGUAGES[language], timeText(clock.now(), timeZone)),
      maxOutputTokens: ANSWER_TOKENS,
    },
    signal,
  );
  return parts
    ?.map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .trim();
}

function isDropped(text: string): boolean {
  return text === "" || [...text].length > MAX_CHARS;
}

/** Each chat has slots of its own; so has what goes to none. */
function keptIn({ to }: ScheduleTarget): string {
  return to === undefined ? GREETING : sessionKeyOf(to);
}

/** Undefined: nobody wrote yet, or nobody can be reached. */
async function placeOf(
  target: ScheduleTarget,
  { lastConversation }: Pick<GreetingOptions, "lastConversation">,
): Promise<Place | undefined> {
  if (target.fault !== undefined) return undefined;
  const kept = keptIn(target);
  const about = target.to === undefined ? await lastConversation() : kept;
  return about === undefined ? undefined : { to: target.to ?? HERE, about, kept };
}

/** The next slot after a time, today or tomorrow. */
function nextSlot({ quiet, timeZone }: GreetingSettings, chat: string, after: Millis): Slot | undefined {
  const zone = zonedClock(timeZone);
  return [...slotsOf(after, chat, quiet, zone), ...slotsOf(after + DAY_MS, chat, quiet, zone)].find(
    (slot) => slot.at > after,
  );
}

/** The hour's slot and its day, as they are named. */
function today({ timeZone }: GreetingSettings, now: Millis): { readonly date: string; readonly slot: string } {
  const { year, month, day, hour } = zonedClock(timeZone)(now);
  const date = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
  return { date, slot: `${date}:${String(hour).padStart(2, "0")}` };
}

/** Greetings of a day that the platform took: the journal is the counter. */
async function deliveredOn(date: string, session: Session | undefined): Promise<number> {
  if (session === undefined) return 0;
  const delivered = new Set<string>();
  for await (const commit of session.history())
    for (const { reply } of allOf(commit.records, "reply.delivered"))
      if (reply.startsWith(`${GREETING}:${date}`)) delivered.add(reply);
  return delivered.size;
}

function request(messages: readonly Message[], language: string, time: string): string {
  const recent = messages
    .flatMap((message) => {
      if (message.role !== "user" && message.role !== "assistant") return [];
      const text = message.parts
        .map((part) => (part.type === "text" ? part.text : ""))
        .join(" ")
        .trim();
      return text === "" ? [] : [`${message.role === "user" ? "Person" : "You"}: ${text.slice(0, MAX_ROW_CHARS)}`];
    })
    .slice(-RECENT_ROWS);
  return [
    `It is ${time}. The person has been quiet for a while. Write one short message to them, in ${language} and in your own voice: at most 50 words, or 100 Chinese characters. Pick up something that matters to them from what you know or from the conversation below, or simply be kind. Do not mention these instructions. Answer with the message alone.`,
    `<recent_conversation>\n${recent.join("\n")}\n</recent_conversation>`,
  ].join("\n\n");
}
