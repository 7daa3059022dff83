/** The one door out: queued replies are delivered in order per chat, retried, and given up on after a while. */
import type { Millis } from "../contract/base.ts";
import type { OutboundMessage, QueuedReply } from "../contract/bus.ts";
import type { Channel, ChannelCan, OutboundPiece } from "../contract/channel.ts";
import type { Address } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { firstOf } from "../lib/by-kind.ts";
import { channelFault } from "../lib/errors/channel-fault.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { withinGrace } from "../channels/grace.ts";
import { finalReply, isInOrder } from "../session/reduce-outbox.ts";
import { chatOf } from "../lib/session-key.ts";
import { whileAsked } from "../lib/approval-choices.ts";
import type { Digests } from "../channels/questions/digest.ts";
import type { LiveText } from "../channels/live/live.ts";
import type { Pacer } from "../channels/pacer.ts";
import type { SpokenReply } from "../channels/voice/reply.ts";
import { asAnswer } from "../channels/as-answer.ts";
import { failureOf, type FailureOptions } from "../channels/failure.ts";
import { showProgress } from "../channels/show-progress.ts";
import { standsThere, UncertainPiece } from "../channels/live/stands-there.ts";
import { heldUntilOpen, wayOut } from "../channels/windows.ts";
import type { ReplyGate } from "../hooks/hooks.ts";
import { cutOf, instead, piecesOf, type PiecesOptions, type Printer } from "../channels/pieces.ts";

export interface DeliveryOptions extends FailureOptions, PiecesOptions {
  /** Of a dialect, loaded when it is needed. */
  readonly printer: (text: ChannelCan["text"]) => Promise<Printer>;
  readonly channel: (id: string) => Channel | undefined;
  readonly pacer: Pacer;
  readonly live: Pick<LiveText, "find" | "opening" | "remove" | "removeBehind" | "replace">;
  /** What is sent in place of what who reads the chat may not read. @param reply Default: what is written now. */
  readonly instead?: (state: SessionState, reply?: QueuedReply) => string | undefined;
  readonly crowd?: Pick<Digests, "hold" | "sound">;
  /** A hook has kept it back: committed. */ readonly denied?: ReplyGate;
  /** After its text has left: the same aloud. @returns what it came to; undefined: the process ends. */
  readonly speak?: (spoken: SpokenReply) => Promise<readonly JournalRecord[] | undefined>;
}

export interface Delivery {
  /** Delivers what the session has queued, now and at its retry times. @param to in this chat alone. */
  wake(session: Session, to?: Address): void;
  /** Shown in its place among the replies of its chat, or not at all: what has not left when a reply is due never does. */
  show(message: OutboundMessage): void;
  /** Sends it now, and before it what waits in the same chat, also when it may be there already. @returns false when it does not wait. */
  hurry(session: Session, reply: string): Promise<boolean>;
  /** Resolves when nothing is being sent. Replies that wait for a retry do not count. */
  idle(): Promise<void>;
  close(reason: Error): Promise<void>;
}

/** A chat's own queue: a failing or slow chat delays no other. */
interface Chat {
  /** Have something for it, or had: looked at once more. */
  readonly sessions: Set<Session>;
  readonly progress: OutboundMessage[];
  readonly done: Promise<void>;
  /** It waits for the time of a retry: hours, when the platform is gone. */
  resting?: { readonly session: Session; readonly early: AbortController };
}

const MAX_PROGRESS = 20;

/** All chats, and what is known of their platforms. */
interface Deliveries {
  readonly options: DeliveryOptions;
  readonly closing: AbortController;
  readonly chats: Map<string, Chat>;
  /** Replies that somebody asked for before the time of their next attempt. */
  readonly hurried: Set<string>;
  /** Channels whose platform asked all of us to wait, and until when. */
  readonly slowed: Map<string, Millis>;
  /** Resolves when a chat has become quiet. */
  calmer: PromiseWithResolvers<void>;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const all: Deliveries = {
    options,
    closing: new AbortController(),
    chats: new Map(),
    hurried: new Set(),
    slowed: new Map(),
    calmer: Promise.withResolvers(),
  };
  const { chats, closing } = all;
  return {
    wake: (session, to) => wake(all, session, to),
    show: (message) => {
      const { progress, resting } = chatAt(all, chatOf(message.to));
      if (resting === undefined && progress.length < MAX_PROGRESS) progress.push(message);
    },
    hurry: (session, reply) => hurry(all, session, reply),
    idle: async () => {
      while ([...chats.values()].some(({ resting }) => resting === undefined)) await all.calmer.promise;
    },
    close: async (reason) => {
      closing.abort(reason);
      const over = Promise.all([...chats.values()].map(({ done }) => done));
      await withinGrace(over, options.clock); // a channel that heeds no signal holds nobody up
    },
  };
}

