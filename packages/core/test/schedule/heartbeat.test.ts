import { expect, test } from "vitest";
import { hasActiveTask } from "../../src/schedule/heartbeat-tasks.ts";
import { callsTool, fails, says } from "../../src/testing.ts";
import { type RecordedRequest } from "../../src/internal-testing.ts";
import { ofType } from "../support/agent.ts";
import { startProactive } from "./proactive.ts";
import { textsOf, until } from "./support.ts";

const HALF_HOUR = 1_800_000;
const now = (): AbortSignal => AbortSignal.timeout(10_000);

for (const [active, text] of [
  [false, ""],
  [false, "\n \n"],
  [false, "# Tasks\n\n## Later\n---\n"],
  [false, "<!-- check the mail\n- every day\n-->"],
  [false, "<!-- never closed\ncheck"],
  [false, "- [x] done\n  with a note below it\n* [X] this too\n1. [x] and this"],
  [false, "- [ ] \n- [ ]"],
  [true, "- [ ] check the mail"],
  [true, "check the mail"],
  [true, "- [x] done\n- [ ] not done"],
  [true, "- [x] done\nplain text after it"],
  [true, "- check the mail"],
  [true, "<!-- a --> check <!-- b -->"],
  [true, "#hashtag is no heading"],
] as const)
  test(`R224 HB1 ${JSON.stringify(text)} has ${active ? "something" : "nothing"} to do`, () => {
    expect(hasActiveTask(text)).toBe(active);
  });

test("R224 HB1 CF7 a day of heartbeats and greetings with nothing to do costs no request", async (t) => {
  const scene = await startProactive(t, { greeting: { maxPerDay: 2 } });
  await scene.tasks("# Heartbeat\n<!-- examples -->\n- [x] old\n");
  await scene.go();
  await scene.clock.advance(24 * 3_600_000);
  expect(scene.model.requests).toHaveLength(0);
  expect(scene.chat.sent).toEqual([]);
});

test("R220 R412 R222 half an hour: one check; skip delivers nothing, leaves no row and asks nothing more", async (t) => {
  const scene = await startProactive(t);
  await scene.writes("1");
  await scene.tasks("- [ ] when it rains, warn me");
  await scene.go();
  scene.model.replies(callsTool("heartbeat", { action: "skip" }));
  await scene.clock.advance(HALF_HOUR);
  await until(async () => ofType(await scene.records("heartbeat"), "usage.counted").length === 1);
  await scene.agent.idle();
  expect(scene.model.requests).toHaveLength(2); // the person's and the check
  expect(textsOf(scene.chat)).toEqual(["answer to hello"]);
  expect(ofType(await scene.records("chat:1"), "message.posted")).toEqual([]);
  expect(ofType(await scene.records("heartbeat"), "turn.started")).toEqual([]);
});

test("R221 HB2 the decision is one request without history, with the file, the time and the virtual tool", async (t) => {
  const scene = await startProactive(t);
  await scene.tasks("- [ ] water the plants");
  scene.model.replies(callsTool("heartbeat", { action: "skip" }));
  expect(await scene.heartbeat.checkNow(now())).toBe("skip");
  const [request] = scene.model.requests;
  expect(request?.toolNames).toEqual(["heartbeat"]);
  const users = request?.messages.filter((message) => message.role === "user") ?? [];
  expect(users).toHaveLength(1);
  expect(JSON.stringify(users)).toContain("water the plants");
  expect(JSON.stringify(users)).toContain("2026-03-01 12:00:00 UTC");
});

for (const [what, reply] of [
  ["a text without a call", says("nothing to do")],
  ["run without a task", callsTool("heartbeat", { action: "run" })],
  ["another tool", callsTool("exec", { command: "ls" })],
] as const)
  test(`R221 ${what} is no usable answer and means skip`, async (t) => {
    const scene = await startProactive(t);
    await scene.tasks("- [ ] x");
    scene.model.replies(reply);
    expect(await scene.heartbeat.checkNow(now())).toBe("skip");
    expect(scene.model.requests).toHaveLength(1);
  });

