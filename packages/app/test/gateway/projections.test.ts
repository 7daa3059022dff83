// Frames of the seeds and answers of /v1 are pure over what happens in a session: recorded once, byte for byte.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentEvent, JournalRecord, JsonObject } from "@margay/core";
import type { CallId, LiveEvent, SessionId, TurnId } from "@margay/core/internal";
import { createResponseFold } from "../../src/features/openai-api/responses/response-events.ts";
import { answerEvents, type AnswerEvent, type AnswerStart } from "../../src/features/openai-api/reply/events.ts";
import { projectSeed } from "../../src/features/seed-protocol/frames.ts";

type Step = readonly JournalRecord[] | LiveEvent | "mute";

const turn = "t1" as TurnId;
const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
const web = { channel: "web", chat: "chat" };
const user = { id: "user", kind: "person" } as const;
const model = { provider: "p", model: "m" };

const delta = (text: string): LiveEvent => ({ type: "text.delta", turn, index: 0, text });
const received = (id: string): JournalRecord => ({
  type: "message.received",
  key: id,
  origin: web,
  attended: true,
  message: { role: "user", id, at: 0, from: user, parts: [{ type: "text", text: "hi" }] },
});
const started: JournalRecord = { type: "turn.started", turn, replyTo: web, attended: true, message: "m1" };
const requested = (...placed: string[]): JournalRecord => ({
  type: "model.requested",
  ...{ turn, attempt: 1, model, placed, promptHash: "h", estimated: 1, tools: true },
});
type Assistant = Extract<JournalRecord, { type: "model.responded" }>["message"];
const responded = (parts: Assistant["parts"], finish: Assistant["finish"] = "stop"): JournalRecord => ({
  type: "model.responded",
  turn,
  message: { role: "assistant", at: 0, model, parts, finish, usage },
});
const call = (id: string, name: string): Assistant["parts"][number] => ({
  ...{ type: "tool-call", callId: id as CallId, name, input: { path: "a" } },
});
const toolStarted = (id: string, attempt = 1): JournalRecord => ({
  ...{ type: "tool.started", turn, call: id as CallId, name: "read_file", attempt, effect: "read" },
});
const finished = (id: string, status: "ok" | "error"): JournalRecord => ({
  type: "tool.finished",
  ...{ turn, durationMs: 5, attempts: 1 },
  message: {
    ...{ role: "tool", at: 0, callId: id as CallId, name: "read_file", status },
    parts: [
      { type: "text", text: "one " },
      { type: "text", text: "two" },
    ],
  },
});
const failed = (retryAt?: number): JournalRecord => ({
  type: "model.failed",
  turn,
  error: { code: "provider.timeout", message: "slow", retryable: true },
  ...(retryAt !== undefined && { retryAt }),
});
type End = Extract<JournalRecord, { type: "turn.ended" }>;
const ended = (reason: End["reason"], more: Partial<End> = {}): JournalRecord => ({
  ...{ type: "turn.ended", turn, reason, text: "", durationMs: 1, usage },
  ...more,
});
const queued = (kind: "reply" | "command" | "message", text: string, of?: string): JournalRecord => ({
  ...{ type: "reply.queued", reply: `r:${kind}`, to: web, kind, parts: [{ type: "text", text }] },
  ...(of !== undefined && { call: of as CallId }),
});

