// What the chat shows is made of the view of the session, of live events and of its own notes.
import { expect, test } from "vitest";
import type { JournalRecord, JsonObject, Message, UserMessage } from "@margay/core";
import type { CallId, EndReason, LiveEvent, SessionId, TurnId } from "@margay/core/internal";
import { createConversation, isShown, type Conversation } from "../../src/host/tui/conversation.ts";
import type { Row } from "../../src/host/tui/rows.ts";

const turn = "t1" as TurnId;
const call = "c1" as CallId;
type Event = JournalRecord | LiveEvent;
const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
const cli = { channel: "cli", chat: "direct" };

const person = (id: string, text: string): UserMessage => ({
  role: "user",
  id,
  at: 0,
  from: { id: "user", kind: "person" },
  parts: [{ type: "text", text }],
});
const received = (id: string, text: string): Event => ({
  type: "message.received",
  key: id,
  origin: cli,
  attended: true,
  message: person(id, text),
});
const started: Event = { type: "turn.started", turn, replyTo: cli, attended: true };
const requested = (...placed: string[]): Event => ({
  type: "model.requested",
  turn,
  attempt: 1,
  model: { provider: "p", model: "m" },
  placed,
  promptHash: "h",
  estimated: 1,
  tools: true,
});
const delta = (text: string): Event => ({ type: "text.delta", turn, index: 0, text });
const assistant = (
  parts: Extract<Message, { role: "assistant" }>["parts"],
  finish: "stop" | "tool-calls" | "cancelled" = "stop",
): Extract<Message, { role: "assistant" }> => ({
  role: "assistant",
  at: 0,
  model: { provider: "p", model: "m" },
  parts,
  finish,
  usage,
});
const responded = (...given: Parameters<typeof assistant>): Event => ({
  type: "model.responded",
  turn,
  message: assistant(...given),
});
const ended: Event = { type: "turn.ended", turn, reason: "done", text: "", durationMs: 1, usage };
/** Of the turn after it. */
const next = { started: { ...started, turn: "t2" } as Event, ended: { ...ended, turn: "t2" } as Event };
const queued = (text: string, kind: "reply" | "error" | "command" = "reply", reply = "r1"): Event => ({
  type: "reply.queued",
  reply,
  to: cli,
  kind,
  parts: [{ type: "text", text }],
});
const execCall = { type: "tool-call", callId: call, name: "exec", input: { command: "ls" } } as const;

/** Each record is a commit, a millisecond after the one before. */
function on(conversation: Conversation, ...events: readonly Event[]): Conversation {
  for (const event of events) {
    if (isLive(event)) conversation.live(event);
    else {
      const seq = conversation.view.seq + 1;
      conversation.commit({ seq: seq as never, at: seq, records: [event] });
    }
  }
  return conversation;
}
function isLive(event: Event): event is LiveEvent {
  return event.type.endsWith(".delta") || LIVE.has(event.type);
}
const LIVE: ReadonlySet<string> = new Set(["tool.progress", "model.waiting", "text.restarted"]);
const after = (...events: readonly Event[]): Conversation => on(createConversation("s" as SessionId), ...events);
const kinds = ({ shown }: Conversation): readonly string[] =>
  shown.rows.map((row) => {
    if (row.kind === "labelled" || row.kind === "quarantined") return `${row.kind}:${row.count}`;
    return `${row.kind}:${"text" in row ? row.text : row.status}`;
  });
const tool = ({ shown }: Conversation): Row | undefined => shown.rows.find(({ kind }) => kind === "tool");

test("streamed text is replaced by what was recorded, and the reply is not shown twice", () => {
  const shown = after(
    received("m1", "hi"),
    started,
    requested("m1"),
    delta("Hel"),
    delta("lo"),
    responded([{ type: "text", text: "Hello" }]),
    ended,
    queued("Hello"),
  );
  expect(kinds(shown)).toEqual(["user:hi", "assistant:Hello"]);
  expect(isShown(shown, `${turn}:reply`, "anything")).toBe(true);
  expect(shown.shown.turn).toBeUndefined();
});

test("text of an attempt that failed or was started again is taken back", () => {
  const failed: Event = {
    type: "model.failed",
    turn,
    error: { code: "provider.timeout", message: "slow", retryable: true },
    retryAt: 5,
  };
  expect(kinds(after(started, requested(), delta("half"), failed))).toEqual([]);
  expect(after(started, requested(), delta("half"), failed).shown.turn?.doing).toBe("retrying");
  expect(kinds(after(started, delta("half"), { type: "text.restarted", turn }, delta("whole")))).toEqual([
    "assistant:whole",
  ]);
});

