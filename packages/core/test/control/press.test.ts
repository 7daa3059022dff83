// A button below a question: who may press it, how often it counts, and what its message says afterwards.
import { readFile, writeFile } from "node:fs/promises";
import { onTestFinished, expect, test } from "vitest";
import type { Channel, OutboundPiece } from "../../src/contract/channel.ts";
import { defineTool, type Policy } from "../../src/index.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import type { RecordingChannel } from "../../src/internal-testing.ts";
import { ofType, startAgent, tool, type Started, type StartOptions } from "../support/agent.ts";

const ANN = { id: "ann", name: "Ann", kind: "person" } as const;
const BOB = { id: "bob", name: "Bob", kind: "person" } as const;
const STRANGER = { id: "eve", kind: "person" } as const;
const EXPIRES_MS = 300_000;

const ASK: Policy = {
  admit: ({ from }) => Promise.resolve(from.id === "eve" ? { ok: false, reason: "unknown" } : { ok: true }),
  judge: (call) =>
    call.name === "rm"
      ? { kind: "ask", rule: "test", prompt: "Remove it?", expiresInMs: EXPIRES_MS }
      : { kind: "allow", rule: "test" },
};

interface Place extends Started {
  readonly channel: RecordingChannel;
  /** How often the effect ran. */
  readonly runs: () => number;
  /** The next process on the same home. */
  again(change?: (channel: RecordingChannel) => Channel): Promise<Place>;
}

/** Running, on a platform with buttons. Ann is an operator. */
async function place(
  options: StartOptions = {},
  can: Partial<Channel["can"]> = { buttons: true },
  change: (channel: RecordingChannel) => Channel = (channel) => channel,
): Promise<Place> {
  let runs = 0;
  const channel = recordingChannel("talk", can);
  const rm = tool("rm", "write", () => `removed ${++runs}`);
  const given: StartOptions = {
    tools: [rm],
    policy: ASK,
    mayApprove: ({ id }) => id === "ann",
    ...options,
    channels: [change(channel)],
  };
  const started = await startAgent({ onTestFinished }, given);
  return running(started, channel, () => runs);
}

function running(started: Started, channel: RecordingChannel, runs: () => number): Place {
  const stop = new AbortController();
  const work = started.agent.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error("enough"));
    await work;
  };
  onTestFinished(end);
  return {
    ...started,
    channel,
    runs,
    again: async (change = (next) => next) => {
      await end();
      const next = recordingChannel("talk", channel.can);
      return running(await started.restart({ channels: [change(next)] }), next, runs);
    },
  };
}

/**
 * The question is in its chat. @returns its tokens by style.
 * @param answers What the model says after it, in this chat or another.
 */
async function asked(here: Place, chat = "1", answers = 1): Promise<Record<"allow" | "deny" | "plain", string>> {
  const { channel, model } = here;
  model.replies(callsTool("rm"), ...Array.from({ length: answers }, () => says("well then")));
  const before = channel.sent.length;
  await channel.deliver("remove it", { chat, from: ANN });
  await channel.received(before + 1);
  await here.agent.idle();
  const actions = channel.sent.at(-1)?.actions ?? [];
  const token = (style: string): string => actions.find((each) => each.style === style)?.token ?? "";
  return { allow: token("allow"), deny: token("deny"), plain: token("plain") };
}

