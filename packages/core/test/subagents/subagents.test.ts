import { expect, test } from "vitest";
import type { AgentOptions, Tool } from "../../src/index.ts";
import { spawnTool } from "../../src/subagents/spawn-tool.ts";
import { untilAborted } from "../../src/lib/async/abort.ts";
import { callsTool, fails, recordingChannel, says } from "../../src/testing.ts";
import { callsTools, stalls, type RecordedRequest } from "../../src/internal-testing.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { CHAT, ofType, startAgent, tool, type Started } from "../support/agent.ts";
import { realChildren } from "../support/real-context.ts";

/** A parent with `spawn` and children with the tools given; both share one model. */
async function family(
  t: Parameters<typeof startAgent>[0],
  options: {
    readonly childTools?: readonly Tool[];
    /** Of the parent, besides `spawn`. */
    readonly tools?: readonly Tool[];
    readonly settings?: AgentOptions["settings"];
    readonly concurrency?: number;
    readonly timeoutMs?: number;
    readonly channels?: AgentOptions["channels"];
  } = {},
): Promise<Started> {
  const tools = createRegistry(options.childTools ?? [tool("note")]);
  const started: { agent?: Started["agent"] } = {};
  const spawn = spawnTool((request) => started.agent!.spawn(request)); // called in a turn: the agent exists by then
  const made = await startAgent(t, {
    tools: [spawn, tool("note"), ...(options.tools ?? [])],
    ...(options.settings !== undefined && { settings: options.settings }),
    ...(options.channels !== undefined && { channels: options.channels }),
    subagents: {
      ...realChildren(tools),
      concurrency: () => options.concurrency ?? 4,
      timeoutMs: () => options.timeoutMs ?? 1_200_000,
    },
  });
  started.agent = made.agent;
  return made;
}

const isChild = (request: RecordedRequest): boolean => request.system.includes("You are a subagent");

test("R192 R196 R117 LP15 SB6 spawn returns at once; the result arrives once and the main agent sums it up", async (t) => {
  const channel = recordingChannel("test");
  const { agent, model, records } = await family(t, { channels: [channel] });
  const child = stalls({ rest: says("Found 3 files.") });
  model.route(isChild, child);
  model.replies(
    callsTool("spawn", { task: "count the files", label: "counter" }),
    says("I started it."),
    says("There are 3 files."),
  );
  await agent.send(CHAT, "how many files are there?").finished;
  await channel.received(1);
  expect(channel.texts("reply")).toEqual(["I started it."]);
  child.release();
  await channel.received(2);
  expect(channel.texts("reply")).toEqual(["I started it.", "There are 3 files."]);
  const results = ofType(await records(), "tool.finished").map(({ message }) => message.parts[0]);
  expect(results[0]).toMatchObject({
    text: expect.stringMatching(/^Started subagent counter \(.+\)\. Its result will arrive here\.$/),
  });
  const told = ofType(await records(), "message.received").filter(({ message }) => message.from.kind === "agent");
  expect(told.map(({ message }) => message.parts)).toEqual([
    [{ type: "text", text: "Subagent counter finished.\nFound 3 files." }],
  ]);
});

test("R193 R195 a child has its own tools and a prompt for background work, and the task is its first message", async (t) => {
  const { agent, model } = await family(t);
  model.route(isChild, says("done"));
  model.replies(callsTool("spawn", { task: "look around" }), says("ok"), says("told"));
  await agent.send(CHAT, "go").finished;
  await model.received(4);
  await agent.idle();
  const [request] = model.requests.filter(isChild);
  expect(request?.toolNames).toEqual(["note"]);
  expect(request?.texts("user").at(-1)).toBe("look around");
});

test("R198 LP15 with wait the tool call returns the result itself", async (t) => {
  const { agent, model, records } = await family(t);
  model.route(isChild, callsTool("note"), says("42"));
  model.replies(callsTool("spawn", { task: "compute", label: "sum", wait: true }), says("It is 42."));
  expect((await agent.send(CHAT, "go").finished).text).toBe("It is 42.");
  expect(ofType(await records(), "tool.finished")[0]?.message.parts).toEqual([
    { type: "text", text: "Subagent sum finished.\n42" },
  ]);
  await agent.idle();
  // The result came once: no message of the child makes the parent answer again.
  expect(ofType(await records(), "turn.ended")).toHaveLength(1);
  expect(ofType(await records(), "message.received")).toHaveLength(1);
});

