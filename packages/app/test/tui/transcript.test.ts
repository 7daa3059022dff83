// What the chat shows is a fold over the session's events.
import { expect, test } from "vitest";
import type { AgentEvent, JsonObject, Message, SessionState, UserMessage } from "@margay/core";
import type { CallId, TurnId } from "@margay/core/internal";
import { follow, openTranscript } from "../../src/host/tui/follow.ts";
import { EMPTY_TRANSCRIPT, isShown, type Item, type Transcript } from "../../src/host/tui/transcript.ts";

const turn = "t1" as TurnId;
const call = "c1" as CallId;
const at = { seq: 1, at: 0 } as Pick<AgentEvent & { type: "turn.started" }, "seq" | "at">;
const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
const cli = { channel: "cli", chat: "direct" };

const person = (id: string, text: string): UserMessage => ({
  role: "user",
  id,
  at: 0,
  from: { id: "user", kind: "person" },
  parts: [{ type: "text", text }],
});
const received = (id: string, text: string): AgentEvent => ({
  ...at,
  type: "message.received",
  key: id,
  origin: cli,
  attended: true,
  message: person(id, text),
});
const started: AgentEvent = { ...at, type: "turn.started", turn, replyTo: cli, attended: true };
const requested = (...placed: string[]): AgentEvent => ({
  ...at,
  type: "model.requested",
  turn,
  attempt: 1,
  model: { provider: "p", model: "m" },
  placed,
  promptHash: "h",
  estimated: 1,
  tools: true,
});
const delta = (text: string): AgentEvent => ({ type: "text.delta", turn, index: 0, text });
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
const responded = (...given: Parameters<typeof assistant>): AgentEvent => ({
  ...at,
  type: "model.responded",
  turn,
  message: assistant(...given),
});
const ended: AgentEvent = { ...at, type: "turn.ended", turn, reason: "done", text: "", durationMs: 1, usage };
const queued = (text: string, kind: "reply" | "error" | "command" = "reply", reply = "r1"): AgentEvent => ({
  ...at,
  type: "reply.queued",
  reply,
  to: cli,
  kind,
  parts: [{ type: "text", text }],
});
const execCall = { type: "tool-call", callId: call, name: "exec", input: { command: "ls" } } as const;

const after = (...events: readonly AgentEvent[]): Transcript => events.reduce(follow, EMPTY_TRANSCRIPT);
const kinds = (transcript: Transcript): readonly string[] =>
  transcript.items.map((item) => {
    if (item.kind === "labelled" || item.kind === "aside") return `${item.kind}:${item.count}`;
    return `${item.kind}:${"text" in item ? item.text : item.status}`;
  });
const tool = (transcript: Transcript): Item | undefined => transcript.items.find((item) => item.kind === "tool");

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
  expect(isShown(shown, "r1", "anything")).toBe(true);
  expect(shown.turn).toBeUndefined();
});

test("text of an attempt that failed or was started again is taken back", () => {
  const failed: AgentEvent = {
    ...at,
    type: "model.failed",
    turn,
    error: { code: "provider.timeout", message: "slow", retryable: true },
    retryAt: 5,
  };
  expect(kinds(after(started, requested(), delta("half"), failed))).toEqual([]);
  expect(after(started, requested(), delta("half"), failed).turn?.doing).toBe("retrying");
  expect(kinds(after(started, delta("half"), { type: "text.restarted", turn }, delta("whole")))).toEqual([
    "assistant:whole",
  ]);
});

test("LP9 a message that arrives while a turn runs waits visibly and takes its place when the model gets it", () => {
  const waiting = after(started, requested(), responded([execCall], "tool-calls"), received("m2", "use pnpm"));
  expect(waiting.waiting).toEqual([{ id: "m2", text: "use pnpm" }]);
  const placed = follow(waiting, requested("m2"));
  expect(placed.waiting).toEqual([]);
  expect(kinds(placed)).toEqual(["tool:proposed", "user:use pnpm"]);
});

test("R70 withdrawn messages leave the list", () => {
  const waiting = after(started, received("m2", "a"), received("m3", "b"));
  expect(
    follow(waiting, { ...at, type: "messages.withdrawn", ids: ["m2"], by: { id: "user", kind: "person" } }).waiting.map(
      ({ id }) => id,
    ),
  ).toEqual(["m3"]);
});

