import { expect, test } from "vitest";
import { says } from "../../src/testing.ts";
import { ofType } from "../support/agent.ts";
import { CHAT, job, startCron, textsOf } from "./support.ts";

const HOUR = 3_600_000;

test("R237 R239 SS11 a due job runs as a turn of its own session and its answer is delivered and a row of its chat", async (t) => {
  const scene = await startCron(t);
  const { agent, cron, clock, chat, model } = scene;
  const { id } = await cron.add(job());
  scene.go();
  model.replies(says("Time to drink."));
  await clock.advance(HOUR);
  await chat.received(1);
  expect(textsOf(chat)).toEqual(["Time to drink."]);
  const own = await scene.records(`cron:${id}`);
  expect(ofType(own, "message.received")).toMatchObject([
    { key: `cron:${id}:${clock.now()}`, origin: { channel: "cron", chat: id }, attended: false },
  ]);
  expect(ofType(await scene.records("chat:42"), "message.posted")).toMatchObject([
    { from: { id: "cron", kind: "schedule" }, text: "Time to drink." },
  ]);
  await agent.idle();
});

test("R238 CR11 deliver sends the text byte for byte without a model", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model } = scene;
  const message = "喝水 💧  two  spaces\nand a line";
  await cron.add(job({ message, mode: "deliver", name: "Water" }));
  scene.go();
  await clock.advance(HOUR);
  await chat.received(1);
  expect(textsOf(chat)).toEqual([message]);
  expect(chat.sent[0]?.to).toEqual(CHAT);
  expect(model.requests).toHaveLength(0);
});