test("R194 SB4 a child that always calls ends at 15 responses, and says that it did not finish", async (t) => {
  const { agent, model, records } = await family(t);
  model.route(isChild, ...Array.from({ length: 20 }, (_, n) => callsTool("note", { n })));
  model.replies(callsTool("spawn", { task: "loop", wait: true }), says("sorry"));
  await agent.send(CHAT, "go").finished;
  expect(model.requests.filter(isChild)).toHaveLength(15);
  expect(ofType(await records(), "tool.finished")[0]?.message.parts[0]).toMatchObject({
    text: expect.stringContaining("did not finish: it reached its limit of steps"),
  });
});

test("R199 SB3 above the limit children wait in a queue, and the result says so", async (t) => {
  const { agent, model, records } = await family(t, { concurrency: 2 });
  const held = Array.from({ length: 3 }, (_, n) => stalls({ rest: says(`child ${n}`) }));
  model.route(isChild, ...held);
  model.route(
    (request) => !isChild(request),
    callsTools(["a", "b", "c"].map((label) => ({ name: "spawn", args: { task: label, label } }))),
    ...Array.from({ length: 6 }, () => says("ok")),
  );
  await agent.send(CHAT, "go").finished;
  await model.received(4); // two of the parent, two children
  const texts = ofType(await records(), "tool.finished").map(({ message }) =>
    message.parts[0]?.type === "text" ? message.parts[0].text : "",
  );
  expect(texts.map((text) => text.includes("queued"))).toEqual([false, false, true]);
  expect(model.requests.filter(isChild)).toHaveLength(2);
  for (const each of held) each.release();
  await agent.idle();
  expect(model.requests.filter(isChild)).toHaveLength(3);
});

test("R24 a running child takes no slot of agent.concurrency", async (t) => {
  const { agent, model } = await family(t, { settings: { concurrency: 1 } });
  const child = stalls({ rest: says("late") });
  model.route(isChild, child);
  model.replies(callsTool("spawn", { task: "slow" }), says("started"), says("hello"), says("told"));
  await agent.send(CHAT, "go").finished;
  expect((await agent.send("test:2", "hi").finished).text).toBe("hello");
  child.release();
  await agent.idle();
});

test("R70 SB10 LP8 /stop ends the children of the session and no others", async (t) => {
  const { agent, model } = await family(t);
  model.route(isChild, stalls(), stalls());
  model.route(
    (request) => !isChild(request),
    callsTools([
      { name: "spawn", args: { task: "a" } },
      { name: "spawn", args: { task: "b" } },
    ]),
    says("both started"),
    says("x"),
    says("y"),
  );
  await agent.send(CHAT, "go").finished;
  await model.received(4);
  const parent = await agent.sessions.find(CHAT);
  expect(agent.subagents(parent!.state.id)).toHaveLength(2);
  expect(await agent.control(CHAT, { type: "stop", withdraw: true }, { id: "ann", kind: "person" })).toMatchObject({
    done: true,
    stopped: true,
  });
  await agent.idle();
  expect(agent.subagents(parent!.state.id)).toEqual([]);
});

for (const [language, answer] of [
  [
    "en",
    'Stopped.\n- the answer to “first”\n- hang("npm test")\n- subagent look up a\n- subagent b (look up the other)\n' +
      "Took back 2 waiting messages:\n- second\n- third",
  ],
  [
    "zh-CN",
    '已停止。\n- 对“first”的回答\n- hang("npm test")\n- 子智能体 look up a\n- 子智能体 b (look up the other)\n' +
      "收回了 2 条等待中的消息：\n- second\n- third",
  ],
] as const)
  test(`DF27 R70 R183 /stop ends a tool and two subagents, says what they were, and leaves another chat alone (${language})`, async (t) => {
    const channel = recordingChannel("chat");
    const running = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const hang = tool("hang", "write", async (_input, { signal }) => {
      running.resolve();
      await untilAborted(signal);
      ended.resolve();
      throw signal.reason;
    });
    const { agent, model } = await family(t, {
      tools: [hang],
      channels: [channel],
      settings: { steering: false, language },
    });
    const children = [stalls(), stalls()];
    model.route(isChild, ...children);
    const elsewhere = stalls({ rest: says("still here") });
    model.route((request) => request.texts("user").includes("elsewhere"), elsewhere);
    model.replies(
      callsTools([
        { name: "spawn", args: { task: "look up a" } },
        { name: "spawn", args: { task: "look up the other", label: "b" } },
        { name: "hang", args: { n: "npm test" } },
      ]),
    );
    const stopping = new AbortController();
    const run = agent.run(stopping.signal);
    await channel.deliver("elsewhere", { chat: "2" });
    await channel.deliver("first", { chat: "1" });
    await running.promise;
    await model.received(4);
    for (const text of ["second", "third"]) await channel.deliver(text, { chat: "1" });
    await channel.deliver("/stop", { chat: "1" });
    await ended.promise; // no time passes here: nothing of it waits for a clock
    await Promise.all(model.requests.filter(isChild).map(({ closedEarly }) => closedEarly));
    await channel.received(1);
    expect(channel.texts("command")).toEqual([answer]);
    elsewhere.release();
    await channel.received(2);
    expect(channel.texts("reply")).toEqual(["still here"]);
    stopping.abort();
    await run;
  });

