// What is counted, told and refused of people at any platform, in the whole program.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { deskGateway } from "./desk-gateway.ts";

test("CH35 CH98 reactions to what margay said are counted in the status, the API and the metrics, and start no turn", async (t) => {
  const { desk, gateway, operate, settles, run } = await deskGateway(t);
  gateway.model.replies(says("First."), says("Second."));
  desk.write("one");
  await desk.showed(1);
  await settles([]);
  desk.react("desk-1", "\u{1f44d}");
  desk.react("desk-9", "\u{1f44d}");
  desk.react("desk-1", "\u2764");
  desk.write("two");
  await desk.showed(2);
  expect((await operate("getChannel", { params: { id: "desk" } })).body).toMatchObject({ reactions: 2 });
  expect((await run("channels", "status")).out).toContain(", 2 reactions");
  expect(String((await gateway.api("/!/metrics")).body)).toContain('margay_channel_reactions{channel="desk"} 2');
  expect(gateway.model.requests).toHaveLength(2);
  expect(JSON.stringify(gateway.model.requests[1]?.body)).not.toContain("reactions to");
});

test("CH35 with reactions: tell the next message says which emoji stands below what", async (t) => {
  const { desk, gateway, settles } = await deskGateway(t, { channel: { reactions: "tell" } });
  gateway.model.replies(says("First."), says("Second."));
  desk.write("one");
  await desk.showed(1);
  await settles([]);
  desk.react("desk-1", "\u{1f44d}");
  desk.write("two");
  await desk.showed(2);
  expect(gateway.model.requests[1]?.texts("user").join()).toContain("(reactions to your message “First.”: \u{1f44d})");
});

test("CH88 CH130 of sixty messages in a moment twenty are read, one word is said, and the model is asked no oftener", async (t) => {
  const { desk, gateway, said } = await deskGateway(t, { config: { agent: { maxPending: 100 } } });
  gateway.model.replies(...Array.from({ length: 25 }, () => says("Yes.")));
  for (let number = 1; number <= 60; number++) desk.write(`hello ${number}`);
  desk.write("/stop");
  const words = (): number => said().filter((text) => text.includes("More than 20 messages in a minute")).length;
  await expect.poll(words).toBe(1);
  await gateway.app.agent.idle();
  expect(words()).toBe(1);
  expect(gateway.model.requests.length).toBeLessThanOrEqual(20);
});
