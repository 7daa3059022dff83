import { expect, test } from "vitest";
import type { Seq, SessionId, TurnId } from "../../src/contract/base.ts";
import type { Commit, JournalRecord } from "../../src/contract/record.ts";
import type { Policy } from "../../src/contract/policy.ts";
import { createView } from "../../src/view/view.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";
import { callsOf } from "../../src/view/store.ts";
import { cutCommit } from "../../src/view/cut.ts";
import { isCut, type Item, type WireCommit } from "../../src/view/types.ts";
import { NO_USAGE } from "../../src/lib/usage.ts";
import { callsTool, fails, recordingChannel, says } from "../../src/testing.ts";
import { callsTools, thinks } from "../../src/internal-testing.ts";
import { CHAT, startAgent, tool, type Started } from "../support/agent.ts";

const LONG = "字节 ".repeat(3000);

async function commitsOf({ agent }: Started): Promise<readonly Commit[]> {
  const session = await agent.sessions.find(CHAT);
  const commits: Commit[] = [];
  if (session !== undefined) for await (const commit of session.history()) commits.push(commit);
  return commits;
}

/** A conversation with everything in it: calls side by side, a failure, a refusal, a stop, a command, /new. */
async function richSession(t: Parameters<typeof startAgent>[0]): Promise<readonly Commit[]> {
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: true }),
    judge: (call) =>
      Promise.resolve(
        call.name === "forbidden"
          ? { kind: "deny", rule: "test", reason: "not here" }
          : call.name === "careful"
            ? { kind: "ask", rule: "careful asks", prompt: "careful: {}", expiresInMs: 60_000 }
            : { kind: "allow", rule: "test" },
      ),
  };
  const started = await startAgent(t, {
    channels: [recordingChannel("test")],
    policy,
    tools: [
      tool("long", "read", () => LONG),
      tool("broken", "write", () => {
        throw new Error("it broke");
      }),
      tool("forbidden", "write"),
      tool("careful", "write"),
    ],
  });
  const { agent, model } = started;
  model.replies(
    thinks(
      "let me see",
      callsTools([{ name: "long" }, { name: "broken" }, { name: "forbidden" }], { text: "Working." }),
    ),
    fails(500),
    says("All done."),
  );
  let ended = false;
  const first = agent.send(CHAT, "do everything").finished.finally(() => (ended = true));
  // Whatever else sleeps for a moment: the request is repeated after the last of them.
  while (!ended)
    await Promise.race([first, started.clock.waitForSleep(0, 10_000).then((ms) => started.clock.advance(ms))]);
  model.replies(callsTool("careful"), says("Carefully done."));
  const turn = agent.send(CHAT, LONG.repeat(8));
  await expect.poll(async () => (await agent.approvals()).length).toBe(1);
  const [approval] = await agent.approvals();
  if (approval !== undefined)
    await agent.control(
      CHAT,
      { type: "allow", call: approval.call, hash: approval.hash },
      { id: "user", kind: "person" },
    );
  await turn.finished;
  const say = (key: string, text: string): Promise<unknown> =>
    agent.bus.accept({
      key,
      origin: { channel: "test", chat: "1" },
      from: { id: "user", kind: "person" },
      parts: [{ type: "text", text }],
    });
  await say("c1", "/status");
  await say("c2", "/new");
  model.expectNewEpoch("/new");
  model.replies(says("Fresh."));
  await agent.send(CHAT, "again").finished;
  await agent.idle();
  return commitsOf(started);
}

const kinds = (items: readonly Item[]): readonly string[] => items.map(({ kind }) => kind);

test("how a turn ended is said with its notice and its fault", () => {
  const view = createView("s" as never);
  const commit = (seq: number, ...records: readonly JournalRecord[]): void =>
    void view.apply({ seq: seq as Seq, at: seq, records });
  const ended = { type: "turn.ended", text: "", durationMs: 1, usage: NO_USAGE } as const;
  const error = { code: "provider.auth", message: "The key was refused.", retryable: false };
  for (const [n, how] of [
    { reason: "limit", notice: "Stopped." },
    { reason: "failed", error },
    { reason: "done" },
  ].entries()) {
    const turn = `t${n}` as TurnId;
    commit(2 * n + 1, { type: "turn.started", turn, replyTo: { channel: "c", chat: "1" }, attended: true });
    commit(2 * n + 2, { ...ended, turn, ...(how as { reason: "done" }) });
  }
  expect(
    view.items.flatMap((item) => (item.kind === "turn-end" ? [[item.reason, item.notice, item.error]] : [])),
  ).toEqual([
    ["limit", "Stopped.", undefined],
    ["failed", undefined, error],
    ["done", undefined, undefined],
  ]);
});

test("only a turn that failed leaves its message without an answer", () => {
  const error = { code: "provider.auth", message: "The key was refused.", retryable: false };
  const after = (end: Pick<Extract<JournalRecord, { type: "turn.ended" }>, "reason" | "error">): unknown => {
    const turn = "t" as TurnId;
    const records: readonly JournalRecord[] = [
      { type: "turn.started", turn, replyTo: { channel: "c", chat: "1" }, attended: true },
      { type: "turn.ended", turn, text: "", durationMs: 1, usage: NO_USAGE, ...end },
    ];
    return records.reduce((state, record) => reduce(state, record, 0), emptyState("s" as SessionId)).unanswered;
  };
  expect([after({ reason: "failed", error }), after({ reason: "limit", error }), after({ reason: "failed" })]).toEqual([
    error,
    undefined,
    undefined,
  ]);
});

