/** Voice notes that wait for a turn, written down: each once, what it says and what it cost in one commit. */
import type { Clock, Logger } from "../../contract/base.ts";
import type { WithUsage } from "../../contract/agent.ts";
import type { MediaPart } from "../../contract/message.ts";
import type { JournalRecord } from "../../contract/record.ts";
import type { BlobStore } from "../../contract/services.ts";
import type { Session, SessionState, Waiting } from "../../contract/session.ts";
import type { Transcriber, VoiceOptions } from "../../contract/channel.ts";
import { messageOf, RuntimeError } from "../../lib/errors/errors.ts";
import { neutral } from "../../lib/neutral.ts";
import { unheardNote } from "../../lib/text.ts";
import { paidBy, type Spend } from "./spending.ts";

export interface HearOptions {
  readonly voice: Pick<VoiceOptions, "transcriber">;
  readonly blobs: Pick<BlobStore, "read">;
  readonly spend: Spend;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
  readonly redact: (text: string) => string;
}

const PURPOSE = "transcription";
/** What a later attempt may cure gets one more, soon: a person waits. */
const AGAIN_MS = 1000;

type Heard = Pick<Extract<JournalRecord, { type: "voice.transcribed" }>, "text" | "model" | "usage">;

/** @throws `signal.reason` when aborted: what is not written down then is at the next start. */
export async function hear(session: Session, options: HearOptions, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const waiting = session.state.pending.find(({ message }) => unheardNote(message) !== undefined);
    const note = waiting && unheardNote(waiting.message);
    if (waiting === undefined || note === undefined) return;
    const heard = await writtenDown(note, paidBy(session.state, waiting), options, signal);
    const { id } = waiting.message;
    const now = session.state.pending.find(({ message }) => message.id === id);
    if (now !== undefined && unheardNote(now.message)?.blob.sha256 === note.blob.sha256)
      await session.commit({ type: "voice.transcribed", message: id, ...heard });
    else await session.commit(...spentOn(heard, waiting)); // its author has taken it back meanwhile: what it says is nobody's to know
  }
}

function spentOn({ model, usage }: Heard, { speaker }: Waiting): readonly JournalRecord[] {
  if (model === undefined || usage === undefined) return [];
  return [{ type: "usage.counted", purpose: PURPOSE, model, usage, ...(speaker !== undefined && { speaker }) }];
}

async function writtenDown(
  note: MediaPart,
  state: SessionState,
  options: HearOptions,
  signal: AbortSignal,
): Promise<Heard> {
  const { voice, blobs, spend, log, redact } = options;
  try {
    const transcriber = await voice.transcriber();
    if (transcriber === undefined)
      return { text: "[voice note; nobody wrote down what it says: no transcription model is set]" };
    const bytes = await blobs.read(note.blob);
    const estimate = { purpose: PURPOSE, tokens: transcriber.tokens(bytes) };
    const heard = await spend(state, estimate, () => transcribed(transcriber, bytes, options, signal));
    if (heard === undefined) return { text: "[voice note; nobody wrote down what it says: no budget has room for it]" };
    // Somebody may play something to us that they did not say.
    const said = neutral(redact(heard.value)).trim();
    const text = said === "" ? "[voice note in which nothing is said]" : `[voice note] ${said}`;
    return { text, model: transcriber.model, usage: heard.usage };
  } catch (error) {
    signal.throwIfAborted();
    log.warn("voice.not-transcribed", { session: state.id, message: messageOf(error) });
    return { text: `[voice note; nobody wrote down what it says: ${redact(messageOf(error))}]` };
  }
}

async function transcribed(
  transcriber: Transcriber,
  bytes: Uint8Array,
  { clock }: Pick<HearOptions, "clock">,
  signal: AbortSignal,
): Promise<WithUsage<string>> {
  try {
    return await transcriber.transcribe(bytes, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RuntimeError) || !error.retryable) throw error;
    await clock.sleep(AGAIN_MS, signal);
    return transcriber.transcribe(bytes, signal);
  }
}