function textsOf(pieces: readonly { readonly message: OutboundPiece }[]): readonly string[] {
  return pieces.map(({ message }) => message.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
}

test("CH70 the question has a button for each answer, and the words to send stay in its text", async () => {
  const here = await place();
  await asked(here);
  const [question] = here.channel.sent;
  expect(question?.actions).toEqual([
    { token: expect.stringMatching(/^[\w-]{22}$/), label: "Allow once", style: "allow" },
    { token: expect.stringMatching(/^[\w-]{22}$/), label: "Deny", style: "deny" },
  ]);
  expect(new Set(question?.actions?.map(({ token }) => token)).size).toBe(2);
  expect(here.channel.texts()[0]).toContain("Reply /allow ");
});

test("CH70 where there are no buttons nothing of them is sent, kept or written", async () => {
  const here = await place({}, {});
  await asked(here);
  expect(here.channel.sent[0]).not.toHaveProperty("actions");
  const session = await here.agent.sessions.find("talk:1");
  expect(session?.state).not.toHaveProperty("asked");
  expect(ofType(await here.records("talk:1"), "reply.queued")[0]).not.toHaveProperty("question");
});

test("CH70 the last piece alone has them", async () => {
  const prompt = "Remove it? ".repeat(30);
  const here = await place(
    { policy: { ...ASK, judge: () => ({ kind: "ask", rule: "test", prompt, expiresInMs: EXPIRES_MS }) } },
    { buttons: true, edit: true, text: { dialect: "telegram-html", max: 200 } },
  );
  const { model, channel, agent } = here;
  model.replies(callsTool("rm"), says("well then"));
  await channel.deliver("remove it", { from: ANN });
  await channel.received(2);
  await agent.idle();
  expect(channel.sent.map(({ actions }) => actions?.length)).toEqual([
    ...Array.from({ length: channel.sent.length - 1 }, () => undefined),
    2,
  ]);
  const last = channel.sent.at(-1);
  const pieces = channel.sent.length;
  await channel.press(last?.actions?.[1]?.token ?? "", { from: ANN });
  await agent.idle();
  expect(channel.edits).toHaveLength(1);
  expect(channel.edits[0]?.platformId).toBe(`platform-${pieces}`);
  expect(channel.edits[0]?.message.rendered?.text).toMatch(/Denied by Ann, \d\d:\d\d\.$/);
  expect(channel.edits[0]?.message.reply).toBe(last?.reply);
});

test("CH70 CH72 CH167 allowed once: the effect runs once, and the message says who it was", async () => {
  const here = await place();
  const { allow, deny } = await asked(here);
  const { channel, agent } = here;
  expect(await channel.press(allow, { key: "a", from: ANN })).toEqual({ status: "done", text: "Allowed, once." });
  await agent.idle();
  expect(here.runs()).toBe(1);
  expect(channel.texts("reply")).toEqual(["well then"]);
  // The same press delivered again, another one, and the other button.
  expect(await channel.press(allow, { key: "a", from: ANN })).toMatchObject({ status: "already" });
  expect(await channel.press(allow, { key: "b", from: ANN })).toEqual({
    status: "already",
    text: "Allowed once by Ann, 12:00.",
  });
  expect(await channel.press(deny, { key: "c", from: ANN })).toMatchObject({ status: "already" });
  await agent.idle();
  expect(here.runs()).toBe(1);
  expect(ofType(await here.records("talk:1"), "approval.resolved")).toMatchObject([{ verdict: "allow", by: "ann" }]);
  expect(ofType(await here.records("talk:1"), "control.handled")).toMatchObject([{ control: "allow", by: ANN }]);
  expect(channel.edits.map(({ platformId }) => platformId)).toEqual(["platform-1"]);
  expect(textsOf(channel.edits)[0]).toBe(`${channel.texts("approval")[0]}\n\nAllowed once by Ann, 12:00.`);
  expect(channel.edits[0]?.message).not.toHaveProperty("actions");
});

test("CH26 many presses at once are one answer", async () => {
  const here = await place();
  const { allow, deny } = await asked(here);
  const { channel, agent } = here;
  const presses = Array.from({ length: 20 }, (_, n) =>
    channel.press(n % 2 === 0 ? allow : deny, { key: `k${n % 5}`, from: ANN }),
  );
  const done = (await Promise.all(presses)).map(({ status }) => status);
  expect(done).toEqual(["done", ...Array.from({ length: 19 }, () => "already")]);
  await agent.idle();
  expect(here.runs()).toBe(1);
  expect(channel.edits).toHaveLength(1);
});

test("CH26 a key of the platform counts once in the whole channel", async () => {
  const here = await place();
  const first = await asked(here, "1", 0);
  const second = await asked(here, "2", 2);
  const { channel, agent } = here;
  expect(await channel.press(first.allow, { key: "a", from: ANN })).toMatchObject({ status: "done" });
  expect(await channel.press(second.allow, { key: "a", chat: "2", from: ANN })).toMatchObject({ status: "already" });
  await agent.idle();
  expect(here.runs()).toBe(1);
  expect(await channel.press(second.allow, { key: "b", chat: "2", from: ANN })).toMatchObject({ status: "done" });
  await agent.idle();
  expect(here.runs()).toBe(2);
});

test("CH70 a button that was used answers no second question, not even about exactly the same", async () => {
  const held = Promise.withResolvers<string>();
  const here = await place({ tools: [tool("rm", "write", () => held.promise)] });
  const { allow } = await asked(here);
  const { channel, agent, records } = here;
  expect(await channel.press(allow, { from: ANN })).toMatchObject({ status: "done" });
  const session = await agent.sessions.find("talk:1");
  await expect.poll(() => session?.state.turn?.calls[0]?.status).toBe("started");
  const [judged] = ofType(await records("talk:1"), "call.judged");
  if (session === undefined || judged === undefined) throw new Error("Nothing was judged.");
  await session.commit(judged); // as after a crash before the effect
  expect(session.state.turn?.calls[0]?.status).toBe("asked");
  expect(await channel.press(allow, { from: ANN })).toMatchObject({ status: "already" });
  expect(session.state.turn?.calls[0]?.status).toBe("asked");
  held.resolve("removed");
  await agent.idle();
});

test("CH71 CH167 who may not answer changes nothing, and is told nothing of it", async () => {
  const here = await place();
  const { allow } = await asked(here);
  const { channel, agent } = here;
  for (const from of [BOB, STRANGER])
    expect(await channel.press(allow, { from })).toEqual({
      status: "not-yours",
      text: "Only an operator can do that.",
    });
  await agent.idle();
  expect(here.runs()).toBe(0);
  expect(channel.edits).toEqual([]);
  expect(await channel.press(allow, { from: ANN })).toMatchObject({ status: "done" });
  await agent.idle();
  expect(here.runs()).toBe(1);
});

test("CH71 who is not admitted is not asked whether they may answer", async () => {
  const here = await place({ mayApprove: () => true });
  const { allow } = await asked(here);
  expect(await here.channel.press(allow, { from: STRANGER })).toMatchObject({ status: "not-yours" });
  expect(here.runs()).toBe(0);
});

test("CH71 the role counts as it is when the button is pressed", async () => {
  const operators = new Set(["ann"]);
  const here = await place({ mayApprove: ({ id }) => operators.has(id) });
  const { allow } = await asked(here);
  operators.delete("ann");
  expect(await here.channel.press(allow, { from: ANN })).toMatchObject({ status: "not-yours" });
  operators.add("bob");
  expect(await here.channel.press(allow, { from: BOB })).toMatchObject({ status: "done" });
});

test("CH70 CH167 a token that was made up, or carried to another chat, is none", async () => {
  const here = await place();
  const { allow } = await asked(here, "1", 0);
  const other = await asked(here, "2", 2);
  expect(other.allow).toMatch(/^[\w-]{22}$/);
  const { channel, agent } = here;
  const wrong = ["", "A".repeat(22), "x", `${allow}A`, allow.slice(1), "../../../../etc/passwd"];
  for (const token of wrong) expect(await channel.press(token, { from: ANN })).toMatchObject({ status: "unknown" });
  expect(await channel.press(allow, { chat: "2", from: ANN })).toMatchObject({ status: "unknown" });
  expect(await channel.press(other.allow, { chat: "1", from: ANN })).toMatchObject({ status: "unknown" });
  await agent.idle();
  expect(here.runs()).toBe(0);
});

test("CH72 CH167 CH168 after its time it does nothing, and the message says so", async () => {
  const here = await place();
  const { allow } = await asked(here);
  const { channel, agent, clock } = here;
  await clock.waitForSleep(EXPIRES_MS - 1000, EXPIRES_MS);
  await clock.advance(EXPIRES_MS);
  await agent.idle();
  expect(await channel.press(allow, { from: ANN })).toEqual({
    status: "expired",
    text: "This question is over. Nothing was done.",
  });
  await agent.idle();
  expect(here.runs()).toBe(0);
  expect(textsOf(channel.edits).map((text) => text.split("\n").at(-1))).toEqual([
    "Nobody answered in time: over since 12:05.",
  ]);
});

test("CH70 CH72 CH167 after a restart it works once, and its message is changed", async () => {
  const first = await place();
  const { allow } = await asked(first);
  const second = await first.again();
  expect(await second.channel.press(allow, { key: "a", from: ANN })).toMatchObject({ status: "done" });
  await second.agent.idle();
  expect(second.runs()).toBe(1);
  expect(textsOf(second.channel.edits)[0]).toMatch(/Allowed once by Ann, \d\d:\d\d\.$/);
  const third = await second.again();
  expect(await third.channel.press(allow, { key: "a", from: ANN })).toMatchObject({ status: "already" });
  expect(await third.channel.press(allow, { key: "b", from: ANN })).toMatchObject({ status: "already" });
  await third.agent.idle();
  expect(third.runs()).toBe(1);
  expect(third.channel.edits).toEqual([]);
});

test("CH70 a question of another conversation that answers into this chat is found too, after a restart", async () => {
  const first = await place();
  const { model, agent, channel } = first;
  model.replies(callsTool("rm"), says("well then"));
  const replyTo = { channel: "talk", chat: "1" };
  await agent.bus.accept({
    key: "1",
    origin: { channel: "pages", chat: "x" },
    replyTo,
    from: ANN,
    parts: [{ type: "text", text: "remove it" }],
  });
  await channel.received(1);
  await agent.idle();
  const token = channel.sent[0]?.actions?.[0]?.token ?? "";
  const second = await first.again();
  expect(await second.channel.press(token, { from: ANN })).toMatchObject({ status: "done" });
  await second.agent.idle();
  expect(second.runs()).toBe(1);
});

test.each([
  ["/allow", "Allowed once by Ann, 12:00."],
  ["/deny", "Denied by Ann, 12:00."],
  ["/stop", "No longer asked since 12:00."],
])("CH72 answered by %s the message loses its buttons too, and a press comes too late", async (words, line) => {
  const here = await place();
  const { allow } = await asked(here);
  const { channel, agent } = here;
  await channel.deliver(words, { from: ANN });
  await agent.idle();
  expect(textsOf(channel.edits).map((text) => text.split("\n").at(-1))).toEqual([line]);
  const { status } = await channel.press(allow, { from: ANN });
  expect(status).toBe(words === "/stop" ? "expired" : "already");
  expect(here.runs()).toBe(words === "/allow" ? 1 : 0);
});

test("CH72 CH168 answered elsewhere it says by whom; a platform that refuses the edit is left alone", async () => {
  let edits = 0;
  const here = await place({ settings: { language: "zh-CN" } }, { buttons: true }, (channel) => ({
    ...channel,
    edit: () => Promise.reject(new Error(`no ${++edits}`)),
  }));
  await asked(here);
  const [approval] = await here.agent.approvals();
  if (approval === undefined) throw new Error("Nothing is asked.");
  await here.agent.control(
    "talk:1",
    { type: "allow", call: approval.call, hash: approval.hash },
    { id: "user", kind: "person" },
  );
  await here.agent.idle();
  expect(here.runs()).toBe(1);
  expect(edits).toBe(1);
  expect(here.channel.texts("reply")).toEqual(["well then"]);
  expect(here.log.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
});

test("CH72 a question that is over before its message leaves has no buttons", async () => {
  const here = await place();
  const { channel, model, agent, clock } = here;
  channel.failNext(1);
  model.replies(callsTool("rm"), says("well then"));
  await channel.deliver("remove it", { from: ANN });
  await channel.attempted(1);
  const [approval] = await agent.approvals();
  if (approval === undefined) throw new Error("Nothing is asked.");
  await agent.control("talk:1", { type: "deny", call: approval.call }, ANN);
  await clock.advance(60_000);
  await agent.idle();
  expect(channel.attempts[0]?.actions).toHaveLength(2);
  expect(channel.sent[0]).toMatchObject({ kind: "approval" });
  expect(channel.sent[0]).not.toHaveProperty("actions");
  expect(textsOf(channel.edits)[0]).toMatch(/Denied by Ann, \d\d:\d\d\.$/);
});

test("PE96 a yes for this chat by button holds here, and for all chats there is no button", async () => {
  const grant = { rule: "test", tool: "rm", scope: { n: "exactly this" }, shown: "rm" };
  const here = await place({
    policy: {
      ...ASK,
      judge: () => ({ kind: "ask", rule: "test", prompt: "Remove it?", expiresInMs: EXPIRES_MS, grant }),
      remember: () => {},
    },
  });
  const { plain } = await asked(here);
  expect(here.channel.sent[0]?.actions?.map(({ style }) => style)).toEqual(["allow", "plain", "deny"]);
  expect(await here.channel.press(plain, { from: ANN })).toEqual({
    status: "done",
    text: "Allowed in this chat, until /new.",
  });
  await here.agent.idle();
  const session = await here.agent.sessions.find("talk:1");
  expect(session?.state.grants).toMatchObject([{ by: "ann" }]);
  expect(textsOf(here.channel.edits)[0]).toMatch(/Allowed in this chat by Ann, \d\d:\d\d\.$/);
});

test("CH71 in a group, and in the chat of another person, no button answers", async () => {
  const here = await place({}, { buttons: true });
  const { allow } = await asked(here);
  const session = await here.agent.sessions.find("talk:1");
  await session?.commit({ type: "audience.set", audience: "group:talk:1" });
  expect(await here.channel.press(allow, { from: ANN })).toMatchObject({ status: "not-yours" });
  await session?.commit({ type: "audience.set", audience: "eva" });
  expect(await here.channel.press(allow, { from: ANN })).toMatchObject({ status: "not-yours" });
  expect(here.runs()).toBe(0);
});

test("CH70 a token stands in the journal, and nowhere in what the model or a transcript reads", async () => {
  const here = await place();
  const { allow } = await asked(here);
  await here.channel.press(allow, { from: ANN });
  await here.agent.idle();
  expect(JSON.stringify(here.model.requests.map(({ body }) => body))).not.toContain(allow);
  expect(ofType(await here.records("talk:1"), "reply.queued")[0]?.question?.actions[0]?.token).toBe(allow);
  const keys = await readFile(`${here.home}/keys/talk.journal`, "utf8");
  expect(keys).not.toContain(allow);
});

test("SE1 CH70 a script that was changed is asked about anew: the old button does nothing", async () => {
  let runs = 0;
  const exec = defineTool<{ readonly command: string }>({
    name: "exec",
    description: "Runs.",
    input: { type: "object", properties: { command: { type: "string" } } },
    effect: "write",
    execute: () => Promise.resolve(`ran ${++runs}`),
  });
  const policy: Policy = {
    ...ASK,
    judge: () => ({ kind: "ask", rule: "test", prompt: "Run it?", expiresInMs: EXPIRES_MS }),
  };
  const { workspace, model, channel, agent } = await place({ tools: [exec], policy });
  await writeFile(`${workspace}/run.sh`, "echo one");
  model.replies(callsTool("exec", { command: "sh run.sh" }), says("well then"));
  await channel.deliver("run it", { from: ANN });
  await channel.received(1);
  await agent.idle();
  await writeFile(`${workspace}/run.sh`, "echo two");
  const first = channel.sent[0]?.actions?.[0]?.token ?? "";
  expect(await channel.press(first, { from: ANN })).toEqual({
    status: "expired",
    text: "By now it would do something else, so it is asked anew. Nothing was done.",
  });
  await channel.received(2);
  await agent.idle();
  expect(textsOf(channel.edits)[0]).toMatch(/No longer asked since \d\d:\d\d\.$/);
  expect(runs).toBe(0);
  const second = channel.sent[1]?.actions?.[0]?.token ?? "";
  expect(second).not.toBe(first);
  expect(await channel.press(second, { from: ANN })).toMatchObject({ status: "done" });
  expect(await channel.press(first, { from: ANN })).toMatchObject({ status: "expired" });
  await agent.idle();
  expect(runs).toBe(1);
});

/** Asks for one host after the other while it runs. */
const knock = defineTool<{ readonly hosts: readonly string[] }>({
  name: "knock",
  description: "Asks.",
  input: { type: "object", properties: { hosts: { type: "array", items: { type: "string" } } } },
  effect: "write",
  timeoutMs: 0,
  execute: async ({ hosts }, { ask, signal }) => {
    const heard: string[] = [];
    for (const host of hosts) {
      const grant = { rule: "network", tool: "knock", scope: { host }, shown: host };
      const prompt = { en: `knock wants ${host}`, "zh-CN": host };
      const answer = await ask?.({ grant, remember: true, prompt, why: "It is new.", waitMs: 45_000 }, signal);
      heard.push(`${host} ${answer?.verdict}`);
    }
    return heard.join(", ");
  },
});

test("CH70 CH72 each question of a running call has buttons of its own", async () => {
  const { model, channel, agent } = await place({ tools: [knock] });
  model.replies(callsTool("knock", { hosts: ["a.example", "b.example"] }), says("well then"));
  await channel.deliver("go", { from: ANN });
  await channel.received(1);
  const [once, here] = channel.sent[0]?.actions?.map(({ token }) => token) ?? [];
  expect(await channel.press(once ?? "", { from: ANN })).toMatchObject({ status: "done" });
  await channel.received(2);
  expect(await channel.press(here ?? "", { from: ANN })).toMatchObject({ status: "already" });
  const deny = channel.sent[1]?.actions?.find(({ style }) => style === "deny")?.token ?? "";
  expect(await channel.press(deny, { from: ANN })).toMatchObject({ status: "done" });
  await agent.idle();
  expect(model.requests[1]?.toolResults.map(({ text }) => text)).toEqual(["a.example allow, b.example deny"]);
  expect(textsOf(channel.edits).map((text) => text.split("\n").at(-1))).toEqual([
    "Allowed once by Ann, 12:00.",
    "Denied by Ann, 12:00.",
  ]);
});