test("DF27 R201 /status names each subagent with task, step and time while the chat itself rests, and /stop NUMBER ends one", async (t) => {
  const channel = recordingChannel("test");
  const { agent, model, clock } = await family(t, { channels: [channel] });
  model.route(
    (request) => isChild(request) && request.texts("user").includes("count them"),
    callsTool("note"),
    stalls(),
  );
  model.route(isChild, stalls());
  model.route(
    (request) => !isChild(request),
    callsTools([
      { name: "spawn", args: { task: "count them", label: "counter" } },
      { name: "spawn", args: { task: "look around" } },
    ]),
    says("both started"),
    says("one was stopped"),
  );
  await agent.send(CHAT, "go").finished;
  await model.received(5);
  const parent = await agent.sessions.find(CHAT);
  await clock.advance(125_000);
  const command = async (text: string): Promise<string> => {
    const before = channel.texts("command").length;
    await agent.bus.accept({
      key: text + before,
      origin: { channel: "test", chat: "1" },
      from: { id: "ann", kind: "person" },
      parts: [{ type: "text", text }],
    });
    await expect.poll(() => channel.texts("command").length).toBe(before + 1);
    return channel.texts("command").at(-1) ?? "";
  };
  const status = await command("/status");
  expect(status).not.toContain("idle");
  expect(status.split("\n").filter((line) => /^State|^\d/.test(line))).toEqual([
    "State: 2 subagents at work",
    "1. counter (count them): step 2, for 2 min (/stop 1 ends it)",
    "2. look around: step 1, for 2 min (/stop 2 ends it)",
  ]);
  expect(await command("/stop 3")).toContain("No subagent 3 is running here.");
  expect(await command("/stop 1")).toBe("Stopped. The others go on.\n- subagent counter (count them)");
  expect(agent.subagents(parent!.state.id)).toMatchObject([{ label: "look around", task: "look around" }]);
  await command("/stop");
  await agent.idle();
  expect(await command("/status")).toContain("State: idle");
});

test("R200 SB5 failure and timeout are reported to the parent with the last steps", async (t) => {
  const { agent, model, records, clock } = await family(t, { timeoutMs: 60_000 });
  model.route((request) => isChild(request) && request.texts("user").at(-1) === "fail", callsTool("note"), fails(401));
  model.route((request) => isChild(request), stalls());
  model.route(
    (request) => !isChild(request),
    callsTools([
      { name: "spawn", args: { task: "fail", label: "one" } },
      { name: "spawn", args: { task: "hang", label: "two" } },
    ]),
    ...Array.from({ length: 5 }, () => says("ok")),
  );
  await agent.send(CHAT, "go").finished;
  await model.received(4);
  await clock.advance(60_000);
  await agent.idle();
  const told = ofType(await records(), "message.received").flatMap(({ message }) =>
    message.from.kind === "agent" && message.parts[0]?.type === "text" ? [message.parts[0].text] : [],
  );
  expect(told.toSorted()).toEqual([
    expect.stringMatching(/^Subagent one failed\.[\s\S]*Its last steps: note: ok\.$/),
    expect.stringMatching(/^Subagent two was stopped: its time was up\./),
  ]);
});