test("R223 HB4 HB5 run is a direct turn whose answer goes to the chat where a person wrote last", async (t) => {
  const scene = await startProactive(t);
  await scene.writes("1");
  await scene.clock.advance(60_000);
  await scene.writes("2", "later");
  // What we send somewhere does not make that chat the last one; nor does the command line.
  await scene.agent.bus.send("chat:1", {
    reply: "cron:x:1",
    to: { channel: "chat", chat: "1" },
    kind: "message",
    parts: [{ type: "text", text: "from a job" }],
    from: { id: "cron", kind: "schedule" },
  });
  scene.model.replies(says("hi"));
  await scene.agent.send("cli:direct", "hello").finished;
  await scene.tasks("- [ ] tell me about the rain");
  scene.model.replies(callsTool("heartbeat", { action: "run", task: "look at the sky" }), says("It rains."));
  expect(await scene.heartbeat.checkNow(now())).toBe("ran");
  await scene.agent.idle();
  expect(scene.chat.sent.at(-1)?.to).toEqual({ channel: "chat", chat: "2" });
  expect(textsOf(scene.chat).at(-1)).toBe("It rains.");
  const posted = ofType(await scene.records("chat:2"), "message.posted");
  expect(posted).toMatchObject([{ from: { id: "heartbeat", kind: "schedule" }, text: "It rains." }]);
  expect(ofType(await scene.records("heartbeat"), "message.received")).toMatchObject([
    { origin: { channel: "heartbeat" }, attended: false, message: { parts: [{ text: "look at the sky" }, {}] } },
  ]);
});

test("R223 HB5 after a restart the last chat is found in the journals; without any the result stays in its session", async (t) => {
  const first = await startProactive(t);
  await first.tasks("- [ ] x");
  const reply = (): void => first.model.replies(callsTool("heartbeat", { action: "run", task: "go" }), says("done it"));
  reply();
  await first.heartbeat.checkNow(now());
  await first.agent.idle();
  expect(first.chat.sent).toEqual([]);
  await first.writes("7");
  const scene = await first.again();
  await scene.clock.advance(1000);
  reply();
  await scene.heartbeat.checkNow(now());
  await scene.agent.idle();
  expect(scene.chat.sent).toMatchObject([{ to: { chat: "7" } }]);
});

test("R220 a restart does not move the time of the next check", async (t) => {
  const first = await startProactive(t);
  await first.tasks("- [ ] x");
  await first.go();
  await first.clock.advance(20 * 60_000);
  const scene = await first.again();
  await scene.go();
  scene.model.replies(callsTool("heartbeat", { action: "skip" }));
  await scene.clock.advance(9 * 60_000);
  expect(scene.model.requests).toHaveLength(0);
  await scene.clock.advance(60_000);
  await until(() => Promise.resolve(scene.model.requests.length === 1));
});

test("HB3 an error is logged once and told to nobody", async (t) => {
  const scene = await startProactive(t);
  await scene.writes("1");
  await scene.tasks("- [ ] x");
  for (let n = 0; n < 3; n++) {
    scene.model.replies(fails(401, { error: { message: "bad key" } }));
    expect(await scene.heartbeat.checkNow(now())).toBe("failed");
  }
  expect(scene.scheduleLog.lines.map(({ event }) => event)).toEqual(["heartbeat.failed"]);
  expect(textsOf(scene.chat)).toEqual(["answer to hello"]);
});

for (const [heartbeat, greeting] of [
  [false, false],
  [true, false],
  [false, true],
] as const)
  test(`R225 heartbeat and greeting are two features: heartbeat ${heartbeat ? "on" : "off"}, greeting ${greeting ? "on" : "off"}`, async (t) => {
    const scene = await startProactive(t, { heartbeat: { enabled: heartbeat }, greeting: { enabled: greeting } });
    await scene.writes("1");
    await scene.tasks("- [ ] x");
    const before = scene.model.requests.length;
    const isHeartbeat = ({ toolNames }: RecordedRequest): boolean => toolNames.includes("heartbeat");
    const asked = (which: (request: RecordedRequest) => boolean): number =>
      scene.model.requests.slice(before).filter(which).length;
    scene.model.route(isHeartbeat, ...Array.from({ length: 40 }, () => callsTool("heartbeat", { action: "skip" })));
    scene.model.route((request) => !isHeartbeat(request), ...Array.from({ length: 4 }, () => says("How are you?")));
    await scene.go();
    if (heartbeat) {
      await scene.clock.advance(30 * 60_000);
      await until(async () => asked(isHeartbeat) > 0);
    }
    await scene.slots(6);
    if (greeting) await until(async () => textsOf(scene.chat).includes("How are you?"));
    await scene.agent.idle();
    expect([asked(isHeartbeat) > 0, asked((request) => !isHeartbeat(request)) > 0]).toEqual([heartbeat, greeting]);
  });
