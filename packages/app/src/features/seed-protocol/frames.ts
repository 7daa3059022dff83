/** What happens in a session, in the frames of the seeds: a projection, without a memory of its own. */
import type { Commit, JournalRecord } from "@margay/core";
import type { CallId, LiveEvent, SessionId, TurnId } from "@margay/core/internal";
import type { JsonObject } from "@margay/core";

export interface SeedProjection {
  commit(commit: Commit): void;
  live(event: LiveEvent): void;
  /** The client asked to stop: nothing more of this turn but its end. */
  mute(): void;
}

export interface SeedOptions {
  readonly session: SessionId;
  /** `stream`, or the name the client asked for. */
  readonly chunk: string;
  readonly send: (frame: JsonObject) => void;
}

export function projectSeed({ session, chunk, send: out }: SeedOptions): SeedProjection {
  let seq = 0;
  let turn: TurnId | undefined;
  let message = "";
  let muted = false;
  let spoke = false;
  /** Of the response that is being streamed. */
  let streamed = "";
  /** White space that may be the end of the answer, which has none. */
  let held = "";
  const calls = new Map<CallId, { readonly tool: string; readonly arguments: JsonObject[string] }>();

  const send = (frame: JsonObject): void => out({ ...frame, session_id: session, sessionId: session, seq });
  const say = (text: string): void => {
    if (muted || text === "") return;
    const all = held + text;
    const end = all.trimEnd().length;
    held = all.slice(end);
    if (end === 0) return;
    spoke = true;
    send({ type: chunk, content: all.slice(0, end) });
  };
  const sayWhole = (text: string): void => {
    if (muted || text === "") return;
    held = "";
    send({ type: chunk, content: spoke ? `\n\n${text}` : text });
    spoke = true;
  };
  const named = (call: CallId): JsonObject => ({
    callId: call,
    call_id: call,
    tool: calls.get(call)?.tool ?? "",
    arguments: calls.get(call)?.arguments ?? {},
  });
  const restart = (): void => {
    if (streamed !== "" && !muted) send({ type: "stream_restart" });
    streamed = "";
    held = "";
  };
  const begin = (id: TurnId, opening: string): void => {
    turn = id;
    message = opening;
    spoke = false;
    streamed = "";
    held = "";
    muted = false;
    calls.clear();
  };

  const take = (record: JournalRecord): void => {
    switch (record.type) {
      case "turn.started":
        return begin(record.turn, record.message ?? record.turn);
      case "model.requested":
        if (turn === undefined) begin(record.turn, record.placed[0] ?? record.turn); // came in the middle
        streamed = "";
        return;
      case "model.failed":
        return record.retryAt === undefined ? undefined : restart();
      case "model.responded": {
        const text = record.message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
        // What no delta brought: a provider that does not stream, or a client that came late.
        if (text.startsWith(streamed)) say(text.slice(streamed.length));
        streamed = "";
        for (const part of record.message.parts)
          if (part.type === "tool-call") calls.set(part.callId, { tool: part.name, arguments: part.input });
        return;
      }
      case "tool.started":
        if (record.attempt === 1 && !muted) send({ type: "tool_call", ...named(record.call) });
        return;
      case "tool.finished": {
        if (muted) return;
        const { message: result, durationMs } = record;
        const text = result.parts.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("");
        return send({
          type: "tool_result",
          ...named(result.callId),
          ...(result.status === "ok" ? { result: text } : { error: text }),
          duration: durationMs,
        });
      }
      case "turn.ended": {
        if (record.reason === "limit" && record.notice !== undefined) sayWhole(record.notice);
        if (record.error !== undefined && record.reason !== "cancelled")
          send({ type: "error", code: record.error.code, message: record.notice ?? record.error.message });
        send({
          type: "message_complete",
          message_id: message === "" ? record.turn : message,
          status: STATUS[record.reason],
        });
        turn = undefined;
        muted = false;
        return;
      }
      case "reply.queued":
        // A command's answer, and what was sent unasked, have no turn.
        if (record.kind !== "command" && record.kind !== "message") return;
        if (turn !== undefined || record.call !== undefined) return;
        send({
          type: chunk,
          content: record.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"),
        });
        return send({ type: "message_complete", message_id: record.reply, status: "done" });
      default: // not part of this view
    }
  };

  return {
    commit: (commit) => {
      ({ seq } = commit);
      for (const record of commit.records) take(record);
    },
    live: (event) => {
      if (muted) return;
      switch (event.type) {
        case "text.delta":
          streamed += event.text;
          return say(event.text);
        case "tool.progress":
          return send({ type: "tool_progress", ...named(event.call), message: event.text });
        case "text.restarted":
          return restart();
        case "thinking.delta":
        case "tool-call.delta":
        case "model.waiting":
      }
    },
    mute: () => {
      muted = turn !== undefined;
    },
  };
}

const STATUS = { done: "done", limit: "limit", cancelled: "cancelled", failed: "failed", budget: "failed" } as const;
