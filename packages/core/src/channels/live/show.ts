/** One step after the other: what is shown becomes what was said. */
import type { Millis, TurnId } from "../../contract/base.ts";
import type { OutboundPiece } from "../../contract/channel.ts";
import type { Session } from "../../contract/session.ts";
import { channelFault } from "../../lib/errors/channel-fault.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { asAnswer } from "../as-answer.ts";
import { isVisible, type Live, type Showing, textOf } from "./showing.ts";

/** A platform that asks to slow down gets half as many edits in that chat for a while. */
const SLOWED_MS = 600_000;

/** What is to be done next. */
type Step =
  | { readonly type: "put"; readonly index: number; readonly piece: OutboundPiece; readonly isLast: boolean }
  | { readonly type: "stream"; readonly piece: OutboundPiece }
  | { readonly type: "remove" };

export async function show(live: Live, session: Session, showing: Showing): Promise<void> {
  const { options, slowed } = live;
  const { clock, closing, log, pacer } = options;
  const { channel, to } = showing;
  const chat = `${channel.id}\n${to.chat}`;
  const text = textOf(showing);
  const isSlowed = (slowed.get(chat) ?? 0) > clock.monotonic();
  showing.nextAt = clock.monotonic() + distance(showing) * (isSlowed ? 2 : 1);
  try {
    const pieces = await live.messages.piecesOf(options.visible(text, session), showing);
    if (live.showing.get(session) !== showing) return;
    const step = nextOf(showing, pieces, clock.monotonic());
    if (step !== undefined) {
      const ms = pacer.spare(channel, { to, audience: session.state.audience });
      if (ms > 0) {
        showing.nextAt = Math.min(showing.nextAt, clock.monotonic() + ms);
        return;
      }
      showing.times += 1;
      await perform(live, session, showing, step);
      const other = showing.stream === "none" && step.type === "stream" ? nextOf(showing, pieces, 0) : undefined;
      if (other !== undefined) await perform(live, session, showing, other);
    }
    if (nextOf(showing, pieces, clock.monotonic()) === undefined) showing.shown = text;
  } catch (error) {
    if (closing.aborted) return;
    const now = clock.monotonic();
    for (const [name, until] of slowed) if (until <= now) slowed.delete(name);
    if (channelFault(error)?.kind === "slow-down") slowed.set(chat, now + SLOWED_MS);
    else showing.gaveUp = true;
    log.debug("live.failed", { channel: channel.id, message: messageOf(error) });
  }
}

/** As often as it may be; of what a platform allows in a minute, say, half at once and the rest evenly. */
function distance({ channel: { can }, inGroup, times }: Showing): Millis {
  const { everyMs = 0 } = can.live ?? {};
  const { count, perMs } = (inGroup ? can.rate?.group : undefined) ?? can.rate?.chat ?? { count: Infinity, perMs: 0 };
  return times > count / 2 ? Math.max(everyMs, perMs / count) : everyMs;
}

/** Each piece is a message, the last one where it can be a stream. @returns undefined: all of them are there. */
function nextOf(
  { channel, messages, stream }: Showing,
  pieces: readonly OutboundPiece[],
  now: Millis,
): Step | undefined {
  const last = pieces.at(-1);
  if (last === undefined) return undefined;
  const isStream = stream === undefined ? channel.openStream !== undefined : stream !== "none";
  const count = isStream ? pieces.length - 1 : pieces.length;
  for (const [index, piece] of pieces.slice(0, count).entries())
    if (messages[index]?.text !== shownIn(piece))
      return { type: "put", index, piece, isLast: index === pieces.length - 1 };
  if (messages.length > count) return { type: "remove" };
  if (!isStream) return undefined;
  const isThere = typeof stream === "object" && stream.text === shownIn(last) && now < stream.at + stream.open.keepMs;
  return isThere ? undefined : { type: "stream", piece: last };
}

