/** The transcript as a fold over a session's events. */
import type { AgentEvent, SessionState } from "@margay/core";
import { keptAsideOf, labelledFilesOf } from "@margay/core/internal/state";
import {
  addMessage,
  answered,
  ask,
  changeTool,
  dropLive,
  EMPTY_TRANSCRIPT,
  endTurn,
  finish,
  grow,
  note,
  place,
  textOf,
  type Transcript,
} from "./transcript.ts";

/** The screen for a session as it is now: its messages, an open turn, and what waits. */
export function openTranscript(state: SessionState): Transcript {
  let transcript = state.messages.reduce(addMessage, EMPTY_TRANSCRIPT);
  for (const call of state.turn?.calls ?? []) {
    if (call.status === "started") transcript = changeTool(transcript, call.call.callId, { status: "running" });
    if (call.status === "retrying") transcript = changeTool(transcript, call.call.callId, { status: "retrying" });
    if (call.status === "denied")
      transcript = changeTool(transcript, call.call.callId, { status: "denied", result: call.reason });
    if (call.status === "asked")
      transcript = ask(transcript, call.call.callId, {
        prompt: call.prompt,
        hash: call.hash,
        expiresAt: call.expiresAt,
        ...(call.grant !== undefined && { grant: call.grant }),
      });
  }
  for (const { call, prompt, hash, expiresAt, grant } of state.turn?.questions ?? [])
    transcript = ask(transcript, call, {
      ...{ prompt, hash, expiresAt, during: true },
      ...(grant !== undefined && { grant }),
    });
  return {
    ...transcript,
    waiting: state.pending.map(({ message }) => ({ id: message.id, text: textOf(message.parts) })),
    ...(state.turn && { turn: { id: state.turn.id, doing: state.turn.calls.length > 0 ? "tools" : "thinking" } }),
  };
}

/** One event later. */
export function follow(transcript: Transcript, event: AgentEvent): Transcript {
  switch (event.type) {
    case "message.received": {
      const waiting = { id: event.message.id, text: textOf(event.message.parts) };
      // Nothing runs: it is taken up at once, and a flash of "waiting" would only be noise.
      return transcript.turn
        ? { ...transcript, waiting: [...transcript.waiting, waiting] }
        : addMessage(transcript, event.message);
    }
    case "messages.withdrawn":
      return { ...transcript, waiting: transcript.waiting.filter(({ id }) => !event.ids.includes(id)) };
    case "messages.placed":
      return place(transcript, event.ids);
    case "model.requested":
      return { ...place(dropLive(transcript), event.placed), turn: { id: event.turn, doing: "thinking" } };
    case "turn.started":
      return { ...transcript, turn: { id: event.turn, doing: "thinking" } };
    case "text.delta":
      return { ...grow(transcript, "assistant", event.text), turn: { id: event.turn, doing: "writing" } };
    case "thinking.delta":
      return { ...grow(transcript, "thinking", event.text), turn: { id: event.turn, doing: "thinking" } };
    case "model.waiting":
      // Why it waits says more than that it does.
      return transcript.turn?.doing === "thinking"
        ? { ...transcript, turn: { id: event.turn, doing: "waiting" } }
        : transcript;
    case "text.restarted":
      return dropLive(transcript);
    case "model.responded":
      return { ...addMessage(dropLive(transcript), event.message), turn: { id: event.turn, doing: "tools" } };
    case "model.failed":
      return {
        ...dropLive(transcript),
        turn: { id: event.turn, doing: event.retryAt === undefined ? "thinking" : "retrying", error: event.error },
      };
    case "call.judged":
      if (event.verdict !== "ask") return transcript;
      return ask(transcript, event.call, {
        prompt: event.prompt ?? event.reason ?? "",
        ...(event.hash !== undefined && { hash: event.hash }),
        ...(event.expiresAt !== undefined && { expiresAt: event.expiresAt }),
        ...(event.grant !== undefined && { grant: event.grant }),
      });
    case "call.asked":
      return ask(transcript, event.call, {
        prompt: event.prompt,
        hash: event.hash,
        expiresAt: event.expiresAt,
        during: true,
        ...(event.grant !== undefined && { grant: event.grant }),
      });
    case "approval.resolved":
      // A call that asked while it ran goes on, whatever the answer was.
      return changeTool(answered(transcript, event.call), event.call, (tool) =>
        event.hash === undefined
          ? { status: event.verdict === "allow" ? "proposed" : "denied" }
          : tool.status === "asking"
            ? { status: "running" }
            : {},
      );
    case "question.closed":
      return transcript; // it can still be answered
    case "call.deferred":
    case "tool.started":
      return changeTool(transcript, event.call, { status: "running" });
    case "tool.progress":
      return changeTool(transcript, event.call, (tool) => ({ progress: tail(tool.progress + event.text) }));
    case "tool.failed":
      return changeTool(transcript, event.call, { status: "retrying", result: event.error.message });
    case "tool.finished": {
      const labelled = transcript.labelled + labelledFilesOf(event.details);
      const aside = transcript.aside + keptAsideOf(event.details).count;
      return { ...finish(transcript, event.message, event.durationMs), labelled, aside };
    }
    case "turn.ended":
      return endTurn(transcript);
    case "reply.queued":
      return queued(transcript, event);
    case "session.cleared":
      return { ...EMPTY_TRANSCRIPT, shown: transcript.shown };
    case "tool-call.delta":
    case "session.opened":
    case "prefix.frozen":
    case "journal.raised":
    case "command.handled":
    case "control.handled":
    case "context.endorsed":
    case "audience.set":
    case "skill.requested":
    case "notice.added":
    case "turn.cancelled":
    case "message.posted": // its reply.queued shows it
    case "usage.counted":
    case "reply.sending":
    case "reply.sent":
    case "reply.delivered":
    case "reply.failed":
    case "history.compacted":
    case "history.imported":
    case "memory.answered":
    case "memory.written":
    case "memory.archived":
    case "session.configured":
      return transcript;
  }
}

function queued(transcript: Transcript, event: Extract<AgentEvent, { type: "reply.queued" }>): Transcript {
  const shown = new Set([...transcript.shown, event.reply]);
  const text = textOf(event.parts);
  const next = { ...transcript, shown };
  // What goes to another chat is its tool card's business; progress and questions have their own places here.
  if (event.to.channel !== "cli" || event.kind === "progress" || event.kind === "approval") return next;
  if (event.kind === "error") return note(next, "error", text);
  if (event.kind === "command") return note(next, "answer", text);
  const last = transcript.items.findLast((item) => item.kind === "assistant");
  if (text.trim() === "" || (last && last.text.trim() === text.trim())) return next;
  // The reply may be longer than the streamed text: a limit notice, or all texts of the turn.
  if (last && last.text !== "" && text.startsWith(last.text))
    return note(next, "info", text.slice(last.text.length).trim());
  const texts = transcript.items.filter((item) => item.kind === "assistant").map((item) => item.text);
  return texts.length > 1 && text.endsWith(texts.slice(-2).join("")) ? next : note(next, "answer", text);
}

/** Live output is for watching; its end is what matters. */
function tail(text: string): string {
  return text.length > 4000 ? text.slice(-4000) : text;
}
