/** The answer to a request, read to its end whether or not the client stays. */
import { hasCode, type AgentEvent, type Session } from "@margay/core";
import { asyncQueue, messageOf, type TurnId } from "@margay/core/internal";
import type { App } from "../../../app.ts";
import { answerEvents, type AnswerEnd, type AnswerEvent, type AnswerStart } from "./events.ts";
import type { Ask, Asked } from "../asking.ts";
import { calledText } from "../client-tools.ts";
import type { Place } from "../place.ts";
import { interrupted, notTaken } from "../errors.ts";
import { noteRestart } from "./restarted.ts";
import { fingerprintOf, type Said } from "../messages.ts";
import type { OpenAiState } from "../state.ts";

export interface Entered {
  readonly place: Place;
  readonly session: Session;
  readonly leave: () => void;
}

export interface Sent {
  readonly events: AsyncIterable<AgentEvent>;
  readonly start: AnswerStart;
  /** Rejects when the message was refused. */
  readonly taken: Promise<unknown>;
  readonly stop: () => void;
  readonly end: () => void;
  readonly segment?: Exclude<Asked["segment"], undefined>;
}

interface Followed extends Entered {
  readonly given: Ask;
  readonly sent: Sent;
}

/** Reads the answer to its end even when the client has left: what it will send next time has to be known. */
export function follow({ given, place, session, leave, sent }: Followed, app: App, state: OpenAiState): Asked {
  const events = asyncQueue<AnswerEvent>();
  const stop = given.stop(place);
  stop?.addEventListener("abort", sent.stop, { once: true });
  if (stop?.aborted === true) sent.stop();
  let begun: TurnId | undefined;
  let ended = false;
  const pump = async (): Promise<void> => {
    try {
      for await (const event of answerEvents(sent.events, sent.start, app.inside.redact)) {
        given.reply.push(event);
        if (event.type === "restarted" && event.shown && given.streamed) {
          // The stream ends here; the turn goes on for the one who asks again.
          stop?.removeEventListener("abort", sent.stop);
          noteRestart(given, place, app, state.restarted);
        }
        if (event.type === "started") begun = event.turn;
        if (event.type === "ended") {
          ended = true;
          remember(given, place, app, state, { end: event, turn: begun });
        }
        events.push(event);
      }
    } finally {
      // The connection closes after its answer: that is no reason to stop a turn that waits for the client.
      stop?.removeEventListener("abort", sent.stop);
      sent.end();
      leave();
      events.end();
    }
  };
  const pumped = pump();
  const finished = pumped.catch((error: unknown) => app.log.error("api.answer", { message: messageOf(error) }));
  sent.taken.catch(() => {}); // thrown below, when somebody reads
  return {
    session,
    place,
    finished,
    turn: () => begun,
    ...(sent.segment !== undefined && { segment: sent.segment }),
    events: (async function* () {
      yield* events;
      await pumped;
      if (ended) return;
      try {
        await sent.taken;
      } catch (error) {
        throw failureOf(error);
      }
    })(),
  };
}

function failureOf(error: unknown): unknown {
  if (hasCode(error, "inbox.refused")) return notTaken(error.message, error.details);
  // The process stops; the turn goes on at its next start.
  return hasCode(error, "turn.cancelled") || hasCode(error, "process.stopping") ? interrupted() : error;
}

/** What the client has seen of the session; before an answer nothing, so that nobody else continues there. */
export function remember(
  { token, keepMs, conversation, reply }: Ask,
  { key, name, space, named }: Place,
  app: App,
  { index }: OpenAiState,
  answer?: { readonly end: AnswerEnd; readonly turn: TurnId | undefined },
): void {
  const at = app.clock.now();
  const isAnswer = answer !== undefined && answer.end.finish !== "cancelled" && answer.end.finish !== "failed";
  index.remember({
    key,
    token,
    name,
    space,
    fingerprint: isAnswer ? fingerprintOf([...conversation.said, answerSaid(reply.text, answer.end)]) : "",
    at,
    ...(answer?.end.finish === "calls" && answer.turn !== undefined && { waiting: answer.turn }),
    ...(!named && { expiresAt: at + keepMs }),
  });
}

function answerSaid(text: string, { calls = [] }: AnswerEnd): Said {
  const texts = [text, ...calls.map((call) => calledText(call.name, call.arguments))];
  return { role: "assistant", pieces: texts.map((each) => ({ type: "text", text: each })) };
}
