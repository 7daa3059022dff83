/**
 * What a turn says while it says it: one message on the platform that is edited, and in whose place the reply comes. Best
 * effort: nothing waits for it but its own reply, and what cannot be shown is not shown.
 */
import type { Millis, TurnId } from "../contract/base.ts";
import type { Channel, OutboundPiece } from "../contract/channel.ts";
import type { AgentEvent } from "../contract/event.ts";
import type { Address } from "../contract/message.ts";
import type { Session } from "../contract/session.ts";
import { sameAddress } from "../lib/session-key.ts";
import { isGroup } from "../lib/audience.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";
import { channelFault } from "../lib/errors/channel-fault.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { asAnswer } from "./as-answer.ts";
import { createLiveMessages, type LiveMessages, type LiveMessagesOptions } from "./live-message.ts";
import type { Pacer } from "./pacer.ts";

export interface LiveTextOptions extends LiveMessagesOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly pacer: Pick<Pacer, "spare">;
  /** What of a text may be shown in the chat of a session, as of a reply there. */
  readonly visible: (text: string, session: Session) => string;
  /** Stands behind a text that was stopped. */
  readonly cutMark: () => string;
}

export interface LiveText {
  /** @returns what hears the events of a session that was opened. */
  follow(session: Session): (event: AgentEvent) => void;
  /** A word beside the answer. @returns false: no message shows this turn, it has to be one of its own. */
  beside(session: Session, text: string): boolean;
  /** A message is on its way that the reply of its turn will have to come into. */
  opening(session: Session): Opening | undefined;
  replace: LiveMessages["replace"];
}

interface Opening {
  readonly turn: TurnId;
  /** Also when it could not be sent. */
  readonly arrived: Promise<void>;
}

/** It appears after so long, or with so many characters. */
const FIRST_MS = 1200;
const FIRST_CHARS = 40;
/** A platform that asks to slow down gets half as many edits in that chat for a while. */
const SLOWED_MS = 600_000;

/** One turn, as it is shown. */
interface Showing {
  readonly turn: TurnId;
  /** The platform's idempotency key. A turn may open several, one below the other: each has its own. */
  readonly reply: string;
  readonly channel: Channel;
  readonly to: Address;
  /** Of the response that runs, or ran last. */
  text: string;
  isComplete: boolean;
  beside: string;
  readonly since: Millis;
  id?: string | undefined;
  shown?: string;
  nextAt: Millis;
  timer?: { readonly at: Millis; readonly ring: Disposable } | undefined;
  working?: Promise<void> | undefined;
  gaveUp?: true;
}

/** All of them, and what is under way. */
interface Live {
  readonly options: LiveTextOptions;
  readonly showing: WeakMap<Session, Showing>;
  readonly opening: WeakMap<Session, Opening>;
  readonly messages: LiveMessages;
  /** Chats that get fewer edits, and until when. */
  readonly slowed: Map<string, Millis>;
}

export function createLiveText(options: LiveTextOptions): LiveText {
  const live: Live = {
    options,
    showing: new WeakMap(),
    opening: new WeakMap(),
    messages: createLiveMessages(options),
    slowed: new Map(),
  };
  return {
    follow: (session) => follow(live, session),
    beside(session, text) {
      const showing = live.showing.get(session);
      if (showing?.id === undefined || showing.gaveUp === true) return false;
      if (text.trim() !== showing.text.trim()) showing.beside = text;
      plan(live, session, showing);
      return true;
    },
    opening: (session) => live.opening.get(session),
    replace: live.messages.replace,
  };
}

function follow(live: Live, session: Session): (event: AgentEvent) => void {
  const { state } = session;
  // Of an earlier process, and its turn is over.
  if (state.live !== undefined && state.live.turn !== state.turn?.id) void end(live, session, "");
  const hears: SomeKinds<AgentEvent, [], void> = {
    "text.delta": ({ turn, text }) => {
      const showing = live.showing.get(session) ?? begin(live, session, turn);
      if (showing === undefined) return;
      if (showing.isComplete) Object.assign(showing, { text: "", beside: "", isComplete: false });
      showing.text += text;
      plan(live, session, showing);
    },
    "text.restarted": () => {
      const showing = live.showing.get(session);
      if (showing !== undefined) showing.text = "";
    },
    "model.responded": () => {
      const showing = live.showing.get(session);
      if (showing !== undefined) showing.isComplete = true;
    },
    "reply.queued": ({ to }) => {
      const showing = live.showing.get(session);
      if (showing === undefined || !sameAddress(showing.to, to)) return;
      stop(live, session);
      const { turn } = session.state;
      const { id, channel } = showing;
      if (id === undefined || showing.isComplete) return;
      // Something else is said below it, in the middle of a sentence. It comes again, whole, unless it was stopped.
      if (turn?.id === showing.turn && !turn.cancelled) void live.messages.remove(channel, id, to);
      else void cut(live, session, showing, id);
    },
    "turn.ended": ({ turn, reason }) => {
      const text = live.showing.get(session)?.text ?? "";
      stop(live, session);
      // No reply has come in its place.
      if (session.state.live?.turn === turn) void end(live, session, reason === "cancelled" ? text : "");
    },
  };
  return (event) => bySomeKind(hears, event);
}

