// Where nobody can be reached: refused when it is said, and never paid for later.
import type { Commit } from "@margay/core";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { margay } from "../cli/harness.ts";
import { running, type Running } from "./running.ts";
import { postSigned } from "./support.ts";

const signal = (): AbortSignal => new AbortController().signal;

test("DF24 PE85 a channel of a kind that does not exist is refused at the start and by doctor, which repairs it", async () => {
  const place = margay();
  place.configure({ channels: { telegramm: { enabled: true, allowFrom: ["7"] } } });
  const start = await place.run(["agent", "-m", "hi"]);
  expect([start.code, start.err]).toEqual([78, expect.stringContaining("channels.telegramm is switched on")]);
  const doctor = await place.run(["doctor", "--json"]);
  const repair = "margay config set channels.telegramm.enabled false";
  expect(doctor.out).toContain(repair);
  expect(await place.run(repair.split(" ").slice(1))).toMatchObject({ code: 0 });
  expect((await place.run(["doctor", "--json"])).out).not.toContain(repair);
});

test("DF24 PE85 a job to a channel that is unknown or off is refused with what to do", async () => {
  const { app } = await running();
  const add = (channel: string) =>
    app.schedule.cron?.add({ message: "news", every_seconds: 3600, to: { channel, chat: "42" } });
  await expect(add("telegramm")).rejects.toMatchObject({
    code: "cron.invalid",
    message: expect.stringContaining("there is no channel telegramm"),
  });
  expect(await app.schedule.cron?.list()).toEqual([]);
  expect(await add("webhook")).toMatchObject({ to: { channel: "webhook" } });
  const off = await running({ enabled: false }, { listens: false });
  await expect(
    off.app.schedule.cron?.add({ message: "news", every_seconds: 3600, to: { channel: "webhook", chat: "42" } }),
  ).rejects.toThrow("channels.webhook.enabled true");
});

test("DF24 PE84 PE85 a job whose channel was switched off meanwhile asks no model, and is paused after three times", async () => {
  const { app, model } = await running();
  const { cron } = app.schedule;
  const job = await cron?.add({ message: "news", every_seconds: 3600, to: { channel: "webhook", chat: "42" } });
  const { config } = app.loaded;
  const { webhook } = config.channelsById;
  if (webhook === undefined) throw new Error("the channel is configured above");
  const channelsById = { webhook: { ...webhook, enabled: false, allowFrom: [], operators: [] } };
  app.configure({ ...app.loaded, config: { ...config, channelsById } });
  for (let n = 0; n < 3; n += 1)
    expect(await cron?.runNow(job?.id ?? "", signal())).toMatchObject({
      status: "error",
      error: expect.stringContaining("switched off"),
    });
  expect(await cron?.list()).toMatchObject([{ enabled: false, failures: 3 }]);
  expect(model.requests).toHaveLength(0);
  const session = `cron:${job?.id}`;
  expect(app.inside.notifications.list()).toMatchObject([
    { kind: "paused", session, count: 1 },
    { kind: "undeliverable", session, count: 1 },
  ]);
});

test("DF24 PE84 a job that fails three times for the budget is paused, and its chat is told once", async () => {
  const { app, model, receiver } = await running(
    {},
    { config: { budgets: [{ scope: "day", tokens: 1 }] }, env: { MARGAY_COMMAND: "npm start --" } },
  );
  const { cron } = app.schedule;
  const job = await cron?.add({ message: "news", every_seconds: 3600, to: { channel: "webhook", chat: "42" } });
  for (let n = 0; n < 3; n += 1) await cron?.runNow(job?.id ?? "", signal());
  await app.agent.idle();
  expect(await cron?.list()).toMatchObject([{ enabled: false, failures: 3 }]);
  const told = receiver.received.map(({ body }) => String(body["text"])).filter((text) => text.includes("is paused"));
  expect(told).toEqual([expect.stringContaining("failed 3 times in a row")]);
  expect(told[0]).toContain(`npm start -- cron enable ${job?.id} switches`);
  expect(app.inside.notifications.list()).toEqual([]);
  expect(model.requests).toHaveLength(0);
});

test("DF24 PE86 what the heartbeat did goes once to the operator's last chat on a webhook, never to a guest", async () => {
  const { app, model, receiver, port } = await running(
    { allowFrom: ["ann"] },
    { config: { heartbeat: { enabled: true } }, files: { "HEARTBEAT.md": "- [ ] water the plants\n" } },
  );
  const { pairing } = app.inside;
  await pairing.accept((await pairing.offer("webhook", "ada")) ?? "", "operator");
  model.replies(says("hello Ada"), says("hello Ann"));
  await postSigned(port, { id: "o1", chat: "ada", sender: "ada", text: "hi" });
  await receiver.took(1);
  await postSigned(port, { id: "g1", chat: "ann", sender: "ann", text: "hi" });
  await receiver.took(2);
  model.replies(callsTool("heartbeat", { action: "run", task: "water the plants" }), says("The plants are watered."));
  expect(await app.schedule.heartbeat.checkNow(signal())).toBe("ran");
  await receiver.took(3);
  await app.agent.idle();
  expect(receiver.received.slice(2).map(({ body }) => [body["chat"], body["text"]])).toEqual([
    ["ada", "The plants are watered."],
  ]);
});