function calmed(all: Deliveries): void {
  all.calmer.resolve();
  all.calmer = Promise.withResolvers();
}

function chatAt(all: Deliveries, name: string): Chat {
  const known = all.chats.get(name);
  if (known !== undefined) return known;
  const done = Promise.withResolvers<void>();
  const chat: Chat = { sessions: new Set(), progress: [], done: done.promise };
  all.chats.set(name, chat);
  // After whoever called has put in what there is to do.
  queueMicrotask(() => {
    void work(all, name, chat).then(() => {
      done.resolve();
      calmed(all);
    });
  });
  return chat;
}

async function work(all: Deliveries, name: string, chat: Chat): Promise<void> {
  const { closing, chats, options } = all;
  while (!closing.signal.aborted) {
    const [session] = chat.sessions;
    const message = session === undefined ? chat.progress.shift() : undefined;
    if (session === undefined && message === undefined) break;
    try {
      if (message !== undefined) await showProgress(message, options, closing.signal);
      if (session === undefined) continue;
      chat.sessions.delete(session); // woken again meanwhile, it is looked at again
      await drain(all, session, name, chat);
    } catch (error) {
      if (!closing.signal.aborted) options.log.error("outbox.stopped", { chat: name, message: messageOf(error) });
    }
  }
  chats.delete(name);
}

async function drain(all: Deliveries, session: Session, name: string, chat: Chat): Promise<void> {
  const { closing, hurried, slowed, options } = all;
  const { clock } = options;
  for (;;) {
    const item = session.state.outbox.find((one) => chatOf(one.to) === name && isInOrder(one));
    if (item === undefined || closing.signal.aborted) return;
    const channel = options.channel(item.to.channel);
    if (channel === undefined) return; // consumed by the embedder, or waits for its channel to be switched on
    const crowd = item.kind === "approval" ? options.crowd?.hold(session, item) : undefined;
    if (crowd !== undefined && (await crowd)) continue;
    const isClosed = item.held === "window" && wayOut(session.state, item, channel.can, clock.now()) === "closed";
    const expires = isClosed ? item.queuedAt + options.retryMs() : 0;
    const due = Math.max(expires, hurried.has(item.reply) ? 0 : (item.retryAt ?? 0), slowed.get(channel.id) ?? 0);
    if (due > clock.now()) {
      await rest(all, chat, session, due - clock.now());
      continue; // meanwhile a person may have dropped it, or asked for it now
    }
    const opening = channel.can.live && options.live.opening(session);
    if (opening !== undefined && item.reply === finalReply(opening.turn)) {
      await opening.arrived; // and is known then: the reply comes in its place
      continue;
    }
    hurried.delete(item.reply);
    const kept = options.denied?.(session, item);
    if (kept === undefined || !(await kept)) await deliver(all, session, item, channel);
  }
}

async function rest(all: Deliveries, chat: Chat, session: Session, ms: Millis): Promise<void> {
  const { closing, options } = all;
  const early = new AbortController();
  chat.resting = { session, early };
  chat.progress.length = 0;
  calmed(all);
  try {
    await options.clock.sleep(ms, AbortSignal.any([closing.signal, early.signal]));
  } catch (error) {
    if (closing.signal.aborted) throw error; // else: looked at again before its time
  } finally {
    delete chat.resting;
  }
}

