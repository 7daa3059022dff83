import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { fakeClock, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay } from "../cli/harness.ts";
import { ADMIT, running, started } from "./running.ts";
import { postSigned, SECRET, startReceiver } from "./support.ts";

test("R260 R256 a listed sender is answered through the webhook, once, and unattended", async () => {
  const { app, model, receiver, port } = await running({ allowFrom: ["ada"] });
  model.replies(says("hello Ada"));
  const message = { id: "m1", chat: "ops", sender: "ada", text: "hi" };
  expect((await postSigned(port, message)).status).toBe(202);
  await receiver.took(1);
  expect(receiver.received[0]?.body).toMatchObject({ kind: "reply", chat: "ops", text: "hello Ada" });
  expect(await postSigned(port, message)).toEqual({ status: 200, body: { status: "duplicate" } });
  expect((await postSigned(port, { ...message, id: "m2", sender: "Ada" })).status).toBe(403);
  await app.agent.idle();
  expect([receiver.calls, model.requests.length]).toEqual([1, 1]);
  const session = await app.agent.sessions.find("webhook:ops");
  const attended: boolean[] = [];
  for await (const { records } of session?.history() ?? [])
    for (const record of records) if (record.type === "message.received") attended.push(record.attended);
  expect(attended).toEqual([false]);
});

test("R260 CH14 a stranger gets a code in a private chat only; paired it may write, unpaired no more", async () => {
  const { model, receiver, place, port } = await running();
  model.replies(says("now I know you"));
  const message = { id: "m1", chat: "ada", sender: "ada", text: "hi" };
  expect(await postSigned(port, message)).toEqual({ status: 403, body: { status: "refused" } });
  const { status, body } = await postSigned(port, { ...message, private: true });
  const code = /pair ([A-Z2-9]{8}) /.exec(String(body["answer"]))?.[1] ?? "";
  expect([status, code.length]).toEqual([403, 8]);
  expect(await place.run(["channels", "pair", "AAAA2222"])).toMatchObject({ code: 2 });
  expect(await place.run(["channels", "pair", code])).toMatchObject({ code: 0, out: expect.stringContaining("ada") });
  expect((await postSigned(port, message)).status).toBe(202);
  await receiver.took(1);
  expect((await place.run(["channels", "list", "--json"])).lines[0]).toMatchObject([
    { name: "webhook", enabled: true, known: true, paired: ["ada"] },
  ]);
  expect(await place.run(["channels", "unpair", "webhook", "ada"])).toMatchObject({ code: 0 });
  expect(await place.run(["channels", "unpair", "webhook", "ada"])).toMatchObject({ code: 2 });
  expect((await postSigned(port, { ...message, id: "m2" })).status).toBe(403);
});

test("R258 R254 what nobody asked for leaves the process: a job's text, tried again after a refusal", async () => {
  const { app, receiver, model } = await running();
  receiver.answer(503, 1);
  const { cron } = app.schedule;
  const to = { channel: "webhook", chat: "ops" };
  const job = await cron?.add({ message: "stand up", every_seconds: 3600, mode: "deliver", to });
  expect(await cron?.runNow(job?.id ?? "", new AbortController().signal)).toMatchObject({ status: "ok" });
  await receiver.took(1);
  expect(receiver.received[0]?.body).toMatchObject({ chat: "ops", text: expect.stringContaining("stand up") });
  expect([receiver.calls, model.requests.length]).toEqual([2, 0]);
});

test("DF23 CH48 a receiver that asks to wait 238 seconds is left alone that long", async () => {
  const clock = fakeClock(Date.now());
  const { app, receiver } = await running({ allowFrom: ["ada"] }, { clock });
  receiver.answer(429, 1, { "retry-after": "238" });
  const to = { channel: "webhook", chat: "ops" };
  await app.agent.bus.send("webhook:ops", {
    reply: "r1",
    to,
    kind: "message",
    parts: [{ type: "text", text: "hello" }],
  });
  const wait = await clock.waitForSleep(200_000, 280_000);
  expect(wait).toBeGreaterThanOrEqual(238_000);
  expect(receiver.calls).toBe(1);
  await clock.advance(wait);
  await receiver.took(1);
});

test("DF23 CH60 a port that is taken at the start is tried again until it is free, and the status says so", async () => {
  const holder = createServer();
  holder.listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const { app, listening } = await started({ allowFrom: ["ada"], options: { port } });
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (app.inside.platforms.status("webhook")?.state === "retrying") resolve();
    };
    onTestFinished(app.inside.platforms.watch(look));
    look();
  });
  expect(app.inside.platforms.status("webhook")?.error).toContain("EADDRINUSE");
  holder.close();
  await once(holder, "close");
  expect(await listening).toBe(port);
  expect(app.inside.platforms.status("webhook")).toMatchObject({ state: "up" });
  expect((await postSigned(port, { id: "m1", chat: "ops", sender: "ada", text: "hi" })).status).toBe(202);
});

test("CH95 margay channels test says step by step what works, sends one signed message, and what to do where it fails", async () => {
  await using receiver = await startReceiver();
  const place = margay();
  expect((await place.run(["channels", "list"])).out).toContain("No channel is configured");
  place.configure({ channels: { webhook: { ...ADMIT, options: { url: receiver.url } } } });
  const tried = await place.run(["channels", "test", "webhook"]);
  expect(tried).toMatchObject({ code: 0, err: "" });
  expect(tried.out).toMatch(
    /Settings are complete +ok +\n.*reached +ok.*\n.*come in +not tried .*\n.*delivered +not tried +No chat/,
  );
  expect(receiver.received.filter(({ body }) => body["kind"] === "message")).toEqual([]); // nobody said where to
  expect(await place.run(["channels", "test", "webhook", "--to", "ops"])).toMatchObject({ code: 0, err: "" });
  expect(receiver.received.at(-1)?.body).toMatchObject({ kind: "message", chat: "ops" });
  const chinese = await place.run(["channels", "test", "webhook", "--json", "--lang", "zh-CN"]);
  expect(JSON.parse(chinese.out)).toMatchObject({
    name: "webhook",
    ok: true,
    steps: [{ title: "设置完整" }, {}, {}, {}],
  });
  receiver.answer(404, 1);
  const refused = await place.run(["channels", "test", "webhook", "--to", "ops"]);
  expect(refused.out).toMatch(/delivered +failed/);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("refused with 404") });
  expect(refused.err).not.toContain(SECRET);
  expect(await place.run(["channels", "test", "webhok"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("webhook"),
  });
});

test("R381 a channel without secret, or with an address that is none, is refused with the key to set", async () => {
  for (const [webhook, key] of [
    [{ enabled: true }, "channels.webhook.secret"],
    [{ ...ADMIT, options: { url: "file:///etc/passwd" } }, "channels.webhook.options.url"],
    [{ ...ADMIT, options: { port: 70_000 } }, "channels.webhook.options.port"],
  ] as const) {
    const place = margay();
    place.configure({ channels: { webhook } });
    const { code, err } = await place.run(["agent", "-m", "hi"]);
    expect([code, err]).toEqual([78, expect.stringContaining(key)]);
  }
});