const TASKS = { "HEARTBEAT.md": "- [ ] water the plants\n" };
const RAN = [callsTool("heartbeat", { action: "run", task: "water the plants" }), says("The plants are watered.")];

async function said({ app }: Running, sessionKey: string): Promise<string> {
  const session = await app.agent.sessions.find(sessionKey);
  const commits: Commit[] = [];
  for await (const commit of session?.history() ?? []) commits.push(commit);
  return JSON.stringify(commits);
}

async function isOperator({ app, model, receiver, port }: Running, chat: string): Promise<void> {
  const { pairing } = app.inside;
  await pairing.accept((await pairing.offer("webhook", "ada")) ?? "", "operator");
  model.replies(says("hello Ada"));
  await postSigned(port, { id: `o-${chat}`, chat, sender: "ada", text: "hi" });
  await receiver.took(receiver.received.length + 1);
  await app.agent.idle();
}

for (const [where, target] of [
  ["in a fresh home, where nobody wrote yet,", undefined],
  ["with the target web, though there is a chat,", "web"],
] as const)
  test(`PE86 R223 ${where} what the heartbeat did is a notification, and its text stays in its conversation`, async () => {
    const place = await running(
      {},
      { config: { heartbeat: { enabled: true, ...(target !== undefined && { target }) } }, files: TASKS },
    );
    const { app, model, receiver } = place;
    if (target !== undefined) await isOperator(place, "ada");
    const before = receiver.received.length;
    model.replies(...RAN);
    expect(await app.schedule.heartbeat.checkNow(signal())).toBe("ran");
    await app.agent.idle();
    expect(receiver.received).toHaveLength(before);
    expect(app.inside.notifications.list()).toMatchObject([
      { kind: "result", session: "heartbeat", count: 1, seen: false },
    ]);
    expect(await said(place, "heartbeat")).toContain("The plants are watered.");
  });

test("PE86 R223 with an address the heartbeat writes there, once, whoever wrote last elsewhere", async () => {
  const place = await running({}, { config: { heartbeat: { enabled: true, target: "webhook:ops" } }, files: TASKS });
  const { app, model, receiver } = place;
  await isOperator(place, "ada");
  model.replies(...RAN);
  expect(await app.schedule.heartbeat.checkNow(signal())).toBe("ran");
  await receiver.took(2);
  await app.agent.idle();
  expect(receiver.received.slice(1).map(({ body }) => [body["chat"], body["text"]])).toEqual([
    ["ops", "The plants are watered."],
  ]);
  expect(app.inside.notifications.list()).toEqual([]);
});

test("PE86 a chat in which a guest reads along is never the last one, and no model is asked for it when it is named", async () => {
  const place = await running({ allowFrom: ["ann"] }, { config: { heartbeat: { enabled: true } }, files: TASKS });
  const { app, model, receiver, port } = place;
  await isOperator(place, "own");
  await isOperator(place, "both");
  model.replies(says("hello Ann"));
  await postSigned(port, { id: "g1", chat: "both", sender: "ann", text: "hi" });
  await receiver.took(3);
  await app.agent.idle();
  expect(await app.schedule.heartbeatTarget()).toEqual({ to: { channel: "webhook", chat: "own" } });
  const { config } = app.loaded;
  app.configure({ ...app.loaded, config: { ...config, heartbeat: { ...config.heartbeat, target: "webhook:both" } } });
  const asked = model.requests.length;
  expect(await app.schedule.heartbeat.checkNow(signal())).toBe("failed");
  expect(model.requests).toHaveLength(asked);
  expect(app.inside.notifications.list()).toMatchObject([{ kind: "undeliverable", session: "heartbeat" }]);
});

test("PE85 PE86 a heartbeat and a greeting to a channel that is off ask no model, and that is told once a day", async () => {
  const target = "telegram:42";
  const { app, model } = await running(
    {},
    {
      config: { heartbeat: { enabled: true, target }, greeting: { enabled: true, target, quietHours: "00-00" } },
      files: TASKS,
    },
  );
  for (let n = 0; n < 3; n += 1) {
    expect(await app.schedule.heartbeat.checkNow(signal())).toBe("failed");
    expect(await app.schedule.greeting.checkNow(signal())).toBe("failed");
  }
  expect(model.requests).toHaveLength(0);
  expect(app.inside.notifications.list()).toMatchObject([
    { kind: "undeliverable", session: "greeting", count: 1 },
    { kind: "undeliverable", session: "heartbeat", count: 1 },
  ]);
});