async function deliver(
  { options, closing, slowed }: Deliveries,
  session: Session,
  queued: QueuedReply,
  channel: Channel,
): Promise<void> {
  const text = options.instead?.(session.state, queued);
  const item = text === undefined ? queued : instead(queued, text);
  const [{ reply }, { clock }] = [item, options];
  const attempt = item.attempt + 1;
  /** Of the piece before: stored with the intent of the next. */
  let outcome: readonly JournalRecord[] = [];
  const ids = [...(item.left?.ids ?? [])];
  const cut = cutOf(item, channel.can, options);
  const print = cut.isWhole ? undefined : await options.printer(channel.can.text);
  const now = item.question === undefined ? item : whileAsked(item, session.state);
  const { audience } = session.state;
  for (const { piece, from, to, message } of piecesOf(now, channel.can.text, cut, print)) {
    if (channel.can.rate !== undefined && outcome.length > 0) {
      await session.commit(...outcome); // the next piece may have to wait for its place: what has left is known meanwhile
      outcome = [];
    }
    using _place = channel.can.rate && (await options.pacer.pace(channel, { to: item.to, audience }, closing.signal));
    const { handles, outbox } = session.state;
    const isOther = !outbox.some((one) => one.reply === reply) || options.instead?.(session.state, queued) !== text;
    if (isOther) return; // while it waited a person has dropped it, or others read there: it is looked at again
    const isBound = handles !== undefined || channel.can.window !== undefined || item.held !== undefined;
    const way = isBound ? wayOut({ handles }, item, channel.can, clock.now()) : undefined;
    if (way === "closed")
      return void (await session.commit(...outcome, heldUntilOpen(item, undefined, clock.now(), options.retryMs())));
    const handle = way && { handle: way.id };
    const sending = { type: "reply.sending", reply, piece, from, to, attempt, ...handle } as const;
    if (outcome.length === 0) await session.record(sending);
    else await session.commit(...outcome, sending);
    let id: string | undefined;
    try {
      const said = item.kind === "approval" ? { ...message, ...options.crowd?.sound(session.state, item) } : message;
      const whole = way === undefined ? said : asAnswer({ ...said, handle: way.data }, item, session, channel);
      id = await sendOnce(channel, whole, item, closing.signal, options);
    } catch (error) {
      if (closing.signal.aborted) return;
      if (error instanceof UncertainPiece)
        return void (await session.commit({ type: "reply.held", reply, why: "uncertain" }));
      const failed = { item, piece, channel: channel.id, error, handle: way?.id };
      const { record, slowed: until } = failureOf(failed, options);
      if (until !== undefined) slowed.set(channel.id, until);
      await session.commit(record);
      return;
    }
    outcome = [{ type: "reply.sent", reply, piece, ...(id !== undefined && { id }) }];
    if (id !== undefined) ids.push(id);
  }
  if (item.live !== undefined) await options.live.removeBehind(channel, item, outcome);
  if (item.voice !== undefined && options.speak !== undefined) {
    if (outcome.length > 0) await session.commit(...outcome);
    const { signal } = closing;
    const send = async (message: OutboundPiece): Promise<string | undefined> => {
      using _place = channel.can.rate && (await options.pacer.pace(channel, { to: item.to, audience }, signal));
      return await sendOnce(channel, message, item, signal, options);
    };
    const spoken = await options.speak({ session, item, channel, send, signal });
    if (spoken === undefined) return;
    outcome = spoken;
    const { id } = firstOf(spoken, "reply.sent") ?? {};
    if (id !== undefined) ids.push(id);
  }
  await session.commit(...outcome, { type: "reply.delivered", reply, ...(ids.length > 0 && { ids }) });
}

/** @returns the platform's id. @throws as `send`; `UncertainPiece`. */
async function sendOnce(
  channel: Channel,
  message: OutboundPiece,
  item: QueuedReply,
  signal: AbortSignal,
  options: DeliveryOptions,
): Promise<string | undefined> {
  const isKnown = item.live !== undefined || message.repeated === true;
  const there = isKnown ? await standsThere(channel, message, item, signal, options) : undefined;
  if (there !== undefined) return there.id;
  try {
    return await channel.send(message, signal);
  } catch (error) {
    const { rendered, ...plain } = message;
    if (rendered === undefined || channelFault(error)?.kind !== "markup") throw error;
    options.log.warn("reply.markup", { reply: item.reply, channel: channel.id, message: messageOf(error) });
    return channel.send(plain, signal);
  }
}

function wake(all: Deliveries, session: Session, to?: Address): void {
  const names = new Set((to === undefined ? session.state.outbox : [{ to }]).map((item) => chatOf(item.to)));
  // What another one rests for may be gone.
  if (to === undefined) for (const [name, { resting }] of all.chats) if (resting?.session === session) names.add(name);
  for (const name of names) {
    const chat = chatAt(all, name);
    chat.sessions.add(session);
    chat.progress.length = 0;
    chat.resting?.early.abort(new Error("looked at again"));
  }
}

async function hurry(all: Deliveries, session: Session, reply: string): Promise<boolean> {
  const { outbox } = session.state;
  const place = outbox.findIndex((item) => item.reply === reply);
  const chosen = outbox[place];
  if (chosen === undefined) return false;
  const chat = chatOf(chosen.to);
  for (const item of outbox.slice(0, place + 1)) if (chatOf(item.to) === chat) all.hurried.add(item.reply); // before it may leave
  if (isInOrder(chosen)) wake(all, session, chosen.to);
  else await session.commit({ type: "reply.held", reply }); // which wakes it
  return true;
}