test("LP9 a message that arrives while a turn runs waits visibly and takes its place when the model gets it", () => {
  const waiting = after(started, requested(), responded([execCall], "tool-calls"), received("m2", "use pnpm"));
  expect(waiting.shown.waiting).toEqual([{ id: "m2", text: "use pnpm", mode: "steer" }]);
  const placed = on(waiting, requested("m2"));
  expect(placed.shown.waiting).toEqual([]);
  expect(kinds(placed)).toEqual(["tool:proposed", "user:use pnpm"]);
});

test("R70 withdrawn messages leave the list", () => {
  const waiting = after(started, received("m2", "a"), received("m3", "b"));
  on(waiting, { type: "messages.withdrawn", ids: ["m2"], by: { id: "user", kind: "person" } });
  expect(waiting.shown.waiting.map(({ id }) => id)).toEqual(["m3"]);
  expect(kinds(waiting)).toEqual([]);
});

test("R78 a question appears with the exact call, and goes when it is answered, expires or the turn ends", () => {
  const asked = (): Conversation =>
    after(started, responded([execCall], "tool-calls"), {
      type: "call.judged",
      turn,
      call,
      effect: "write",
      verdict: "ask",
      rule: "exec",
      prompt: "exec: ls",
      hash: "h",
      expiresAt: 9,
    });
  expect(asked().shown.approvals).toEqual([
    {
      ...{ call, name: "exec", input: { command: "ls" }, prompt: "exec: ls", hash: "h", expiresAt: 9 },
      ...{ rule: "exec", why: "exec", risk: [] },
    },
  ]);
  expect(tool(asked())).toMatchObject({ status: "asking" });
  const resolved: Event = { type: "approval.resolved", turn, call, verdict: "deny", by: "user" };
  expect(on(asked(), resolved).shown.approvals).toEqual([]);
  expect(tool(on(asked(), resolved))).toMatchObject({ status: "denied" });
  expect(on(asked(), ended).shown.approvals).toEqual([]);
});

test("a tool card follows its call: running with live output, then its result and time", () => {
  const running = after(
    started,
    responded([execCall], "tool-calls"),
    { type: "tool.started", turn, call, name: "exec", attempt: 1, effect: "write" },
    { type: "tool.progress", turn, call, text: "line 1\n" },
    { type: "tool.progress", turn, call, text: "line 2\n" },
  );
  expect(tool(running)).toMatchObject({ status: "running", progress: "line 1\nline 2\n" });
  const done = on(running, {
    type: "tool.finished",
    turn,
    durationMs: 1200,
    attempts: 1,
    message: {
      role: "tool",
      at: 0,
      callId: call,
      name: "exec",
      parts: [{ type: "text", text: "Exit code: 1" }],
      status: "error",
    },
  });
  expect(tool(done)).toMatchObject({ status: "error", result: "Exit code: 1", durationMs: 1200 });
});

/** A call with its result. */
const finishedWith = (details?: JsonObject): readonly Event[] => {
  const callId = `c${(count += 1)}` as CallId;
  return [
    responded([{ type: "tool-call", callId, name: "exec", input: {} }], "tool-calls"),
    {
      type: "tool.finished",
      turn,
      durationMs: 1,
      attempts: 1,
      message: { role: "tool", at: 0, callId, name: "exec", parts: [], status: "ok" },
      ...(details !== undefined && { details: { exitCode: 0, ...details } }),
    },
  ];
};
let count = 1;
/** Without the cards of the calls. */
const said = (conversation: Conversation): readonly string[] =>
  kinds(conversation).filter((kind) => !kind.startsWith("tool:"));

test("SC16 the end of a turn says once how many files became a stranger's in it", () => {
  const chat = after(
    started,
    ...finishedWith({ labelledFiles: 2 }),
    ...finishedWith(),
    ...finishedWith({ labelledFiles: 1 }),
    responded([{ type: "text", text: "Done." }]),
    ended,
  );
  expect(said(chat)).toEqual(["assistant:Done.", "labelled:3"]);
  on(chat, next.started, ...finishedWith(), next.ended);
  expect(said(chat)).toEqual(["assistant:Done.", "labelled:3"]);
});

