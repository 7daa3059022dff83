// A platform that takes an answer only with what came with the message, by a plugin as a user installs it.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { deskGateway } from "./desk-gateway.ts";

const ANSWERS_ONLY = { window: { ms: 3_600_000, uses: 1, unsolicited: false } };

test("CH30 CH44 CH98 an answer leaves with its handle, what comes after it is held, is shown so, and leaves with the next one", async (t) => {
  const { desk, gateway, operate, waiting, settles, said, run } = await deskGateway(t, { can: ANSWERS_ONLY });
  gateway.model.replies(says("First."), says("Second."));
  desk.write("one", { handle: { data: { token: "TOKEN-1" } } });
  await desk.showed(1);
  await settles([]);
  const notice = { to: { channel: "desk", chat: "1" }, kind: "message" } as const;
  await gateway.app.agent.bus.send("desk:1", { ...notice, reply: "r", parts: [{ type: "text", text: "Notice." }] });
  await settles(["held"]);
  const [item] = await waiting();
  expect((await operate("getChannel", { params: { id: "desk" } })).body.outbox).toMatchObject({ pending: 0, held: 1 });
  expect((await run("channels", "waiting")).out).toMatch(/held\s+desk:1\s.*Notice\./);
  const { items } = (await gateway.api(`/sessions/${item.session}/messages`)).body;
  expect(items.at(-1)).toMatchObject({ kind: "delivery", state: "window" });
  desk.write("two", { handle: { data: { token: "TOKEN-2" } } }); // good for one message: what was held goes first
  await desk.showed(2);
  await settles(["held"]);
  desk.write("/status", { handle: { data: { token: "TOKEN-3" }, uses: 5 } });
  await desk.showed(3);
  expect(said().slice(0, 3)).toEqual(["First.", "Notice.", "Second."]);
  expect(desk.shown.slice(0, 3).map(({ handle }) => handle)).toEqual([
    { token: "TOKEN-1" },
    { token: "TOKEN-2" },
    { token: "TOKEN-3" },
  ]);
  expect(JSON.stringify((await gateway.api(`/sessions/${item.session}/events?limit=1000`)).body)).not.toContain(
    "TOKEN-",
  );
});

test("CH44 the word of the platform holds: what it calls too late waits for the next message, and is sent once", async (t) => {
  const { desk, gateway, settles, said } = await deskGateway(t, { can: ANSWERS_ONLY });
  gateway.model.replies(says("First."));
  desk.close(1);
  desk.write("one", { handle: { data: 1 } });
  await settles(["held"]);
  expect([desk.refused.map(({ handle }) => handle), said()]).toEqual([[1], []]);
  desk.write("/status", { handle: { data: 2, uses: 9 } });
  await desk.showed(2);
  expect(desk.shown[0]).toMatchObject({ text: "First.", handle: 2 });
});

test("CH99 a job, a webhook and a heartbeat to a chat that takes answers alone are refused when they are saved", async (t) => {
  const { gateway, operate, run } = await deskGateway(t, { can: ANSWERS_ONLY });
  const job = { message: "news", every_seconds: 3600, to: { channel: "desk", chat: "1" } };
  const { cron } = gateway.app.schedule;
  await expect(cron?.add(job)).rejects.toMatchObject({
    code: "cron.invalid",
    message: expect.stringContaining("takes answers alone"),
  });
  expect(await cron?.list()).toEqual([]);
  const command = await run("cron", "add", "--every", "1h", "--to", "desk:1", "--message", "news");
  expect([command.code === 0, command.err.includes("takes answers alone")]).toEqual([false, true]);
  for (const [path, value] of [
    ["heartbeat.target", "desk:1"],
    ["gateway.hooks.mail.deliver", '["desk:1"]'],
  ] as const) {
    const set = await run("config", "set", path, value);
    expect([path, set.code === 0, set.err.includes("takes answers alone")]).toEqual([path, false, true]);
  }
  expect((await operate("getChannel", { params: { id: "desk" } })).status).toBe(200);
});

test("CH99 where texts may come unasked a job is saved", async (t) => {
  const { gateway } = await deskGateway(t, { can: { window: { ms: 3_600_000, unsolicited: true } } });
  const job = { message: "news", every_seconds: 3600, to: { channel: "desk", chat: "1" } };
  expect(await gateway.app.schedule.cron?.add(job)).toMatchObject({ to: { channel: "desk", chat: "1" } });
});

test("CH98 the status says how a channel is, what waits there and how long ago what happened; so do the metrics", async (t) => {
  const { desk, gateway, operate, settles, run } = await deskGateway(t, { can: ANSWERS_ONLY });
  gateway.model.replies(says("First."));
  desk.write("one");
  await desk.showed(1);
  await settles([]);
  const to = { channel: "desk", chat: "1" };
  await gateway.app.agent.bus.send("desk:1", { to, kind: "message", reply: "r", parts: [{ type: "text", text: "x" }] });
  await settles(["held"]);
  const view = (await operate("getChannel", { params: { id: "desk" } })).body;
  expect(view).toMatchObject({ state: "up", account: "desk", once: "no", reconnects: 0, deadLetters: 0 });
  for (const name of ["since", "lastIn", "lastOut", "lastFrame", "cursorAt"])
    expect([name, view[name] > 0]).toEqual([name, true]);
  desk.cut();
  await expect
    .poll(async () => (await operate("getChannel", { params: { id: "desk" } })).body)
    .toMatchObject({ state: "up", reconnects: 1 });
  const { out } = await run("channels", "status");
  expect(out).toMatch(
    /desk\s+up\s+at least once\s+since .*, last sign of life \d.*, last in \d.* 0 waiting, 1 held, 0 uncertain, 0 failed, 0 unreadable, 1 reconnect in 24 h/,
  );
  const metrics = String((await gateway.api("/!/metrics")).body);
  for (const [name, value] of Object.entries({
    up: 1,
    reconnects: 1,
    waiting: 0,
    held: 1,
    uncertain: 0,
    failed: 0,
    dead_letters: 0,
    limited_seconds: 0,
  }))
    expect(metrics).toContain(`margay_channel_${name}{channel="desk"} ${value}\n`);
  expect(metrics).toContain('margay_channel_info{channel="desk",kind="desk",state="up",once="no"} 1\n');
  for (const name of ["state", "last_frame", "last_in", "last_out", "cursor"])
    expect(metrics).toMatch(new RegExp(`margay_channel_${name}_age_seconds\\{channel="desk"\\} \\d`));
});

test("CH98 CH43 what is wrong with a channel, and for how long its platform knows a key, is said in words, in both languages", async (t) => {
  const { operate, run } = await deskGateway(t, {
    can: { once: "key", onceMs: 120_000 },
    channel: { baseUrl: "http://127.0.0.1:9" },
  });
  await expect
    .poll(async () => (await operate("getChannel", { params: { id: "desk" } })).body)
    .toMatchObject({ state: "retrying", once: "key", onceMs: 120_000 });
  const { out } = await run("channels", "status");
  expect(out).toMatch(/desk\s+tried again\s+once within 2 min\s+since/);
  expect(out).toMatch(/^desk: \S.* Start it\.$/m);
  const { out: chinese } = await run("channels", "status", "--lang", "zh-CN");
  expect(chinese).toMatch(/desk\s+重试中\s+2 分钟内只显示一次\s+自/);
});
