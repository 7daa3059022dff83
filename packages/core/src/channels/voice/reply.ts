/** The voice note behind a reply whose text has left: made once, sent as a piece of its own; the reply is whole without it too. */
import type { Clock, Logger, Millis } from "../../contract/base.ts";
import type { Channel, OutboundPiece } from "../../contract/channel.ts";
import type { MediaPart } from "../../contract/message.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { QueuedReply } from "../../contract/bus.ts";
import type { Session } from "../../contract/session.ts";
import type { Speaker, VoiceOptions } from "../../contract/channel.ts";
import { raceAbort } from "../../lib/async/abort.ts";
import { channelFault } from "../../lib/errors/channel-fault.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { textOf } from "../../lib/text.ts";
import { NO_USAGE } from "../../lib/usage.ts";
import { paidBy, type Spend } from "./spending.ts";
import { spokenText } from "./spoken-text.ts";

export interface SpeakOptions {
  readonly voice: Pick<VoiceOptions, "speaker">;
  readonly spend: Spend;
  /** The emergency stop. */
  readonly stop: { readonly on: boolean; readonly signal: AbortSignal };
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
  readonly redact: (text: string) => string;
}

/** A reply whose text has left. */
export interface SpokenReply {
  readonly session: Session;
  readonly item: QueuedReply;
  readonly channel: Channel;
  readonly send: (message: OutboundPiece) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** Later replies of the chat wait for it. */
const MAKE_MS = 60_000;
const PAUSES_MS: readonly Millis[] = [1000, 5000];
/** A platform that asks for more gets no voice note. */
const MAX_WAIT_MS = 30_000;

/** @returns the records of what has left; undefined when the process ends: what is missing goes at the next start. */
export async function speakReply(
  { session, item, channel, send, signal }: SpokenReply,
  options: SpeakOptions,
): Promise<readonly JournalRecord[] | undefined> {
  const { clock, log } = options;
  const { reply, to, kind, attempt } = item;
  const failed = (error: unknown): readonly JournalRecord[] | undefined => {
    if (signal.aborted) return undefined;
    log.warn("voice.not-sent", { reply, channel: channel.id, message: messageOf(error) });
    return [];
  };
  const { left, leaving } = session.state.outbox.find((one) => one.reply === reply) ?? item;
  const piece = (left?.piece ?? 0) + 1;
  const at = left?.to ?? 0;
  const repeated = leaving?.piece === piece;
  let spoken: Made | undefined;
  try {
    spoken =
      leaving?.sound === undefined
        ? await made(session, item, channel, options, signal)
        : { part: leaving.sound, cost: [] };
  } catch (error) {
    return failed(error);
  }
  if (spoken === undefined) return [];
  const { part, cost } = spoken;
  if (part.blob.bytes > (channel.can.media?.maxBytes ?? 0)) return cost;
  // With the intent, so that a process that dies here makes and pays nothing twice.
  await session.commit(...cost, {
    type: "reply.sending",
    reply,
    piece,
    from: at,
    to: at,
    attempt: attempt + 1,
    sound: part,
  });
  try {
    const message = { reply: `${reply}.voice`, to, kind, parts: [part], ...(repeated && { repeated }) };
    const id = await sent(message, send, clock, signal);
    return [{ type: "reply.sent", reply, piece, ...(id !== undefined && { id }) }];
  } catch (error) {
    return failed(error);
  }
}

interface Made {
  readonly part: MediaPart;
  /** What it cost. */
  readonly cost: readonly JournalRecord[];
}

/** @returns undefined: there is nothing to say, or nothing that says it. @throws what speech fails with. */
async function made(
  session: Session,
  { parts, voice: to = {} }: QueuedReply,
  { can }: Channel,
  { voice, spend, stop, clock, redact }: SpeakOptions,
  signal: AbortSignal,
): Promise<Made | undefined> {
  if (can.media === undefined || stop.on) return undefined;
  const speaker = await voice.speaker();
  if (speaker === undefined) return undefined;
  const text = spokenText(redact(textOf(parts)));
  if (text === "") return undefined;
  const late = new AbortController();
  using _late = clock.timer(MAKE_MS, () => late.abort(new Error(`no voice note was made within ${MAKE_MS / 1000} s`)));
  const within = AbortSignal.any([signal, late.signal, stop.signal]);
  const speak = (): ReturnType<Speaker["speak"]> => raceAbort(speaker.speak(text, can.voice ?? [], within), within);
  const { model } = speaker;
  if (model === undefined) return { part: (await speak()).part, cost: [] };
  const estimate = { purpose: "speech", tokens: speaker.tokens(text) };
  const spoken = await spend(paidBy(session.state, to), estimate, speak);
  if (spoken === undefined) throw new Error("no budget has room for it");
  const { part, usage = NO_USAGE } = spoken;
  return { part, cost: [{ type: "usage.counted", purpose: estimate.purpose, model, usage, ...to }] };
}

/** The words have arrived: a few attempts, and it is left at that. */
async function sent(
  message: OutboundPiece,
  send: SpokenReply["send"],
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  let next = message;
  for (const pause of PAUSES_MS)
    try {
      return await send(next);
    } catch (error) {
      const fault = channelFault(error);
      if (signal.aborted || (fault?.kind !== "again" && fault?.kind !== "slow-down")) throw error;
      const asked = fault.retryAfterMs ?? 0;
      if (asked > MAX_WAIT_MS) throw error;
      if (fault.sent !== "no") next = { ...message, repeated: true };
      await clock.sleep(Math.max(pause, asked), signal);
    }
  return send(next);
}
