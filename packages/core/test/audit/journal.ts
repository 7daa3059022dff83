// Commits of one session, written the way the loop writes them.
import type { CallId, Json, Seq, SessionId, TurnId } from "../../src/contract/base.ts";
import type { AssistantPart, ContentPart, Finish, ToolStatus } from "../../src/contract/message.ts";
import type { Commit, EndReason, ErrorInfo, JournalRecord } from "../../src/contract/record.ts";
import type { SessionState } from "../../src/contract/session.ts";
import type { CommitObserver } from "../../src/contract/services.ts";
import { emptyState, fold } from "../../src/session/reduce.ts";

export const start: number = Date.UTC(2026, 10, 21, 10, 0, 0, 0);
const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
export const person = { id: "7", name: "Ada", kind: "person" } as const;

export interface Journal {
  readonly id: SessionId;
  readonly commits: Commit[];
  readonly state: SessionState;
  commit(...records: readonly JournalRecord[]): Commit;
  message(
    text: string | readonly ContentPart[],
    from?: { readonly id: string; readonly kind: "person" | "agent" | "schedule" },
  ): string;
  begin(): TurnId;
  request(turn: TurnId, ...placed: readonly string[]): void;
  respond(turn: TurnId, parts: readonly AssistantPart[], finish?: Finish): void;
  call(name: string, input: Json, inputText?: string): Extract<AssistantPart, { type: "tool-call" }>;
  judge(turn: TurnId, call: CallId, verdict: "allow" | "deny" | "ask", rule?: string): void;
  run(turn: TurnId, call: CallId, name: string): void;
  finish(
    turn: TurnId,
    call: CallId,
    name: string,
    result: string | readonly ContentPart[],
    status?: ToolStatus,
    durationMs?: number,
    attempts?: number,
  ): void;
  end(turn: TurnId, text: string, reason?: EndReason, error?: ErrorInfo): void;
  /** A whole turn: message, one call with its result, answer. */
  turn(text: string, tool: string, result: string, answer: string): void;
  text(text: string): AssistantPart;
}

/**
 * @param observers Told of every commit as it is made.
 * @param from When it begins; a commit every second.
 */
export function journal(
  key = "telegram:42",
  observers: readonly CommitObserver[] = [],
  opened: Partial<Extract<JournalRecord, { type: "session.opened" }>> = {},
  from: number = start,
): Journal {
  const id = `${key.replace(/[^a-z0-9]+/g, "-")}-00000000` as SessionId;
  let state = emptyState(id);
  let counter = 0;
  const commits: Commit[] = [];
  const commit = (...records: readonly JournalRecord[]): Commit => {
    const made: Commit = { seq: (commits.length + 1) as Seq, at: from + commits.length * 1_000, records };
    commits.push(made);
    state = fold(state, made);
    for (const observer of observers) observer.observe(state, made, false);
    return made;
  };
  commit({
    type: "session.opened",
    version: 1,
    key,
    origin: { channel: key.split(":")[0] ?? "", chat: key.split(":")[1] ?? "" },
    ...opened,
  });
  const self: Journal = {
    id,
    commits,
    get state() {
      return state;
    },
    commit,
    message: (text, from = person) => {
      const message = `m${++counter}`;
      const parts: readonly ContentPart[] = typeof text === "string" ? [{ type: "text", text }] : text;
      commit({
        type: "message.received",
        key: message,
        origin: state.origin,
        attended: true,
        message: { role: "user", id: message, at: start + commits.length * 1_000, from, parts },
      });
      return message;
    },
    begin: () => {
      const turn = `turn-${++counter}` as TurnId;
      commit({ type: "turn.started", turn, replyTo: state.origin, attended: true });
      return turn;
    },
    request: (turn, ...placed) =>
      void commit({
        type: "model.requested",
        turn,
        attempt: 1,
        model: { provider: "p", model: "m" },
        placed,
        promptHash: "",
        estimated: 10,
        tools: true,
      }),
    respond: (turn, parts, finish = parts.some((part) => part.type === "tool-call") ? "tool-calls" : "stop") =>
      void commit({
        type: "model.responded",
        turn,
        message: {
          role: "assistant",
          at: start + commits.length * 1_000,
          model: { provider: "p", model: "m" },
          parts,
          finish,
          usage,
        },
      }),
    call: (name, input, inputText) => ({
      type: "tool-call",
      callId: `call-${++counter}` as CallId,
      name,
      input,
      ...(inputText !== undefined && { inputText }),
    }),
    judge: (turn, call, verdict, rule = "workspace") =>
      void commit({
        type: "call.judged",
        turn,
        call,
        effect: "read",
        verdict,
        rule,
        ...(verdict === "ask" && { prompt: "?", hash: "h", expiresAt: start }),
      }),
    run: (turn, call, name) => void commit({ type: "tool.started", turn, call, name, attempt: 1, effect: "read" }),
    finish: (turn, call, name, result, status = "ok", durationMs = 12, attempts = 1) =>
      void commit({
        type: "tool.finished",
        turn,
        message: {
          role: "tool",
          at: start + commits.length * 1_000,
          callId: call,
          name,
          parts: typeof result === "string" ? [{ type: "text", text: result }] : result,
          status,
        },
        durationMs,
        attempts,
      }),
    end: (turn, text, reason = "done", error) =>
      void commit({
        type: "turn.ended",
        turn,
        reason,
        text,
        durationMs: 900,
        usage,
        ...(error !== undefined && { error }),
      }),
    turn: (text, tool, result, answer) => {
      const message = self.message(text);
      const turn = self.begin();
      self.request(turn, message);
      const call = self.call(tool, { path: "notes.txt" });
      self.respond(turn, [call]);
      self.judge(turn, call.callId, "allow");
      self.run(turn, call.callId, tool);
      self.finish(turn, call.callId, tool, result);
      self.request(turn);
      self.respond(turn, [self.text(answer)]);
      self.end(turn, answer);
    },
    text: (text) => ({ type: "text", text }),
  };
  return self;
}

/** Tells an observer of a journal as `open` does after a restart. */
export function replay(observer: CommitObserver, { id, commits }: Pick<Journal, "id" | "commits">): void {
  let state = emptyState(id);
  for (const commit of commits) {
    state = fold(state, commit);
    observer.observe(state, commit, true);
  }
}
