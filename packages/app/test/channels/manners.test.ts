// What is counted, told and refused of people at any platform, in the whole program.
import { stalls } from "@margay/core/internal/testing";
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

test("CH88 CH130 of sixty messages of a guest in a moment twenty are read, one word is said, and the model is asked no oftener", async (t) => {
  const channel = { operators: [], allowFrom: ["ada"] };
  const { desk, gateway, said } = await deskGateway(t, { channel, config: { agent: { maxPending: 100 } } });
  gateway.model.replies(...Array.from({ length: 25 }, () => says("Yes.")));
  for (let number = 1; number <= 60; number++) desk.write(`hello ${number}`);
  desk.write("/stop");
  const words = (): number => said().filter((text) => text.includes("More than 20 messages in a minute")).length;
  await expect.poll(words).toBe(1);
  await gateway.app.agent.idle();
  expect(words()).toBe(1);
  expect(gateway.model.requests.length).toBeLessThanOrEqual(20);
});

for (const [who, role] of [
  ["the owner", { channel: { operators: ["ada"] } }],
  ["a member", { channel: { operators: [] }, config: { people: { ada: { ids: ["desk:ada"], role: "member" } } } }],
] as const)
  test(`CH88 PE5 of sixty messages of ${who} in a moment each is read, what came meanwhile in one answer, and nothing is said of it`, async (t) => {
    const config = { agent: { maxPending: 100 }, ...("config" in role && role.config) };
    const { desk, gateway, said } = await deskGateway(t, { channel: role.channel, config });
    const slow = stalls({ rest: says("First.") });
    gateway.model.replies(slow, ...Array.from({ length: 10 }, () => says("Yes.")));
    for (let number = 1; number <= 60; number++) desk.write(`hello ${number}.`);
    const taken = async (): Promise<number> => {
      const { pending = [], messages = [] } = (await gateway.app.agent.sessions.find("desk:1"))?.state ?? {};
      return pending.length + messages.filter(({ role }) => role === "user").length;
    };
    await expect.poll(taken).toBe(60);
    slow.release();
    await expect.poll(said).toEqual(["First.", "Yes."]);
    const seen = JSON.stringify(gateway.model.requests.at(-1)?.messages);
    for (let number = 1; number <= 60; number++) expect(seen).toContain(`hello ${number}.`);
    expect(gateway.model.requests).toHaveLength(2);
  });

test("CH60 CH98 a channel that says what does not work is degraded until all is well: status, page, metrics, doctor", async (t) => {
  const { desk, gateway, operate, run } = await deskGateway(t);
  const view = async () => (await operate("getChannel", { params: { id: "desk" } })).body;
  const reason = "Some messages cannot be read. Verify the device.";
  await expect.poll(view).toMatchObject({ state: "up" });
  desk.degrade(reason);
  await expect.poll(view).toMatchObject({ state: "degraded", error: reason });
  gateway.model.replies(says("Yes."));
  desk.write("still there?");
  await desk.showed(1);
  expect(await view()).toMatchObject({ state: "degraded", error: reason });
  expect((await run("channels", "status")).out).toMatch(/desk\s+works in part/);
  expect(String((await gateway.api("/!/metrics")).body)).toContain('margay_channel_degraded{channel="desk"} 1');
  expect((await run("doctor")).out).toContain(`Channel desk works in part. ${reason}`);
  desk.degrade("");
  await expect.poll(view).toMatchObject({ state: "up" });
  expect(await view()).not.toHaveProperty("error");
  expect((await run("doctor")).out).not.toContain("works in part");
});

test("CH60 CH49 a channel that receives while three sends in a row fail is degraded, and up with the next that leaves", async (t) => {
  const { desk, gateway, operate, waiting } = await deskGateway(t);
  const view = async () => (await operate("getChannel", { params: { id: "desk" } })).body;
  gateway.model.replies(says("First."));
  desk.refuse(3);
  desk.write("one");
  await expect.poll(view, { timeout: 20_000 }).toMatchObject({ state: "degraded" });
  expect((await view()).error).toContain("Wait");
  const [item] = await waiting();
  await operate("retryReply", { params: { reply: item.reply } });
  await desk.showed(1);
  await expect.poll(view).toMatchObject({ state: "up" });
});
