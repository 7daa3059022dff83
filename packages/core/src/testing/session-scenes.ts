// What the session suites let happen in a session: messages, whole turns, readers.

import type { Seq, TurnId } from "../contract/base.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session } from "../contract/session.ts";
import { CHAT, userMessage } from "./conformance.ts";

/** A person's message arrives. */
export function receive(session: Session, key: string, text: string): Promise<Session["state"]> {
  return session.commit({
    type: "message.received",
    key,
    origin: CHAT,
    attended: true,
    message: userMessage(key, text),
  });
}

/** A whole turn: question, request, answer, end. */
export async function turn(session: Session, number: number, question: string = `question ${number}`): Promise<void> {
  const id = `turn-${number}` as TurnId; // as the loop would mint it
  const model = { provider: "mock", model: "m" };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const key = `key-${number}`;
  const steps: readonly (readonly JournalRecord[])[] = [
    [{ type: "message.received", key, origin: CHAT, attended: true, message: userMessage(key, question) }],
    [{ type: "turn.started", turn: id, replyTo: CHAT, attended: true }],
    [
      {
        type: "model.requested",
        turn: id,
        attempt: 1,
        model,
        placed: [`message-${key}`],
        promptHash: "",
        estimated: 0,
        tools: false,
      },
    ],
    [
      {
        type: "model.responded",
        turn: id,
        message: {
          role: "assistant",
          at: 2000,
          model,
          parts: [{ type: "text", text: `answer ${number}` }],
          finish: "stop",
          usage,
        },
      },
    ],
    [
      { type: "turn.ended", turn: id, reason: "done", text: `answer ${number}`, durationMs: 1, usage },
      {
        type: "reply.queued",
        reply: `reply-${number}`,
        to: CHAT,
        kind: "reply",
        parts: [{ type: "text", text: `answer ${number}` }],
      },
    ],
  ];
  for (const records of steps) await session.commit(...records);
}

/** What the person said, placed or waiting. */
export function texts(session: Session | undefined): readonly string[] {
  const messages = [
    ...(session?.state.messages ?? []),
    ...(session?.state.pending ?? []).map((waiting) => waiting.message),
  ];
  return messages
    .filter((message) => message.role === "user")
    .flatMap((message) => message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
}

/** Sequence numbers of the durable events after a position, up to `last`. */
export async function collect(
  session: Session,
  after: Seq,
  last: number,
): Promise<{ readonly after: number; readonly seen: readonly number[] }> {
  const controller = new AbortController();
  const seen: number[] = [];
  try {
    for await (const event of session.events(after, controller.signal)) {
      if (!("seq" in event)) continue;
      seen.push(event.seq);
      if (event.seq >= last) controller.abort();
    }
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  }
  return { after, seen };
}