test("SB8 a child whose model has nothing to say is told as failed, not swallowed", async (t) => {
  const { agent, model, records } = await family(t);
  model.route(isChild, says(""), says(" "), says("\n"));
  model.route(
    (request) => !isChild(request),
    callsTool("spawn", { task: "look", label: "quiet" }),
    says("ok"),
    says("so"),
  );
  await agent.send(CHAT, "go").finished;
  await agent.idle();
  const told = ofType(await records(), "message.received").flatMap(({ message }) =>
    message.from.kind === "agent" && message.parts[0]?.type === "text" ? [message.parts[0].text] : [],
  );
  expect(told).toEqual([expect.stringMatching(/^Subagent quiet failed\.\nThe model gave no answer/)]);
});

test("SB2 a child at work keeps the model it began with; the next one has the new one", async (t) => {
  const begun = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<string>();
  const look = tool("look", "read", () => {
    begun.resolve();
    return changed.promise;
  });
  const { agent, model } = await family(t, { concurrency: 1, childTools: [look] });
  model.route((request) => isChild(request) && request.texts("user").at(-1) === "a", callsTool("look"), says("one"));
  model.route(isChild, says("two"));
  model.route(
    (request) => !isChild(request),
    callsTools(["a", "b"].map((label) => ({ name: "spawn", args: { task: label, label } }))),
    ...Array.from({ length: 4 }, () => says("ok")),
  );
  await agent.send(CHAT, "go").finished;
  await begun.promise;
  agent.configure({ model: { provider: "mock", model: "another" } });
  changed.resolve("seen");
  await agent.idle();
  const models = model.requests.filter(isChild).map(({ body }) => (body as { readonly model: string }).model);
  expect(models).toEqual(["mock-model", "mock-model", "another"]);
});

test("R192 R201 SB1 a child survives a restart and its result is delivered once", async (t) => {
  const before = await family(t);
  const child = stalls({ rest: says("never") });
  before.model.route(isChild, child, says("done after all"));
  before.model.route(
    (request) => !isChild(request),
    callsTool("spawn", { task: "long", label: "long" }),
    says("started"),
    says("it is done"),
  );
  await before.agent.send(CHAT, "go").finished;
  await before.model.received(3);
  const parent = await before.agent.sessions.find(CHAT);
  expect(before.agent.subagents(parent!.state.id)).toMatchObject([{ label: "long", steps: 0 }]);
  const after = await before.restart();
  await after.agent.resume();
  await before.model.received(5);
  await after.agent.idle();
  const told = ofType(await after.records(), "message.received").filter(({ message }) => message.from.kind === "agent");
  expect(told).toHaveLength(1);
  expect(ofType(await after.records(), "turn.ended").map(({ text }) => text)).toEqual(["started", "it is done"]);
});

test("R70 R198 R199 /stop ends a parent that waits for a child in the queue", async (t) => {
  const { agent, model } = await family(t, { concurrency: 1 });
  model.route(isChild, stalls());
  model.route(
    (request) => !isChild(request),
    callsTool("spawn", { task: "first" }),
    says("started"),
    callsTool("spawn", { task: "second", label: "second", wait: true }),
  );
  await agent.send(CHAT, "go").finished;
  const waiting = agent.send(CHAT, "and this").finished;
  const parent = await agent.sessions.find(CHAT);
  await expect.poll(() => agent.subagents(parent!.state.id).length).toBe(2);
  await agent.control(CHAT, { type: "stop", withdraw: true }, { id: "ann", kind: "person" });
  expect(await waiting).toMatchObject({ reason: "cancelled" });
  await agent.idle();
  expect(agent.subagents(parent!.state.id)).toEqual([]);
  expect(model.requests.filter(isChild)).toHaveLength(1);
});

test("R192 R201 a child in the queue is watched again after a restart", async (t) => {
  const before = await family(t, { concurrency: 1 });
  before.model.route(isChild, stalls(), stalls());
  before.model.route(
    (request) => !isChild(request),
    callsTools(["a", "b"].map((label) => ({ name: "spawn", args: { task: label, label } }))),
    says("both started"),
  );
  await before.agent.send(CHAT, "go").finished;
  await before.model.received(3);
  const after = await before.restart();
  await after.agent.resume();
  const parent = await after.agent.sessions.find(CHAT);
  expect(after.agent.subagents(parent!.state.id).map(({ label }) => label)).toEqual(["a", "b"]);
});