test("items show what was said, called, refused and delivered, in order", async (t) => {
  const commits = await richSession(t);
  const view = createView("s" as never);
  const doing: (string | undefined)[] = [];
  for (const commit of commits) {
    view.apply(commit);
    if (view.turn?.doing !== doing.at(-1)) doing.push(view.turn?.doing);
  }
  // What the line under a conversation says, step by step.
  expect(
    doing
      .map((state) => state ?? "-")
      .join(" ")
      .split(" - "),
  ).toEqual([
    "judge request judge invoke judge invoke judge request sleep request judge",
    "judge request judge wait judge invoke judge request judge",
    "judge request judge -",
  ]);
  expect(kinds(view.items).filter((kind) => kind !== "notice" && kind !== "epoch" && kind !== "delivery")).toEqual([
    "user",
    "assistant",
    "assistant",
    "turn-end",
    "user",
    "assistant",
    "assistant",
    "turn-end",
    "user",
    "cleared",
    "user",
    "user",
    "assistant",
    "turn-end",
  ]);
  const [first] = view.items.flatMap((item) => (item.kind === "assistant" ? [item] : []));
  expect(first?.parts.map(({ type }) => type)).toEqual(["thinking", "text", "call", "call", "call"]);
  expect(first === undefined ? [] : callsOf(first).map(({ name, status }) => [name, status])).toEqual([
    ["long", "ok"],
    ["broken", "error"],
    ["forbidden", "denied"],
  ]);
  const careful = view.items.flatMap((item) => (item.kind === "assistant" ? callsOf(item) : [])).at(-1);
  expect(careful).toMatchObject({
    status: "ok",
    effect: "write",
    approval: { display: "careful: {}", rule: "careful asks", resolved: { verdict: "allow", by: "user" } },
  });
  expect(view.items.flatMap((item) => (item.kind === "delivery" ? [item.state] : []))).toEqual(
    expect.arrayContaining(["delivered"]),
  );
  expect(view.items.findLast(({ kind }) => kind === "turn-end")).toMatchObject({ reason: "done", steps: 1, calls: 0 });
  expect([view.turn, view.pending, view.approvals]).toEqual([undefined, [], []]);
  expect(new Set(view.items.map(({ id }) => id)).size).toBe(view.items.length);
});

test("an input is sent as it is up to 8 KiB, and cut beyond", () => {
  const wire = ["x".repeat(8190), "x".repeat(8191)].map((input) =>
    cutCommit("s" as never, {
      seq: 1 as never,
      at: 0,
      records: [
        {
          type: "model.responded",
          turn: "t" as never,
          message: {
            role: "assistant",
            at: 0,
            model: { provider: "mock", model: "m" },
            parts: [{ type: "tool-call", callId: "c" as never, name: "write_file", input }],
            finish: "tool-calls",
            usage: NO_USAGE,
          },
        },
      ],
    }),
  );
  const inputs = wire.flatMap(({ records }) =>
    records.flatMap((record) => (record.type === "model.responded" ? record.message.parts : [])),
  );
  expect(inputs.map((part) => part.type === "tool-call" && isCut(part.input))).toEqual([false, true]);
});

test("a view that goes on from a snapshot at any commit equals one that saw everything", async (t) => {
  const commits = (await richSession(t)).map((commit) => cutCommit("s" as never, commit));
  const whole = createView("s" as never);
  for (const commit of commits) whole.apply(commit);
  for (let at = 0; at <= commits.length; at++) {
    const before = createView("s" as never);
    for (const commit of commits.slice(0, at)) before.apply(commit);
    const after = createView("s" as never, JSON.parse(JSON.stringify(before.snapshot())) as never);
    for (const commit of commits) after.apply(commit); // those it has already change nothing
    expect(after.items).toEqual(whole.items);
    expect(after.turn).toEqual(whole.turn);
    expect([after.pending, after.approvals]).toEqual([whole.pending, whole.approvals]);
  }
});

test("long results, inputs and texts are cut with both ends and a way to the whole; answers never are", async (t) => {
  const commits = await richSession(t);
  const wire = commits.map((commit) => cutCommit("s" as never, commit));
  const records = wire.flatMap((commit: WireCommit) => commit.records);
  const result = records.flatMap((record) =>
    record.type === "tool.finished" && record.message.name === "long" ? [record.message.parts] : [],
  )[0];
  if (!isCut(result)) throw new Error("not cut");
  expect(result.bytes).toBe(new TextEncoder().encode(LONG).length);
  expect(LONG.startsWith(result.head)).toBe(true);
  expect(LONG.endsWith(result.tail)).toBe(true);
  expect(new TextEncoder().encode(result.head).length).toBeLessThanOrEqual(3072);
  expect(new TextEncoder().encode(result.tail).length).toBeLessThanOrEqual(1024);
  expect(result.href).toMatch(/^\/api\/v1\/tools\/calls\/s\/.+\/output$/);
  const user = records.flatMap((record) => (record.type === "message.received" ? record.message.parts : []));
  expect(user.map((part) => part.type === "text" && part.cut !== undefined)).toEqual([false, true, false]);
  const prefix = records.find((record) => record.type === "prefix.frozen")?.prefix;
  expect(prefix).toMatchObject({ hash: expect.any(String) as string, system: { cut: true }, tools: 4 });
  // The items of cut commits are the cut items: a page that folds what it gets sees what the server shows.
  const [a, b] = [createView("s" as never), createView("s" as never)];
  for (const commit of wire) a.apply(commit);
  for (const commit of wire) b.apply(JSON.parse(JSON.stringify(commit)) as WireCommit);
  expect(b.items).toEqual(a.items);
  for (const commit of wire) expect(JSON.stringify(commit).length).toBeLessThan(200_000);
});