test("R78 a question appears with the exact call, and goes when it is answered, expires or the turn ends", () => {
  const asked = after(started, responded([execCall], "tool-calls"), {
    ...at,
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
  expect(asked.approvals).toEqual([
    { call, name: "exec", input: { command: "ls" }, prompt: "exec: ls", hash: "h", expiresAt: 9 },
  ]);
  expect(tool(asked)).toMatchObject({ status: "asking" });
  const resolved: AgentEvent = { ...at, type: "approval.resolved", turn, call, verdict: "deny", by: "user" };
  expect(follow(asked, resolved).approvals).toEqual([]);
  expect(tool(follow(asked, resolved))).toMatchObject({ status: "denied" });
  expect(follow(asked, ended).approvals).toEqual([]);
});

test("a tool card follows its call: running with live output, then its result and time", () => {
  const running = after(
    started,
    responded([execCall], "tool-calls"),
    { ...at, type: "tool.started", turn, call, name: "exec", attempt: 1, effect: "write" },
    { type: "tool.progress", turn, call, text: "line 1\n" },
    { type: "tool.progress", turn, call, text: "line 2\n" },
  );
  expect(tool(running)).toMatchObject({ status: "running", progress: "line 1\nline 2\n" });
  const done = follow(running, {
    ...at,
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

const finishedWith = (details?: JsonObject): AgentEvent => ({
  ...at,
  type: "tool.finished",
  turn,
  durationMs: 1,
  attempts: 1,
  message: { role: "tool", at: 0, callId: call, name: "exec", parts: [], status: "ok" },
  ...(details !== undefined && { details: { exitCode: 0, ...details } }),
});

test("SC16 the end of a turn says once how many files became a stranger's in it", () => {
  const first = after(
    started,
    finishedWith({ labelledFiles: 2 }),
    finishedWith(),
    finishedWith({ labelledFiles: 1 }),
    responded([{ type: "text", text: "Done." }]),
    ended,
  );
  expect(kinds(first)).toEqual(["assistant:Done.", "labelled:3"]);
  const second = [started, finishedWith(), ended].reduce(follow, first);
  expect(kinds(second)).toEqual(kinds(first));
});

test("SC33 the end of a turn says once how many things were kept aside in it", () => {
  const kept = (...paths: readonly string[]): JsonObject => ({
    keptAside: paths.map((path) => ({ id: "1", path, why: path })),
  });
  const first = after(
    started,
    finishedWith(kept("a/.envrc", ".vimrc")),
    finishedWith({ ...kept(".npmrc"), keptAsideInAll: 12, labelledFiles: 1 }),
    ended,
  );
  expect(kinds(first)).toEqual(["aside:14", "labelled:1"]);
  const second = [started, finishedWith({ keptAside: "none" }), ended].reduce(follow, first);
  expect(kinds(second)).toEqual(kinds(first));
});

test("R55 R60 R182 a limit notice, an error and a command's answer are shown; progress for chats is not", () => {
  const limit = after(
    started,
    responded([{ type: "text", text: "So far." }]),
    ended,
    queued("So far.\n\n[reached the maximum of 3 tool calls]"),
  );
  expect(kinds(limit)).toEqual(["assistant:So far.", "note:[reached the maximum of 3 tool calls]"]);
  expect(kinds(after(queued("No key.", "error")))).toEqual(["note:No key."]);
  expect(kinds(after(queued("/help – this list", "command")))).toEqual(["note:/help – this list"]);
  expect(
    kinds(
      after({
        ...at,
        type: "reply.queued",
        reply: "r",
        to: cli,
        kind: "progress",
        parts: [{ type: "text", text: "exec" }],
      }),
    ),
  ).toEqual([]);
});

test("R181 after /new the screen is empty, and what was shown is still known", () => {
  const cleared = follow(after(received("m1", "hi"), queued("a", "command")), {
    ...at,
    type: "session.cleared",
    by: { id: "user", kind: "person" },
  });
  expect(cleared.items).toEqual([]);
  expect(cleared.shown.has("r1")).toBe(true);
});

test("LP7 a stopped answer is marked as cut off", () => {
  expect(after(started, responded([{ type: "text", text: "half" }], "cancelled")).items).toEqual([
    { kind: "assistant", text: "half", live: false, cut: true },
  ]);
});

test("LP2 opening a session in mid-turn shows its messages, the open question and what waits", () => {
  const grant = { rule: "exec", tool: "exec", scope: { command: "ls" }, shown: "exec: ls", always: true };
  // Only the fields a screen is made of.
  const state = {
    messages: [person("m1", "hi"), assistant([execCall], "tool-calls")],
    pending: [{ message: person("m2", "and now?"), origin: cli, attended: true }],
    turn: {
      id: turn,
      calls: [
        {
          status: "asked",
          call: execCall,
          effect: "write",
          prompt: "exec: ls",
          hash: "h",
          askedAt: 0,
          expiresAt: 9,
          grant,
        },
      ],
    },
  } as unknown as SessionState;
  const opened = openTranscript(state);
  expect(kinds(opened)).toEqual(["user:hi", "tool:asking"]);
  expect(opened.waiting).toEqual([{ id: "m2", text: "and now?" }]);
  expect(opened.approvals).toMatchObject([{ call, name: "exec", hash: "h", grant, expiresAt: 9 }]);
  expect(opened.turn).toEqual({ id: turn, doing: "tools" });
});

test("R429 the line below the answer says that nothing has come yet, until it does", () => {
  const waiting: AgentEvent = { type: "model.waiting", turn, waitedMs: 20_000 };
  const doing = (...events: AgentEvent[]): string | undefined =>
    [received("m1", "hi"), started, requested("m1"), ...events].reduce(follow, EMPTY_TRANSCRIPT).turn?.doing;
  expect([doing(waiting), doing(waiting, delta("Hi")), doing(delta("Hi"), waiting)]).toEqual([
    "waiting",
    "writing",
    "writing",
  ]);
});
