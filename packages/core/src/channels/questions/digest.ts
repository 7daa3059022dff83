/**
 * Questions that would come all at once, or at night. More than a few wait in the outbox, and one message says how many there are; at
 * the end of the quiet hours another one does. Which those are follows from the journal, so the next process goes on.
 */
import type { AgentSettings } from "../../contract/agent-options.ts";
import type { Clock, Logger, Millis } from "../../contract/base.ts";
import type { AskedInChat, QueuedReply } from "../../contract/bus.ts";
import type { Channel } from "../../contract/channel.ts";
import type { AnswerButton, JournalRecord } from "../../contract/record.ts";
import type { PeopleOptions } from "../../contract/room.ts";
import type { Session, SessionState } from "../../contract/session.ts";
import { DIGEST, digestIn, heldQuestions, type OpenQuestion, openQuestions } from "../../lib/approval-choices.ts";
import { createSerial } from "../../lib/async/serial.ts";
import { isPerson, OWNER } from "../../lib/audience.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { sameAddress } from "../../lib/session-key.ts";
import { type Say, speaker } from "../../lib/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export interface DigestsOptions {
  /** A platform. */
  readonly channel: (id: string) => Channel | undefined;
  readonly language: () => AgentSettings["language"];
  /** Nobody can guess it. */
  readonly token: () => string;
  readonly asked: PeopleOptions["asked"] | undefined;
  readonly clock: Clock;
  readonly log: Pick<Logger, "error">;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

export interface Digests {
  /** Of many questions only the first leave at once. @returns undefined: this one does. */
  hold(session: Session, item: QueuedReply): Promise<boolean> | undefined;
  /** Of a question. */
  sound(state: SessionState, item: QueuedReply): Pick<QueuedReply, "silent">;
  /** At a session that was opened, and after each of its records. */
  look(session: Session): void;
  readonly busy: boolean;
  idle(): Promise<void>;
}

/** So many are asked one after the other within that time. */
const MAX_AT_ONCE = 3;
const AT_ONCE_MS: Millis = 600_000;
/** For so long what somebody began is what they wait for, at night too. */
const AWAKE_MS: Millis = 600_000;
const DAY_MS: Millis = 24 * 3_600_000;

const say: (language: AgentSettings["language"]) => Say<typeof en> = speaker(en, zh);

export function createDigests(options: DigestsOptions): Digests {
  const { log, closing } = options;
  const alone = createSerial();
  const work = new Set<Promise<unknown>>();
  /** Ends of quiet hours that are waited for. */
  const timers = new WeakMap<Session, Disposable & { readonly at: Millis }>();
  const tend = async (session: Session): Promise<void> => {
    const due = dueIn(session.state, options);
    if (due.length > 0 && !session.lost) await session.commit(...due);
  };
  const look = (session: Session): void => {
    if (closing.aborted) return;
    unseen(session.state, options);
    const { next, due } = { next: nextEnd(session.state, options), due: dueIn(session.state, options) };
    const known = timers.get(session);
    if (known?.at !== next) {
      known?.[Symbol.dispose]();
      timers.delete(session);
      if (next !== undefined)
        timers.set(
          session,
          atTime(next, () => look(session), options),
        );
    }
    if (due.length === 0) return;
    const done: Promise<unknown> = alone(session.state.key, () => tend(session))
      .catch((error: unknown) => {
        if (!closing.aborted) log.error("digest.failed", { session: session.state.id, message: messageOf(error) });
      })
      .finally(() => work.delete(done));
    work.add(done);
  };
  return {
    hold: (session, item) => {
      const held = crowded(session.state, item, options);
      return held.length === 0 ? undefined : session.commit(...held).then(() => true);
    },
    sound: (state, item) => (isSilent(state, item, options) ? { silent: true } : {}),
    look,
    get busy() {
      return work.size > 0;
    },
    idle: async () => {
      while (work.size > 0) await Promise.all(work);
    },
  };
}

/** On the pages alone: who has none open is told that there is something. */
function unseen(state: SessionState, { asked, channel }: DigestsOptions): void {
  if (asked === undefined || isIdle(state) || channel(state.origin.channel) !== undefined) return;
  const { turn, key } = state;
  if (turn?.attended !== true) return;
  for (const { reply, inTurn } of openQuestions(state)) if (inTurn === true) asked.unseen({ id: reply, session: key });
}

function atTime(at: Millis, act: () => void, { clock, closing }: DigestsOptions): Disposable & { readonly at: Millis } {
  const timer = clock.timer(Math.max(0, at - clock.now()), act);
  const stop = (): void => timer[Symbol.dispose]();
  closing.addEventListener("abort", stop, { once: true });
  return {
    at,
    [Symbol.dispose]: () => {
      closing.removeEventListener("abort", stop);
      stop();
    },
  };
}

function crowded(state: SessionState, item: QueuedReply, options: DigestsOptions): readonly JournalRecord[] {
  const channel = options.channel(item.to.channel);
  if (channel === undefined) return []; // the pages show all of them
  if (item.kind !== "approval" || hasBegun(item) || digestIn(state)?.next === item.reply) return [];
  const open = openQuestions(state);
  const asks = (reply: string): boolean => open.some((each) => each.reply === reply);
  if (!asks(item.reply)) return [];
  const behind = state.outbox.slice(state.outbox.indexOf(item));
  const isBehind = new Set(behind.map(({ reply }) => reply));
  const held = new Set(heldQuestions(state).map(({ reply }) => reply));
  const since = options.clock.now() - AT_ONCE_MS;
  const stands = open.filter(({ reply, askedAt }) => !isBehind.has(reply) && !held.has(reply) && askedAt > since);
  if (stands.length < MAX_AT_ONCE) return [];
  const more = behind.filter(
    (each) => each.held === undefined && !hasBegun(each) && asks(each.reply) && sameAddress(each.to, item.to),
  );
  return [
    ...more.map(({ reply }): JournalRecord => ({ type: "reply.held", reply, why: "digest" })),
    ...(held.size === 0 ? [digest(state, `digest:${item.reply}`, item, channel, options)] : []),
  ];
}

