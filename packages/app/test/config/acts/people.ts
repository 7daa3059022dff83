// Keys of people beside the owner: who is whom, what they are called, what they may do and spend.
import type { InboundMessage, JsonObject } from "@margay/core";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { happens, type Probes, type World } from "./probe.ts";

const SECRET = "webhook-secret-number-one";

const house =
  (eva: JsonObject) =>
  ({ webUrl }: { readonly webUrl: string }): JsonObject => ({
    channels: { webhook: { enabled: true, secret: SECRET, allowFrom: ["ada"], options: { url: webUrl, port: 0 } } },
    people: { eva },
  });

async function hears({ app, web }: World, text: string): Promise<string> {
  const message: InboundMessage = {
    key: text,
    origin: { channel: "webhook", chat: "ada" },
    from: { id: "ada", kind: "person" },
    parts: [{ type: "text", text }],
    chat: "private",
  };
  await app.agent.bus.accept(message);
  await web.said((bodies) => bodies.length > 0);
  return web.bodies[0] ?? "";
}

/** Whether a person of that role is offered commands. */
function commandsOf(role: "member" | "operator"): Probes {
  return {
    [`roles.${role}.tools`]: {
      values: [["exec"], []],
      config: house({ ids: ["webhook:ada"], role }),
      see: async (world) => {
        world.model.replies(says("hello"));
        await hears(world, "hello");
        return JSON.stringify(world.model.requests[0]?.body["tools"]).includes('"exec"');
      },
      saw: [true, false],
    },
  };
}

/** Whether a question to Eva at noon comes without a sound. */
const atNoon = (eva: JsonObject): Pick<Probes[string], "config" | "see"> & { readonly stopped: true } => ({
  stopped: true,
  config: (place) => ({
    timeZone: "UTC",
    channels: {
      webhook: { enabled: true, secret: SECRET, allowFrom: ["bob"], options: { url: place.webUrl, port: 0 } },
    },
    people: { eva: { role: "operator", ids: ["webhook:ada"], ...eva } },
    policy: { rules: [{ tool: "recall", action: "ask" }] },
  }),
  see: async (world) => {
    const { app, model, web } = world;
    model.replies(says("hello"), callsTool("recall", { query: "x" }));
    await hears(world, "hello");
    const from = { id: "bob", kind: "person" } as const;
    const parts = [{ type: "text", text: "look" }] as const;
    await app.agent.bus.accept({
      key: "b",
      origin: { channel: "webhook", chat: "bob" },
      from,
      parts,
      chat: "private",
    });
    const isAsked = (body: string): boolean => body.includes("/allow ");
    await web.said((bodies) => bodies.some(isAsked));
    return web.bodies.find(isAsked)?.includes('"silent":true');
  },
});

export const PEOPLE: Probes = {
  "people.*.ids": {
    at: "people.eva.ids",
    values: [["webhook:ada"], []],
    config: house({ role: "member" }),
    // A member has files, a guest has none.
    see: async (world) => {
      world.model.replies(says("hello"));
      await hears(world, "hello");
      await world.app.agent.idle(); // a guest is told first who reads along
      return JSON.stringify(world.model.requests[0]?.body["tools"]).includes("write_file");
    },
    saw: [true, false],
  },
  "people.*.name": {
    at: "people.eva.name",
    values: ["Eva", "Evi"],
    config: house({ ids: ["webhook:ada"] }),
    see: async (world) => {
      world.model.replies(says("hello"));
      await hears(world, "hello");
      return /The user's name is (\w+)\./.exec(JSON.stringify(world.model.requests[0]?.body))?.[1];
    },
    saw: ["Eva", "Evi"],
  },
  "people.*.role": {
    at: "people.eva.role",
    values: ["member", "operator"],
    config: house({ ids: ["webhook:ada"] }),
    see: async (world) => (await hears(world, "/rules")).includes("Only an operator can do that."),
    saw: [true, false],
  },
  ...commandsOf("member"),
  ...commandsOf("operator"),
  "people.*.supervised": {
    at: "people.eva.supervised",
    values: [true, false],
    config: house({ ids: ["webhook:ada"] }),
    see: async (world) => {
      world.model.replies(says("hello"));
      await hears(world, "hello");
      await world.app.agent.idle();
      return world.app.inside.supervision.isOn("eva");
    },
    saw: [true, false],
  },
  "people.*.heartbeat": {
    at: "people.eva.heartbeat",
    values: [true, false],
    config: (place) => ({
      ...house({ ids: ["webhook:ada"] })(place),
      heartbeat: { enabled: true, intervalMinutes: 10 },
    }),
    stopped: true,
    place: {
      prepare: ({ home }) => {
        mkdirSync(join(home, "spaces", "p-eva"), { recursive: true });
        writeFileSync(join(home, "spaces", "p-eva", "HEARTBEAT.md"), "- [ ] water the plants\n");
      },
    },
    see: async ({ clock, model }) => {
      await clock.waitForSleep();
      await clock.advance(15 * 60_000);
      return happens(model.received(1));
    },
    saw: [true, false],
  },
  "people.*.quietHours": {
    at: "people.eva.quietHours",
    values: ["11-13", "13-15"], // it is noon
    ...atNoon({}),
    saw: [true, false],
  },
  "people.*.timeZone": {
    at: "people.eva.timeZone",
    values: ["UTC", "Asia/Tokyo"], // where it is evening
    ...atNoon({ quietHours: "11-13" }),
    saw: [true, false],
  },
  "people.*.tokensPerDay": {
    at: "people.eva.tokensPerDay",
    values: [1, 1_000_000],
    config: house({ ids: ["webhook:ada"] }),
    see: async (world) => {
      world.model.replies(says("hello"));
      await hears(world, "hello");
      return world.model.requests.length;
    },
    saw: [0, 1],
  },
};