const SCENES: Readonly<Record<string, readonly Step[]>> = {
  streamed: [
    [received("m1")],
    [started, requested("m1")],
    { type: "thinking.delta", turn, index: 0, text: "let me see" },
    delta("Hel"),
    delta("lo \n"),
    delta("world"),
    [responded([{ type: "text", text: "Hello \nworld!" }])],
    [ended("done", { text: "Hello \nworld!" }), queued("reply", "Hello \nworld!")],
  ],
  tools: [
    [received("m1")],
    [started],
    [requested("m1")],
    delta("I look."),
    [responded([{ type: "text", text: "I look." }, call("c1", "read_file"), call("c2", "read_file")], "tool-calls")],
    [toolStarted("c1")],
    { type: "tool.progress", turn, call: "c1" as CallId, text: "half" },
    [toolStarted("c1", 2)],
    [finished("c1", "ok")],
    [toolStarted("c2")],
    [finished("c2", "error")],
    [requested()],
    delta("Found"),
    { type: "text.restarted", turn },
    delta("Done"),
    [responded([{ type: "text", text: "Done it." }])],
    [queued("message", "beside", "c9")],
    [ended("limit", { notice: "[reached the limit]" })],
  ],
  failing: [
    [received("m1")],
    [started, requested("m1")],
    delta("half an ans"),
    [failed(9)],
    [requested()],
    [failed()],
    [ended("failed", { notice: "It failed.", error: { code: "provider.timeout", message: "slow", retryable: true } })],
    [received("m2")],
  ],
  stopped: [
    [received("m1")],
    [started, requested("m1")],
    delta("to be "),
    "mute",
    delta("stopped"),
    [responded([{ type: "text", text: "to be stopped" }], "cancelled")],
    [ended("cancelled", { error: { code: "turn.cancelled", message: "stopped", retryable: false } })],
    [{ type: "command.handled", key: "web\nk", text: "/help", by: user }, queued("command", "this list")],
    [queued("message", "unasked")],
  ],
  length: [
    [received("m1")],
    [started, requested("m1")],
    [responded([{ type: "text", text: "The first part" }], "length")],
    [requested()],
    delta(" and the second"),
    [responded([{ type: "text", text: " and the second" }], "length")],
    [ended("done")],
  ],
  steered: [
    [{ ...started, message: "m0" }],
    [requested("m0")],
    [received("m1")],
    [responded([call("c1", "read_file")], "tool-calls")],
    [finished("c1", "ok")],
    [requested("m1")],
    delta("both"),
    [responded([{ type: "text", text: "both" }])],
    [ended("done")],
  ],
  client: [
    [received("m1")],
    [started, requested("m1")],
    [responded([{ type: "text", text: "I ask you." }, call("c1", "theirs")], "tool-calls")],
    [{ type: "call.deferred", turn, call: "c1" as CallId, name: "theirs", expiresAt: 9 }],
    [finished("c1", "ok")],
    [ended("done")],
  ],
  withdrawn: [[received("m1")], [{ type: "messages.withdrawn", ids: ["m1"], by: user }], [ended("done")]],
};

function seedFrames(steps: readonly Step[], chunk: string): readonly JsonObject[] {
  const frames: JsonObject[] = [];
  const view = projectSeed({ session: "s1" as SessionId, chunk, send: (frame) => frames.push(frame) });
  steps.forEach((step, number) => {
    if (step === "mute") view.mute();
    else if (isCommit(step)) view.commit({ seq: (number + 1) as never, at: number, records: step });
    else view.live(step);
  });
  return frames;
}

function isCommit(step: Step): step is readonly JournalRecord[] {
  return Array.isArray(step);
}

async function answers(steps: readonly Step[], start: AnswerStart): Promise<readonly object[]> {
  const events = steps.flatMap((step, number): readonly AgentEvent[] => {
    if (step === "mute") return [];
    return isCommit(step) ? step.map((record) => ({ ...record, seq: (number + 1) as never, at: number })) : [step];
  });
  const found: object[] = [];
  const source = (async function* () {
    yield* events;
  })();
  for await (const event of answerEvents(source, start, (text) => text.replaceAll("world", "[redacted]")))
    found.push(event);
  return found;
}

async function responses(steps: readonly Step[], rounds: "all" | "final"): Promise<readonly object[]> {
  const frame = { id: "resp_1", created: 5, model: "margay", rounds, echo: { store: true } };
  const fold = createResponseFold(frame);
  const said = (await answers(steps, { key: "m1" })) as AnswerEvent[]; // they are what it reads
  return [...fold.open(), ...said.flatMap((event) => fold.push(event)), fold.object(), { status: fold.status }];
}

async function projected(): Promise<string> {
  const lines: string[] = [];
  for (const [name, steps] of Object.entries(SCENES)) {
    for (const chunk of ["stream", "message_chunk"])
      for (const frame of seedFrames(steps, chunk)) lines.push(`${name} seed ${JSON.stringify(frame)}`);
    for (const start of [{ key: "m1" }, { key: "m1", resumed: true }, { turn }] as const)
      for (const event of await answers(steps, start)) lines.push(`${name} v1 ${JSON.stringify(event)}`);
    for (const rounds of ["all", "final"] as const)
      for (const event of await responses(steps, rounds)) lines.push(`${name} response ${JSON.stringify(event)}`);
  }
  return `${lines.join("\n")}\n`;
}

test("frames of the seeds and answers of /v1 are, byte for byte, what was recorded", async () => {
  const recorded = readFileSync(join(import.meta.dirname, "recordings/projections.txt"), "utf8");
  expect(await projected()).toBe(recorded);
});