function hasBegun({ left, leaving, attempt }: QueuedReply): boolean {
  return left !== undefined || leaving !== undefined || attempt > 0;
}

/** Only ever one by one, or all of them refused: what nobody has read is not allowed. */
function digest(
  state: SessionState,
  reply: string,
  { to }: Pick<QueuedReply, "to">,
  channel: Channel,
  { language, token, asked, clock }: DigestsOptions,
): JournalRecord {
  const words = say(language());
  const actions: readonly AnswerButton[] = [
    { token: token(), label: words("button.next"), style: "plain", verdict: "allow" },
    { token: token(), label: words("button.all"), style: "deny", verdict: "deny" },
  ];
  return {
    type: "reply.queued",
    ...{ reply, to, kind: "approval", marks: {} },
    parts: [{ type: "text", text: digestText(state, channel, { language, asked }) }],
    question: {
      ...{ call: DIGEST, hash: reply, expiresAt: clock.now() + DAY_MS },
      actions: channel.can.buttons === true ? actions : [],
    },
  };
}

/** A number that cannot be changed would be wrong a moment later. */
export function digestText(
  state: SessionState,
  { can }: Pick<Channel, "can">,
  { language, asked }: Pick<DigestsOptions, "language" | "asked">,
): string {
  const words = say(language());
  const open = openQuestions(state);
  const counts = new Map<string, number>();
  for (const { name } of open) counts.set(name, (counts.get(name) ?? 0) + 1);
  const kinds = [...counts].map(([name, n]) =>
    name === "release" || name === "ask_person" ? words(name, { n }) : words("tool", { n, name }),
  );
  const page = asked?.page();
  return [
    can.edit === true ? words("waiting", { n: open.length, kinds: kinds.join(words("comma")) }) : words("more"),
    words("words"),
    ...(page === undefined ? [] : [words("page", { page })]),
  ].join("\n\n");
}

/** What is over needs no message; the answer to one brings the next; and the night is over. */
function dueIn(state: SessionState, options: DigestsOptions): readonly JournalRecord[] {
  if (isIdle(state)) return [];
  const open = openQuestions(state);
  const asks = (reply: string): boolean => open.some((each) => each.reply === reply);
  const held = state.outbox.filter((item) => item.held === "digest");
  const over = held.filter(({ reply }) => !asks(reply));
  const last = digestIn(state)?.next;
  const next = last === undefined || asks(last) ? undefined : held.find(({ reply }) => asks(reply))?.reply;
  return [
    // Its digest says what became of it.
    ...over.map(({ reply }): JournalRecord => ({ type: "reply.delivered", reply })),
    ...(next === undefined ? [] : [{ type: "reply.held", reply: next } satisfies JournalRecord]),
    ...morning(state, open, options),
  ];
}

function isIdle({ turn, releases, outbox }: SessionState): boolean {
  return turn === undefined && releases === undefined && outbox.length === 0;
}

function morning(
  state: SessionState,
  open: readonly OpenQuestion[],
  options: DigestsOptions,
): readonly JournalRecord[] {
  const now = options.clock.now();
  const ends = open.map((each) => quietEnd(state, each, options) ?? Infinity).filter((end) => end <= now);
  const to = chatOf(state);
  const channel = to && options.channel(to.channel);
  if (ends.length === 0 || to === undefined || channel === undefined) return [];
  const reply = `digest:quiet:${Math.max(...ends)}`;
  const isTold = state.asked?.some((each) => each.reply === reply) === true;
  return isTold ? [] : [digest(state, reply, { to }, channel, options)];
}

/** A conversation of a person is their private chat. */
function chatOf({ origin, asked = [] }: SessionState): AskedInChat["to"] {
  return asked.at(-1)?.to ?? origin;
}

/** The next time at which somebody is told what came while they slept. */
function nextEnd(state: SessionState, options: DigestsOptions): Millis | undefined {
  if (options.asked === undefined || isIdle(state)) return undefined;
  const now = options.clock.now();
  const ends = openQuestions(state).map((each) => quietEnd(state, each, options) ?? 0);
  const next = Math.min(...ends.filter((end) => end > now));
  return Number.isFinite(next) ? next : undefined;
}

/** When the quiet hours end in which it came without a sound. */
function quietEnd(state: SessionState, question: OpenQuestion, { asked }: DigestsOptions): Millis | undefined {
  const { audience = OWNER } = state;
  if (asked === undefined || (audience !== OWNER && !isPerson(audience)) || isAwaited(state, question))
    return undefined;
  return asked.quietUntil(audience, question.askedAt);
}

/** Somebody who has just begun something is there. */
function isAwaited({ turn }: SessionState, { inTurn, askedAt }: OpenQuestion): boolean {
  return inTurn === true && turn?.steerable === true && askedAt - turn.startedAt < AWAKE_MS;
}

function isSilent(state: SessionState, { kind, reply, question }: QueuedReply, options: DigestsOptions): boolean {
  if (kind !== "approval") return false;
  const { audience = OWNER } = state;
  const isQuiet = options.asked?.quietUntil(audience, options.clock.now()) !== undefined;
  if (!isQuiet) return false;
  const found = openQuestions(state).find((each) => each.reply === reply);
  return found === undefined ? question?.call === DIGEST : quietEnd(state, found, options) !== undefined;
}
