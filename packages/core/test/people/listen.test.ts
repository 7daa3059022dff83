// A group in which margay only listens.
import { expect, test } from "vitest";
import type { PeopleOptions } from "../../src/contract/room.ts";
import { groupOf } from "../../src/lib/audience.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { startAgent } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

const tools = createRegistry([]);
const people: PeopleOptions = {
  speaker: ({ id }) => (id === "eva" ? { role: "member", audience: "eva", name: "Eva" } : { role: "guest" }),
  room: () => ({ tools, context: realContext(tools) }),
  roleOf: () => "member",
  isIn: () => true,
  isAlone: () => false,
  audienceAt: (to) => Promise.resolve(groupOf(to)),
  usualAt: () => undefined,
  persons: () => [],
  contact: () => Promise.resolve(undefined),
  group: () => ({ mode: "listen", names: ["margay"], follow: true, bots: "named" }),
  join: () => true,
};
const LINES = 10_000;
const HOUR_MS = 3_600_000;

test("PE62 a day of 10,000 lines in a group that is listened to costs nothing, also when it is called; /digest is an ordinary turn", async (t) => {
  const channel = recordingChannel("test");
  const { agent, model, clock } = await startAgent(t, { people, channels: [channel] });
  void agent.run(new AbortController().signal);
  const group = { chat: "-100", group: true } as const;
  const tom = { id: "tom", name: "Tom", kind: "person" } as const;
  expect(await channel.deliver("margay, are you there?", { ...group, from: tom, addressed: "named" })).toEqual({
    status: "ignored",
    why: "heard",
  });
  const [day] = (await agent.sessions.list()).filter(({ key }) => key.startsWith("heard:"));
  const heard = await agent.sessions.find(day?.key ?? "");
  const lines = Array.from({ length: LINES - 3 }, (_, n) => ({
    type: "message.heard" as const,
    key: `k${n}`,
    channel: "test",
    message: {
      role: "user" as const,
      id: `h${n}`,
      at: clock.now(),
      from: tom,
      parts: [{ type: "text" as const, text: `line ${n}` }],
      integrity: "untrusted" as const,
    },
  }));
  await heard?.commit(...lines);
  for (const text of ["almost evening", "dinner is at eight"]) {
    await clock.advance(HOUR_MS);
    await channel.deliver(text, { ...group, from: tom });
  }
  await agent.idle();
  expect(model.requests).toEqual([]);
  expect(await agent.sessions.find("test:-100")).toBeUndefined();
  model.replies(says("Dinner is at eight."));
  await channel.deliver("/digest", { ...group, from: { id: "eva", kind: "person" } });
  await channel.received(1);
  expect(model.requests).toHaveLength(1);
  expect(JSON.stringify(model.requests[0]?.body)).toContain("dinner is at eight");
  expect(channel.texts()).toEqual(["Dinner is at eight."]);
});
