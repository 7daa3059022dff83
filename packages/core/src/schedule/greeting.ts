/** A short word after a long silence: decided by the clock and the journal, written by one request. */
import type { Clock, Logger, Millis } from "../contract/base.ts";
import type { Address, Message, Sender } from "../contract/message.ts";
import type { GreetingOutcome, GreetingService } from "../contract/schedule.ts";
import type { Session } from "../contract/session.ts";
import { messageOf } from "../lib/errors.ts";
import { timeText } from "../lib/job-words.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { zonedClock } from "../lib/zoned-time.ts";
import { createAlarm } from "./awake.ts";
import type { ScheduleHost } from "./follow-turn.ts";
import { isQuiet, slotsOf, type QuietHours, type Slot } from "./greeting-slots.ts";

export interface GreetingSettings {
  readonly enabled: boolean;
  readonly idleMs: Millis;
  readonly maxPerDay: number;
  readonly quiet: QuietHours;
  /** Undefined: where a person wrote last. */
  readonly target: Address | undefined;
  readonly timeZone: string;
  readonly language: "en" | "zh-CN";
  /** Of the assistant, for a chat that has no prompt yet. */
  readonly name: string;
}
export interface GreetingOptions {
  readonly host: () => ScheduleHost;
  readonly settings: () => GreetingSettings;
  readonly lastActive: () => Promise<Address | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
}

const GREETING = "greeting";
const FROM: Sender = { id: GREETING, kind: "schedule" };
const DAY_MS = 86_400_000;
/** A slot that is noticed later than this is over: the machine slept. */
const LATE_MS = 600_000;
const MAX_CHARS = 200;
const ANSWER_TOKENS = 512;
const RECENT_ROWS = 10;
const MAX_ROW_CHARS = 500;
const LANGUAGES = { en: "English", "zh-CN": "Chinese" } as const;

export function createGreeting({ host, settings, lastActive, clock, log }: GreetingOptions): GreetingService {
  const alarm = createAlarm(clock);
  let complaint = "";

  const targetOf = (): Promise<Address | undefined> => {
    const { target } = settings();
    return target === undefined ? lastActive() : Promise.resolve(target);
  };

  const greet = async (to: Address, slot: string, signal: AbortSignal): Promise<GreetingOutcome> => {
    const { idleMs, maxPerDay, quiet, timeZone } = settings();
    const now = clock.now();
    if (isQuiet(zonedClock(timeZone)(now).hour, quiet)) return "not-due";
    const key = sessionKeyOf(to);
    const session = await host().sessions.find(key);
    if (session === undefined) return "no-target";
    const { state } = session;
    if (state.turn !== undefined || state.pending.length > 0) return "busy";
    const reply = `${GREETING}:${slot}`;
    if (now - state.updatedAt < idleMs || session.received(GREETING, reply)) return "not-due";
    if ((await deliveredOn(slot.slice(0, 10), session)) >= maxPerDay) return "quota";

    let written = false;
    const unsubscribe = session.subscribe((event) => {
      if (event.type === "message.received") written = true;
    });
    try {
      const text = await compose(session, signal);
      if (text === undefined) return "dropped";
      if (written) return "busy"; // the person was faster (HB7)
      await host().bus.send(key, { reply, to, kind: "message", parts: [{ type: "text", text }], from: FROM });
      return "sent";
    } finally {
      unsubscribe();
    }
  };

  /** Undefined: no budget has room. */
  const write = async ({ state }: Session, signal: AbortSignal): Promise<string | undefined> => {
    const { language, timeZone, name } = settings();
    await host().sessions.open(GREETING, { channel: GREETING, chat: GREETING });
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
  };

  const isDropped = (text: string): boolean => text === "" || [...text].length > MAX_CHARS;

  const compose = async (session: Session, signal: AbortSignal): Promise<string | undefined> => {
    const text = await write(session, signal);
    return text === undefined || isDropped(text) ? undefined : text;
  };

  const check = async (to: Address | undefined, slot: string, signal: AbortSignal): Promise<GreetingOutcome> => {
    try {
      const outcome = to === undefined ? "no-target" : await greet(to, slot, signal);
      complaint = "";
      return outcome;
    } catch (error) {
      if (signal.aborted) throw error;
      const message = messageOf(error);
      if (message !== complaint) log.warn("greeting.failed", { message });
      complaint = message;
      return "failed";
    }
  };

  /** The next slot after a time, today or tomorrow. */
  const nextSlot = (to: Address, after: Millis): Slot | undefined => {
    const { quiet, timeZone } = settings();
    const zone = zonedClock(timeZone);
    const chat = sessionKeyOf(to);
    return [...slotsOf(after, chat, quiet, zone), ...slotsOf(after + DAY_MS, chat, quiet, zone)].find(
      (slot) => slot.at > after,
    );
  };

  /** The hour's slot and its day, as they are named. */
  const today = (): { readonly date: string; readonly slot: string } => {
    const { year, month, day, hour } = zonedClock(settings().timeZone)(clock.now());
    const date = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
    return { date, slot: `${date}:${String(hour).padStart(2, "0")}` };
  };

  return {
    view: async () => {
      const target = await targetOf();
      if (target === undefined) return { sentToday: 0 };
      const session = await host().sessions.find(sessionKeyOf(target));
      const next = nextSlot(target, clock.now());
      return {
        target,
        sentToday: session === undefined ? 0 : await deliveredOn(today().date, session),
        ...(next !== undefined && { nextSlot: next.at }),
      };
    },
    preview: async (signal) => {
      const target = await targetOf();
      const session = target === undefined ? undefined : await host().sessions.find(sessionKeyOf(target));
      if (session === undefined) return { because: "no-target" };
      const text = await write(session, signal);
      return text === undefined ? { because: "no-budget" } : { text, dropped: isDropped(text) };
    },
    checkNow: async (signal) => check(await targetOf(), today().slot, signal),
    run: async (signal) => {
      let seen = clock.now();
      try {
        for (;;) {
          const to = settings().enabled ? await targetOf() : undefined;
          const slot = to === undefined ? undefined : nextSlot(to, seen);
          const now = clock.now();
          if (slot !== undefined && slot.at <= now) {
            seen = slot.at;
            if (now - slot.at <= LATE_MS) await check(to, slot.name, signal);
            continue;
          }
          seen = now; // also when the clock was set back: a slot is greeted in once, by its name
          await alarm.wait(slot?.at ?? now + DAY_MS, signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}

/** Greetings of a day that the platform took: the journal is the counter (R230). */
async function deliveredOn(date: string, session: Session): Promise<number> {
  const delivered = new Set<string>();
  for await (const commit of session.history())
    for (const record of commit.records)
      if (record.type === "reply.delivered" && record.reply.startsWith(`${GREETING}:${date}`))
        delivered.add(record.reply);
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