/** Undefined: nobody waits for this turn in a chat that can show it. */
function begin({ options, showing }: Live, session: Session, id: TurnId): Showing | undefined {
  const { turn, audience, live } = session.state;
  if (turn?.id !== id || !turn.steerable || turn.cancelled) return undefined;
  const channel = options.channel(turn.replyTo.channel);
  const inGroup = isGroup(audience);
  if (channel?.can.live === undefined || channel.edit === undefined) return undefined;
  if (inGroup && channel.can.live.inGroups !== true) return undefined;
  const now = options.clock.monotonic();
  const made: Showing = {
    turn: id,
    reply: `${id}:live-${session.state.seq}`,
    channel,
    to: turn.replyTo,
    text: "",
    isComplete: false,
    beside: "",
    since: now,
    nextAt: now,
    ...(live?.turn === id && { id: live.id }),
  };
  showing.set(session, made);
  return made;
}

function stop({ showing }: Live, session: Session): void {
  showing.get(session)?.timer?.ring[Symbol.dispose]();
  showing.delete(session);
}

/** Shows it when it is time: the newest text wins, nothing is queued. */
function plan(live: Live, session: Session, showing: Showing): void {
  const { clock } = live.options;
  if (showing.working !== undefined || showing.gaveUp === true) return;
  const now = clock.monotonic();
  const isDue = showing.id !== undefined || showing.text.length >= FIRST_CHARS;
  const at = Math.max(now, showing.nextAt, isDue ? now : showing.since + FIRST_MS);
  if (showing.timer !== undefined && showing.timer.at <= at) return;
  showing.timer?.ring[Symbol.dispose]();
  const ring = clock.timer(at - now, () => {
    showing.timer = undefined;
    const work = show(live, session, showing).finally(() => {
      showing.working = undefined;
      live.opening.delete(session);
      if (live.showing.get(session) === showing && textOf(showing) !== showing.shown) plan(live, session, showing);
    });
    showing.working = work;
    if (showing.id === undefined) live.opening.set(session, { turn: showing.turn, arrived: work });
  });
  showing.timer = { at, ring };
}

function textOf({ text, beside }: Showing): string {
  return [text.trim(), beside.trim()].filter(Boolean).join("\n\n");
}

async function show(live: Live, session: Session, showing: Showing): Promise<void> {
  const { options, slowed } = live;
  const { clock, closing, log, pacer } = options;
  const { channel, to } = showing;
  const { everyMs = 0 } = channel.can.live ?? {};
  const chat = `${channel.id}\n${to.chat}`;
  const text = textOf(showing);
  const isSlowed = (slowed.get(chat) ?? 0) > clock.monotonic();
  showing.nextAt = clock.monotonic() + everyMs * (isSlowed ? 2 : 1);
  try {
    const piece = await live.messages.pieceOf(options.visible(text, session), showing);
    if (live.showing.get(session) !== showing) return;
    if (piece === undefined) showing.shown = text;
    else if (pacer.spare(channel, { to, audience: session.state.audience })) {
      await put(live, session, showing, piece);
      showing.shown = text;
    }
  } catch (error) {
    if (closing.aborted) return;
    const now = clock.monotonic();
    for (const [name, until] of slowed) if (until <= now) slowed.delete(name);
    if (channelFault(error)?.kind === "slow-down") slowed.set(chat, now + SLOWED_MS);
    else showing.gaveUp = true;
    log.debug("live.failed", { channel: channel.id, message: messageOf(error) });
  }
}

async function put(live: Live, session: Session, showing: Showing, piece: OutboundPiece): Promise<void> {
  const { channel, to, turn, id } = showing;
  if (id !== undefined) return live.messages.edit(channel, id, piece);
  const { reply } = showing;
  const first = asAnswer(piece, { reply, answers: session.state.turn?.opening }, session, channel);
  const made = await live.messages.open(channel, first);
  showing.id = made;
  if (made === undefined) throw new Error("the platform does not say which message it is");
  await session.record({ type: "reply.live", turn, to, id: made });
  // The turn was stopped meanwhile, and nobody has come for it.
  if (session.state.live?.turn === turn && session.state.turn?.id !== turn) await end(live, session, showing.text);
}

/** No reply comes in its place. @param text what of it stays, marked as cut; empty: it goes. */
async function end(live: Live, session: Session, text: string): Promise<void> {
  const { options, messages } = live;
  const shown = session.state.live;
  if (shown === undefined) return;
  const { turn, to, id } = shown;
  const channel = options.channel(to.channel);
  try {
    await session.record({ type: "reply.live", turn, to });
    if (channel === undefined) return;
    if (text.trim() === "") await messages.remove(channel, id, to);
    else await cut(live, session, { channel, to, reply: `${turn}:live`, text }, id);
  } catch (error) {
    options.log.debug("live.failed", { channel: to.channel, message: messageOf(error) });
  }
}

/** What was said stays, and that it is not all. */
async function cut(
  { options, messages }: Live,
  session: Session,
  shown: Pick<Showing, "channel" | "to" | "reply" | "text">,
  id: string,
): Promise<void> {
  const { channel, text } = shown;
  try {
    const piece = await messages.pieceOf(`${options.visible(text, session).trim()} ${options.cutMark()}`, shown);
    if (piece !== undefined) await messages.edit(channel, id, piece);
  } catch (error) {
    options.log.debug("live.failed", { channel: channel.id, message: messageOf(error) });
  }
}