function shownIn({ parts, rendered }: OutboundPiece): string {
  return rendered?.text ?? parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function perform(live: Live, session: Session, showing: Showing, step: Step): Promise<void> {
  const { messages, options } = live;
  const { channel, to, turn } = showing;
  if (step.type === "put") return put(live, session, showing, step);
  if (step.type === "remove") {
    const { id } = showing.messages.pop() ?? {};
    if (id !== undefined) await messages.remove(channel, id, to);
    await session.record({ type: "reply.live", turn, to, piece: showing.messages.length + 1 });
    return;
  }
  const { piece } = step;
  const { stream } = showing;
  const at = options.clock.monotonic();
  if (typeof stream === "object") await messages.within((signal) => stream.open.update(piece, signal));
  const open =
    typeof stream === "object"
      ? stream.open
      : await messages.within(async (signal) => channel.openStream?.(piece, signal));
  showing.stream = open === undefined ? "none" : { open, text: shownIn(piece), at };
}

async function put(
  live: Live,
  session: Session,
  showing: Showing,
  { index, piece, isLast }: Extract<Step, { readonly type: "put" }>,
): Promise<void> {
  const { channel, to, turn } = showing;
  const text = shownIn(piece);
  const known = showing.messages[index];
  if (known?.id !== undefined) {
    await live.messages.edit(channel, known.id, isLast ? piece : finished(piece));
    known.text = text;
    return;
  }
  const number = index + 1;
  const id =
    known === undefined
      ? await open(live, session, showing, { index, piece })
      : await live.messages.within((signal) => live.messages.find(channel, piece, known.sought, signal));
  if (id === undefined) {
    showing.messages.length = index; // and it is opened
    await session.record({ type: "reply.live", turn, to, piece: number });
    return;
  }
  showing.messages[index] = { id, ...(known === undefined && { text }) };
  await session.record({ type: "reply.live", turn, to, piece: number, id });
}

function finished({ live: _live, ...piece }: OutboundPiece): OutboundPiece {
  return piece;
}

/** The intent first: after a crash nobody else knows that it may be there. @throws when it is not there, or nobody knows its id. */
async function open(
  live: Live,
  session: Session,
  { channel, to, turn, reply }: Showing,
  { index, piece }: { readonly index: number; readonly piece: OutboundPiece },
): Promise<string> {
  const key = index === 0 ? reply : `${reply}.${index + 1}`;
  const about = { type: "reply.live", turn, to, piece: index + 1 } as const;
  const answers = index === 0 ? session.state.turn?.opening : undefined;
  const first = asAnswer({ ...piece, reply: key }, { reply: key, answers }, session, channel);
  await session.record({ ...about, key });
  try {
    const id = await live.messages.open(channel, first);
    if (id === undefined) throw new Error("the platform does not say which message it is");
    return id;
  } catch (error) {
    if (channelFault(error)?.sent === "no") await session.record(about);
    throw error;
  }
}

/** No reply has come in the place of what a turn has shown: it goes. */
export async function end(live: Live, session: Session, turn: TurnId): Promise<void> {
  const { options, messages } = live;
  const shown = session.state.live;
  if (shown?.turn !== turn) return;
  const { to } = shown;
  const channel = options.channel(to.channel);
  if (!(await forget(live, session, turn)) || channel === undefined) return;
  for (const { id } of shown.messages) if (id !== undefined) await messages.remove(channel, id, to);
}

/** Something else comes in its place, or nothing. What is on its way is known when it has arrived. @param how what becomes of what is there */
export async function leave(
  live: Live,
  session: Session,
  showing: Showing,
  how: "cut" | "keep" | "remove",
): Promise<void> {
  const { channel, messages, to, turn, text } = showing;
  await showing.working;
  if (!(await forget(live, session, turn)) || how === "keep") return;
  if (how === "cut" && isVisible(showing) && text.trim() !== "") await cut(live, session, showing);
  else for (const { id } of messages) if (id !== undefined) await live.messages.remove(channel, id, to);
}

/** Its reply does not come in its place. */
async function forget({ options: { log } }: Live, session: Session, turn: TurnId): Promise<boolean> {
  const shown = session.state.live;
  try {
    if (shown?.turn === turn) await session.record({ type: "reply.live", turn, to: shown.to });
    return true;
  } catch (error) {
    log.debug("live.failed", { message: messageOf(error) });
    return false;
  }
}

/** What was said stays, and that it is not all. */
async function cut({ options, messages }: Live, session: Session, shown: Showing): Promise<void> {
  const { channel, text, turn } = shown;
  try {
    const said = options.visible(text, session).trim();
    const pieces = await messages.piecesOf(`${said} ${options.cutMark()}`, shown);
    for (const [index, piece] of pieces.entries()) {
      const { id, text: before } = shown.messages[index] ?? {};
      if (id === undefined) await messages.open(channel, { ...finished(piece), reply: `${turn}:cut:${index + 1}` });
      else if (before !== shownIn(piece)) await messages.edit(channel, id, finished(piece));
    }
  } catch (error) {
    options.log.debug("live.failed", { channel: channel.id, message: messageOf(error) });
  }
}
