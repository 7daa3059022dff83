// Keys of what happens without a message.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { happens, offered, type Probe, type Probes, type World } from "./probe.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const UTC: JsonObject = { timeZone: "UTC" };
const CHAT = (url: string): JsonObject => ({
  channels: { webhook: { enabled: true, secret: "webhook-secret-of-a-probe", allowFrom: ["user"], options: { url } } },
});

/** It is noon: somebody wrote, and then nobody for `hours`. */
async function greeted({ app, model, clock }: World, hours: number, by: "itself" | "us" = "us"): Promise<unknown> {
  model.replies(says("hello"), says("How are you?"));
  await operator(app);
  await app.agent.send("webhook:42", "hi there", { origin: { channel: "webhook", chat: "42" } }).finished;
  await clock.advance(hours * HOUR);
  return by === "itself" ? undefined : app.schedule.greeting.checkNow(AbortSignal.timeout(60_000));
}

/** Who writes is the operator: a guest gets nothing that nobody asked for. */
async function operator({ inside: { pairing } }: World["app"]): Promise<void> {
  await pairing.accept((await pairing.offer("webhook", "user")) ?? "", "operator");
}

/** Only what the test asks for becomes due: the parts that wait for their time wait for the first password. */
const greeting = (values: Probe["values"], see: Probe["see"], saw: Probe["saw"], given: JsonObject = {}): Probe => ({
  values,
  config: ({ webUrl }) => ({
    ...UTC,
    ...CHAT(webUrl),
    greeting: { enabled: true, idleHours: 1, target: "webhook:42", ...given },
  }),
  place: { setup: true },
  stopped: true,
  see,
  saw,
});

/** A job of every hour, as a client of the gateway adds it. */
async function job({ api }: World, more: JsonObject = {}): Promise<string> {
  const added = await api("/cron/jobs", {
    method: "POST",
    body: {
      trigger: { kind: "every", everyMs: HOUR },
      message: "look outside",
      target: { channel: "web", chat: "me" },
      ...more,
    },
  });
  return added.body.id as string;
}