test("DF5 PE81 ten results that wait when a turn opens are one turn, not ten", async (t) => {
  const { agent, model, records } = await family(t);
  const children = Array.from({ length: 10 }, (_, index) => index);
  model.route(isChild, ...children.map((index) => says(`CHILD ${index}.`)));
  const parent = stalls({ rest: says("all started") });
  model.replies(
    callsTools(children.map((index) => ({ name: "spawn", args: { task: `part ${index}` } }))),
    parent,
    says("the news"),
  );
  const turn = agent.send(CHAT, "go");
  await expect.poll(async () => (await agent.sessions.find(CHAT))?.state.pending.length).toBe(10);
  parent.release();
  await turn.finished;
  await agent.idle();
  expect(ofType(await records(), "turn.started")).toHaveLength(2);
  for (const index of children) expect(model.requests.at(-1)?.raw).toContain(`CHILD ${index}.`);
});

test("DF5 PE80 a person who writes meanwhile is answered with the results in view, and the count begins anew", async (t) => {
  const { agent, model, records } = await family(t, { settings: { maxUnattended: 0 } });
  const child = stalls({ rest: says("CHILD one.") });
  model.route(isChild, child, says("CHILD two."));
  model.replies(callsTool("spawn", { task: "one" }), says("started"), says("hello"));
  await agent.send(CHAT, "go").finished;
  child.release();
  await agent.idle();
  expect(ofType(await records(), "turn.started")).toHaveLength(1);
  const shown = ofType(await records(), "reply.queued").at(-1);
  expect(shown?.parts).toEqual([
    { type: "text", text: expect.stringMatching(/CHILD one\.[^]*1 result; answer to go on\.$/) },
  ]);
  await agent.send(CHAT, "go on").finished;
  expect(model.requests.at(-1)?.raw).toContain("CHILD one.");
  const { state } = (await agent.sessions.find(CHAT))!;
  expect([state.chain, state.pending]).toEqual([undefined, []]);
});

test("DF5 PE80 results that come while a person's message waits are no message of their own: its answer has them in view", async (t) => {
  const { agent, model, records } = await family(t, { settings: { maxUnattended: 0 } });
  const [child, busy] = [stalls({ rest: says("CHILD one.") }), stalls({ rest: says("done") })];
  model.route(isChild, child);
  model.replies(callsTool("spawn", { task: "one" }), says("started"), busy, says("it said one"));
  await agent.send(CHAT, "go").finished;
  const second = agent.send(CHAT, "be busy");
  await model.received(4); // the child's and three of the chat
  child.release();
  await expect.poll(async () => (await agent.sessions.find(CHAT))?.state.pending.length).toBe(1);
  const third = agent.send(CHAT, "and now?");
  await expect.poll(async () => (await agent.sessions.find(CHAT))?.state.pending.length).toBe(2);
  busy.release();
  await Promise.all([second.finished, third.finished]);
  await agent.idle();
  expect(model.requests.at(-1)?.raw).toContain("CHILD one.");
  expect(JSON.stringify(ofType(await records(), "reply.queued"))).not.toContain("answer to go on");
});

test("DF5 PE80 a person's word begins the count of turns that nobody asked for anew", async (t) => {
  const { agent, model } = await family(t, { settings: { maxUnattended: 1 } });
  model.route(isChild, says("CHILD one."));
  model.replies(callsTool("spawn", { task: "one" }), says("started"), says("it said one"), says("you are welcome"));
  const chain = async (): Promise<number | undefined> => (await agent.sessions.find(CHAT))?.state.chain;
  await agent.send(CHAT, "go").finished;
  await agent.idle();
  expect(await chain()).toBe(1);
  await agent.send(CHAT, "thanks").finished;
  expect(await chain()).toBeUndefined();
});

test("outcome/MAX_RESULT_CHARS: 16,000 characters of what a child says arrive", async (t) => {
  for (const chars of [16_000, 16_001]) {
    const { agent, model, records } = await family(t, { settings: { maxResultChars: 20_000 } });
    model.route(isChild, says(`${"x".repeat(chars)}`));
    model.replies(callsTool("spawn", { task: "say much", label: "long" }), says("ok"), says("told"));
    await agent.send(CHAT, "go").finished;
    await agent.idle();
    const told = ofType(await records(), "message.received").find(({ message }) => message.from.kind === "agent");
    expect(told?.message.parts).toEqual([{ type: "text", text: `Subagent long finished.\n${"x".repeat(16_000)}` }]);
  }
});
