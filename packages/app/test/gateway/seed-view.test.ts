import { callsTool, says } from "@margay/core/testing";
import { callsTools } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { connect, type Frame } from "./frames.ts";
import { startGateway } from "./support.ts";

const content = (frames: readonly Frame[]): string =>
  frames.flatMap(({ type, content: text }) => (type === "stream" ? [text] : [])).join("");
const done = ({ type }: Frame): boolean => type === "message_complete";

for (const path of ["/ws?protocol=seed", "/ws/chat"])
  test(`R270 ${path} speaks in the frames of the seeds: a turn is its text, its tools and one end`, async (t) => {
    const gateway = await startGateway(t, { config: { agent: { replyText: "all" } } });
    gateway.model.replies(
      callsTool("list_dir", { path: "." }, { text: "Let me look. " }),
      says("It is empty. ", { chunks: 4 }),
    );
    const tab = await connect(gateway, { path });
    tab.send({ type: "message", session_id: "my-chat", content: "what is there?" });
    const end = await tab.until(done);
    expect(end).toMatchObject({ status: "done", session_id: end.sessionId });
    expect(tab.frames.at(-1)).toBe(end);
    const [turn] = (await gateway.api(`/sessions/${end.sessionId}`)).body.key === "web:my-chat" ? [end] : [];
    expect(turn).toBeDefined();
    const records = gateway.app.inside.readCommits(end.sessionId);
    let text = "";
    for await (const commit of records)
      for (const record of commit.records) if (record.type === "turn.ended") ({ text } = record);
    expect(content(tab.frames)).toBe(text);
    const kinds = tab.frames.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(kinds).toEqual(["connected", "stream", "tool_call", "tool_result", "stream", "message_complete"]);
  });

test("R271 UI1 two calls of one tool are told apart; a call that was not run has its result too", async (t) => {
  const gateway = await startGateway(t, {
    config: { policy: { rules: [{ tool: "write_file", action: "deny" }] } },
  });
  gateway.model.replies(
    callsTools([
      { name: "list_dir", args: { path: "." } },
      { name: "list_dir", args: { path: "nowhere" } },
      { name: "write_file", args: { path: "a", content: "b" } },
    ]),
    says("done"),
  );
  const tab = await connect(gateway, { path: "/ws/chat" });
  tab.send({ type: "message", sessionId: "x", content: "go" });
  await tab.until(done);
  const started = tab.frames.filter(({ type }) => type === "tool_call");
  const place = (frame: Frame): number => [".", "nowhere", "a"].indexOf(frame.arguments.path);
  const results = tab.frames.filter(({ type }) => type === "tool_result").toSorted((a, b) => place(a) - place(b));
  expect(started.map(({ tool, arguments: input }) => [tool, input])).toEqual([
    ["list_dir", { path: "." }],
    ["list_dir", { path: "nowhere" }],
  ]);
  expect(results).toHaveLength(3);
  expect(new Set(results.map(({ callId }) => callId)).size).toBe(3);
  expect(results[0]).toMatchObject({
    tool: "list_dir",
    arguments: { path: "." },
    result: expect.any(String) as string,
  });
  expect(typeof results[0].duration).toBe("number");
  expect(results[1].error).toContain("nowhere");
  expect(results[2]).toMatchObject({ tool: "write_file", error: expect.any(String) as string });
});

test("R399 R274 pings are answered while a tool works; after cancel nothing comes but the end", async (t) => {
  const gateway = await startGateway(t, { config: { policy: { rules: [{ tool: "exec", action: "allow" }] } } });
  gateway.model.replies(callsTool("exec", { command: "sleep 30" }), says("never"));
  const tab = await connect(gateway, { path: "/ws/chat" });
  tab.send({ type: "message", session_id: "x", content: "go" });
  await tab.until(({ type }) => type === "tool_call");
  const times: number[] = [];
  const pongs = (): number => tab.frames.filter(({ type }) => type === "pong").length;
  for (let count = 1; count <= 5; count++) {
    const started = performance.now();
    tab.send({ type: "ping" });
    await tab.until(() => pongs() >= count);
    times.push(performance.now() - started);
  }
  // What holds up the loop holds up all of them; what the machine does besides, one or the other.
  expect(Math.min(...times)).toBeLessThan(100);
  const before = tab.frames.length;
  tab.send({ type: "cancel", session_id: "x" });
  expect(await tab.until(done)).toMatchObject({ status: "cancelled" });
  expect(tab.frames.slice(before).map(({ type }) => type)).toEqual(["message_complete"]);
});