export const SCHEDULE: Probes = {
  "heartbeat.enabled": {
    values: [false, true],
    stopped: true,
    place: { prepare: ({ workspace }) => writeFileSync(join(workspace, "HEARTBEAT.md"), "- [ ] water the plants\n") },
    see: async ({ clock, model }) => {
      await clock.waitForSleep();
      await clock.advance(31 * MINUTE);
      return happens(model.received(1));
    },
    saw: [false, true],
  },
  "heartbeat.intervalMinutes": {
    values: [10, 40],
    config: { heartbeat: { enabled: true } },
    stopped: true,
    place: { prepare: ({ workspace }) => writeFileSync(join(workspace, "HEARTBEAT.md"), "- [ ] water the plants\n") },
    see: async ({ clock, model }) => {
      await clock.waitForSleep();
      await clock.advance(15 * MINUTE);
      return happens(model.received(1));
    },
    saw: [true, false],
  },
  "heartbeat.target": {
    values: ["web", "webhook:42"],
    config: ({ webUrl }) => ({ ...CHAT(webUrl), heartbeat: { enabled: true } }),
    stopped: true,
    place: {
      setup: true,
      prepare: ({ workspace }) => writeFileSync(join(workspace, "HEARTBEAT.md"), "- [ ] water the plants\n"),
    },
    see: async ({ app, model, web }) => {
      model.replies(callsTool("heartbeat", { action: "run", task: "water the plants" }), says("They are watered."));
      await app.schedule.heartbeat.checkNow(AbortSignal.timeout(60_000));
      await app.agent.idle();
      return [web.bodies.some((body) => body.includes("They are watered.")), app.inside.notifications.list().length];
    },
    saw: [
      [false, 1],
      [true, 0],
    ],
  },
  "heartbeat.silent": {
    values: [false, true],
    config: ({ webUrl }) => ({ ...CHAT(webUrl), heartbeat: { enabled: true, target: "webhook:42" } }),
    stopped: true,
    place: {
      setup: true,
      prepare: ({ workspace }) => writeFileSync(join(workspace, "HEARTBEAT.md"), "- [ ] water the plants\n"),
    },
    see: async ({ app, model, web }) => {
      model.replies(callsTool("heartbeat", { action: "run", task: "water the plants" }), says("They are watered."));
      await app.schedule.heartbeat.checkNow(AbortSignal.timeout(60_000));
      await app.agent.idle();
      const sent = web.bodies.filter((body) => body.includes("They are watered."));
      return sent.map((body) => body.includes('"silent":true'));
    },
    saw: [[false], [true]],
  },
  "greeting.enabled": {
    ...greeting(
      [false, true],
      async (world) => {
        await greeted(world, 4, "itself");
        return happens(world.model.received(2));
      },
      [false, true],
    ),
    place: {},
  },
  "greeting.idleHours": greeting([1, 6], (world) => greeted(world, 3), ["sent", "not-due"]),
  "greeting.maxPerDay": greeting(
    [1, 2],
    async (world) => {
      const first = await greeted(world, 2);
      await world.web.said((bodies) => bodies.some((body) => body.includes("How are you?")));
      await world.clock.advance(3 * HOUR);
      return [first, await world.app.schedule.greeting.checkNow(AbortSignal.timeout(60_000))];
    },
    [
      ["sent", "quota"],
      ["sent", "sent"],
    ],
  ),
  "greeting.quietHours": greeting(["21-08", "10-20"], (world) => greeted(world, 2), ["sent", "not-due"]),
  "greeting.target": greeting(
    ["webhook:42", "webhook:7"],
    async (world) => {
      await operator(world.app);
      await world.app.agent.send("webhook:7", "me too", { origin: { channel: "webhook", chat: "7" } }).finished;
      await greeted(world, 2);
      const said = await Promise.all(["webhook:42", "webhook:7"].map((chat) => world.records(chat)));
      return said.map((records) => JSON.stringify(records).includes("How are you?"));
    },
    [
      [true, false],
      [false, true],
    ],
  ),
  "cron.enabled": {
    values: [true, false],
    see: async (world) => {
      await world.turn("hi");
      return offered(world).includes("cron");
    },
    saw: [true, false],
  },
  "cron.misfire": {
    values: ["skip", "all"],
    stopped: true,
    see: async (world) => {
      await job(world);
      return missed(world);
    },
    saw: [false, true],
  },
  "cron.maxCatchUp": {
    values: [1, 3],
    config: { cron: { misfire: "all" } },
    stopped: true,
    see: async (world) => {
      await job(world);
      await missed(world);
      return happens(world.model.received(3));
    },
    saw: [false, true],
  },
  "cron.concurrency": {
    values: [1, 2],
    stopped: true,
    see: async (world) => {
      const held = [stalls({ rest: says("one") }), stalls({ rest: says("two") })];
      world.model.replies(...held);
      await job(world);
      await job(world, { target: { channel: "web", chat: "you" } });
      await world.clock.advance(HOUR + 1000);
      await world.model.received(1);
      const beside = await happens(world.model.received(2));
      for (const one of held) one.release();
      return beside;
    },
    saw: [false, true],
  },
  "cron.jobTimeoutSeconds": {
    values: [37, 38],
    stopped: true,
    see: async ({ model, clock, ...world }) => {
      model.replies(stalls({ after: "…" }));
      await job({ model, clock, ...world });
      await clock.advance(HOUR); // no further: the run's own time may have begun
      await model.received(1);
      const ms = await clock.waitForSleep(36_500, 38_500);
      await clock.advance(ms);
      return [ms, await happens(model.requests[0]?.closedEarly ?? Promise.resolve())];
    },
    saw: [
      [37_000, true],
      [38_000, true],
    ],
  },
};

/** Ten hours under the emergency stop. @returns whether anything of them is made up for. */
async function missed({ api, clock, model }: World): Promise<boolean> {
  await api("/estop", { method: "PUT", body: { on: true } });
  await clock.advance(10 * HOUR + 30 * MINUTE);
  await api("/estop", { method: "PUT", body: { on: false } });
  await clock.advance(MINUTE);
  return happens(model.received(1));
}