test("SC33 the end of a turn says once how many things were kept aside in it", () => {
  const kept = (...paths: readonly string[]): JsonObject => ({
    keptAside: paths.map((path) => ({ id: "1", path, why: path })),
  });
  const chat = after(
    started,
    ...finishedWith(kept("a/.envrc", ".vimrc")),
    ...finishedWith({ ...kept(".npmrc"), keptAsideInAll: 12, labelledFiles: 1 }),
    ended,
  );
  expect(said(chat)).toEqual(["quarantined:14", "labelled:1"]);
  on(chat, next.started, ...finishedWith({ keptAside: "none" }), next.ended);
  expect(said(chat)).toEqual(["quarantined:14", "labelled:1"]);
});

test("R55 R60 R182 a limit notice, an error and a command's answer are shown; progress for chats is not", () => {
  const end = (reason: EndReason, notice: string): Event => ({ ...ended, reason, notice }) as Event;
  const notice = "[reached the maximum of 3 tool calls]";
  const limit = after(
    started,
    responded([{ type: "text", text: "So far." }]),
    end("limit", notice),
    queued(`So far.\n\n${notice}`),
  );
  expect(limit.shown.rows.slice(1)).toEqual([{ kind: "note", tone: "info", text: notice }]);
  expect(kinds(limit)).toEqual(["assistant:So far.", `note:${notice}`]);
  const failed = after(started, end("failed", "No key."), queued("No key.", "error"));
  expect(failed.shown.rows).toEqual([{ kind: "note", tone: "error", text: "No key." }]);
  expect(kinds(after(queued("/help – this list", "command")))).toEqual(["note:/help – this list"]);
  expect(
    kinds(
      after({
        type: "reply.queued",
        reply: "r",
        to: cli,
        kind: "progress",
        parts: [{ type: "text", text: "exec" }],
      }),
    ),
  ).toEqual([]);
});

test("a command is shown when it is typed, and once when its answer comes", () => {
  const chat = after();
  const by = { id: "user", kind: "person" } as const;
  chat.note({ kind: "user", text: "/help" }, "k1");
  expect(kinds(chat)).toEqual(["user:/help"]);
  on(chat, { type: "command.handled", key: "cli\nk1", text: "/help", by }, queued("this list", "command"));
  expect(kinds(chat)).toEqual(["user:/help", "note:this list"]);
  chat.note({ kind: "note", tone: "info", text: "of our own" });
  on(chat, received("m1", "hi"));
  expect(kinds(chat)).toEqual(["user:/help", "note:this list", "note:of our own", "user:hi"]);
});

test("R181 after /new the screen is empty, and what was shown is still known", () => {
  const by = { id: "user", kind: "person" } as const;
  const before = after(received("m1", "hi"), started, responded([{ type: "text", text: "Hello" }]), ended);
  expect(before.shown.contextTokens).toBe(110);
  const cleared = on(before, queued("a", "command"), { type: "session.cleared", by });
  expect(cleared.shown).toEqual({ rows: [], waiting: [], approvals: [], contextTokens: 0 });
  expect(isShown(cleared, "r1", "a")).toBe(true);
});

test("LP7 a stopped answer is marked as cut off", () => {
  expect(after(started, responded([{ type: "text", text: "half" }], "cancelled")).shown.rows).toEqual([
    { kind: "assistant", text: "half", live: false, cut: true },
  ]);
});

test("LP2 opening a session in mid-turn shows its messages, the open question and what waits", () => {
  const grant = { rule: "exec", tool: "exec", scope: { command: "ls" }, shown: "exec: ls", always: true } as const;
  const { shown, ...opened } = after(
    received("m1", "hi"),
    started,
    requested("m1"),
    responded([execCall], "tool-calls"),
    received("m2", "and now?"),
    {
      type: "call.judged",
      ...{ turn, call, effect: "write", verdict: "ask", rule: "exec", prompt: "exec: ls", hash: "h", expiresAt: 9 },
      grant,
    },
  );
  expect(kinds({ shown, ...opened })).toEqual(["user:hi", "tool:asking"]);
  expect(shown.waiting).toEqual([{ id: "m2", text: "and now?", mode: "steer" }]);
  expect(shown.approvals).toMatchObject([
    { call, name: "exec", hash: "h", grant: { shown: "exec: ls", always: true }, expiresAt: 9 },
  ]);
  expect(shown.turn).toEqual({ doing: "tools", since: 2 });
});

test("R429 the line below the answer says that nothing has come yet, until it does", () => {
  const waiting: Event = { type: "model.waiting", turn, waitedMs: 20_000 };
  const doing = (...events: Event[]): string | undefined =>
    after(received("m1", "hi"), started, requested("m1"), ...events).shown.turn?.doing;
  expect([doing(waiting), doing(waiting, delta("Hi")), doing(delta("Hi"), waiting)]).toEqual([
    "waiting",
    "writing",
    "writing",
  ]);
});