test("who leaves a conversation hears no more of it", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("hello"), says("again"));
  const [leaver, stayer] = [await connect(gateway, { path: "/ws/chat" }), await connect(gateway, { path: "/ws/chat" })];
  leaver.send({ type: "message", session_id: "x", content: "hi" });
  await leaver.until(done);
  leaver.send({ type: "unsubscribe", session_id: "x" });
  leaver.send({ type: "ping" });
  await leaver.until(({ type }) => type === "pong");
  const before = leaver.frames.length;
  stayer.send({ type: "message", session_id: "x", content: "hi again" });
  await stayer.until(done);
  leaver.send({ type: "ping" });
  await expect.poll(() => leaver.frames.slice(before).map(({ type }) => type)).toEqual(["pong"]);
});

test("R392 LP18 the notice of a limit is part of the stream, and the end says so", async (t) => {
  const gateway = await startGateway(t, { config: { agent: { maxIterations: 1, replyText: "all" } } });
  gateway.model.replies(callsTool("list_dir", { path: "." }, { text: "Looking." }));
  const tab = await connect(gateway, { path: "/ws/chat?chunk=message_chunk" });
  tab.send({ type: "message", session_id: "x", content: "go" });
  expect(await tab.until(done)).toMatchObject({ status: "limit" });
  const text = tab.frames.flatMap((frame) => (frame.type === "message_chunk" ? [frame.content] : [])).join("");
  expect(text).toBe("Looking.\n\n[reached the maximum of 1 tool calls]");
});

test("UI4 UI11 unknown frames and sessions are errors for the sender, and no frame runs a tool", async (t) => {
  const gateway = await startGateway(t);
  const tab = await connect(gateway, { path: "/ws/chat" });
  tab.send({ type: "tool_execute", tool: "exec", arguments: { command: "touch x" } });
  expect(await tab.until(({ type }) => type === "error")).toMatchObject({ code: "request.invalid" });
  tab.send({ type: "subscribe", session_id: "nowhere" });
  await tab.until(({ code }) => code === "session.not-found");
  tab.send({ type: "message", session_id: "x", content: "hi", sender_id: "operator" });
  const { message } = await tab.until(({ message: text }) => text?.includes("sender_id"));
  expect(message).toContain("sender_id");
  expect(gateway.model.requests).toHaveLength(0);
});

test("a token that may only read follows over the frames of the seeds, and neither sends nor stops anything", async (t) => {
  const gateway = await startGateway(t);
  const operator = await connect(gateway, { path: "/ws/chat" });
  gateway.model.replies(says("hello"), says("again"));
  operator.send({ type: "message", session_id: "x", content: "hi" });
  const { session_id: session } = await operator.until(done);
  for (const [scope, missing] of [
    ["read", []],
    ["metrics", ["session.not-found"]],
  ] as const) {
    const tab = await connect(gateway, { path: "/ws/chat", token: gateway.token(scope) });
    const codes = (): readonly string[] => tab.frames.flatMap(({ code }) => code ?? []);
    tab.send({ type: "message", session_id: "mine", content: "hi" });
    tab.send({ type: "cancel", session_id: session });
    await expect.poll(codes).toEqual(["auth.scope", "auth.scope"]);
    tab.send({ type: "subscribe", session_id: session });
    tab.send({ type: "ping" });
    await tab.until(({ type }) => type === "pong");
    await expect.poll(codes).toEqual(["auth.scope", "auth.scope", ...missing]);
    expect(tab.frames.filter(done)).toEqual([]);
  }
  const chatter = await connect(gateway, { path: "/ws/chat", token: gateway.token("chat") });
  chatter.send({ type: "subscribe", session_id: session });
  await chatter.until(({ code }) => code === "session.not-found");
  chatter.send({ type: "message", session_id: "x", content: "hi" }); // its own of that name
  expect((await chatter.until(done)).session_id).not.toBe(session);
  expect(gateway.model.requests).toHaveLength(2);
  expect((await gateway.api("/sessions")).body.items).toHaveLength(2);
});

test("the seed view can be switched off", async (t) => {
  const gateway = await startGateway(t, { config: { gateway: { seedView: false } } });
  await expect(connect(gateway, { path: "/ws/chat" })).rejects.toThrow("404");
  await expect(connect(gateway, { path: "/ws?protocol=seed" })).rejects.toThrow("404");
});

test("R271 a subagent is a task: created, at work, complete", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(
    callsTool("spawn", { task: "count", label: "counter" }),
    says("started"),
    says("three"),
    says("it said three"),
  );
  const tab = await connect(gateway, { path: "/ws/chat" });
  tab.send({ type: "message", session_id: "x", content: "go" });
  const created = await tab.until(({ type }) => type === "task_created");
  const complete = await tab.until(({ type }) => type === "task_complete" || type === "task_failed");
  expect(complete).toMatchObject({ type: "task_complete", task_id: created.task_id });
  await gateway.app.agent.idle();
});