test("PE86 R226 a person who writes on the pages alone is greeted there: a row of its own conversation and a notification", async () => {
  const clock = fakeClock(Date.UTC(2026, 2, 2, 9));
  const place = await running(
    {},
    { clock, config: { timeZone: "UTC", greeting: { enabled: true, idleHours: 1, maxPerDay: 1 } } },
  );
  const { app, model } = place;
  model.replies(says("good luck"), says("How was the exam?"));
  await app.agent.send("web:1", "my exam is today", { origin: { channel: "web", chat: "1" } }).finished;
  expect(await app.schedule.greeting.checkNow(signal())).toBe("not-due");
  await clock.advance(2 * 3_600_000);
  expect(await app.schedule.greeting.checkNow(signal())).toBe("sent");
  await app.agent.idle();
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("my exam is today");
  expect(app.inside.notifications.list()).toMatchObject([{ kind: "result", session: "greeting", count: 1 }]);
  expect(await said(place, "greeting")).toContain("How was the exam?");
  await clock.advance(2 * 3_600_000);
  expect(await app.schedule.greeting.checkNow(signal())).toBe("quota");
});

test("PE85 PE86 a job may go to each place of our own, a heartbeat to none of them but the pages", async () => {
  const place = margay();
  const ours = ["cli", "web", "api", "cron", "heartbeat", "greeting", "subagent", "hook", "system", "direct"];
  for (const channel of ours) {
    const to = `${channel}:x`;
    expect(await place.run(["cron", "add", "--message", "news", "--every", "1h", "--to", to])).toMatchObject({
      code: 0,
    });
    const set = await place.run(["config", "set", "heartbeat.target", to]);
    expect([set.code, set.err]).toEqual([
      78,
      expect.stringContaining(`${channel} is no chat that something can be sent to`),
    ]);
  }
});

for (const [key, value, reason] of [
  ["heartbeat.target", "telegramm:42", "there is no channel telegramm"],
  ["heartbeat.target", "webhook:42", "channels.webhook.enabled true"],
  ["heartbeat.target", "cli:direct", "no chat that something can be sent to"],
  ["greeting.target", "webhook:42", "channels.webhook.enabled true"],
  ["gateway.hooks.ci.deliver", '["telegramm:42"]', "there is no channel telegramm"],
] as const)
  test(`PE85 PE86 config set ${key} ${value} is refused with what to do`, async () => {
    const place = margay();
    place.configure({ channels: { webhook: { enabled: false } } });
    const set = await place.run(["config", "set", key, value]);
    expect([set.code, set.err]).toEqual([78, expect.stringContaining(reason)]);
    expect((await place.run(["config", "get", key])).out).not.toContain(value);
    expect(await place.run(["config", "set", "heartbeat.target", "web"])).toMatchObject({ code: 0 });
  });

test("PE85 R427 a job and a webhook whose chat nobody can be reached in are problems of doctor, and each repair takes its own away", async () => {
  const place = margay();
  const webhook = { enabled: true, secret: "webhook-secret-of-a-test", allowFrom: ["ada"] };
  place.configure({ channels: { webhook } });
  const job = ["cron", "add", "--message", "news", "--every", "1h", "--to", "webhook:42", "--json"];
  const id = String((await place.run(job)).lines[0]?.["id"]);
  const hooks = { ci: { deliver: ["webhook:42", "web:me"] } };
  place.configure({ channels: { webhook: { ...webhook, enabled: false } }, gateway: { port: 0, hooks } });
  const targets = async (): Promise<readonly (string | undefined)[]> => {
    const { findings } = JSON.parse((await place.run(["doctor", "--json"])).out) as {
      findings: readonly { readonly id: string; readonly level: string; readonly repair?: string }[];
    };
    return findings.filter((one) => one.id === "targets" && one.level === "problem").map(({ repair }) => repair);
  };
  expect(await targets()).toEqual([
    `margay config set gateway.hooks.ci.deliver '["web:me"]'`,
    `margay cron disable ${id}`,
  ]);
  expect(await place.run(["config", "set", "gateway.hooks.ci.deliver", '["web:me"]'])).toMatchObject({ code: 0 });
  expect(await place.run(["cron", "disable", id])).toMatchObject({ code: 0 });
  expect(await targets()).toEqual([]);
  const enabled = await place.run(["cron", "enable", id]);
  expect([enabled.code, enabled.err]).toEqual([2, expect.stringContaining("channels.webhook.enabled true")]);
});

test("PE89 somebody who was paired is reached by message before they wrote, and it is a row of their chat", async () => {
  const place = await running();
  const { app, model, receiver } = place;
  const { pairing } = app.inside;
  await pairing.accept((await pairing.offer("webhook", "eva")) ?? "");
  const call = callsTool("message", { content: "hello eva", channel: "webhook", chat_id: "eva" });
  model.replies(call, says("Told her."));
  await app.agent.send("web:1", "tell eva hello", { origin: { channel: "web", chat: "1" } }).finished;
  await app.agent.idle();
  expect(receiver.received.map(({ body }) => [body["chat"], body["text"]])).toEqual([["eva", "hello eva"]]);
  expect(await said(place, "webhook:eva")).toContain("message.posted");
});
