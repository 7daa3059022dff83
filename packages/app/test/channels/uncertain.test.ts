// What may have left on a platform that cannot tell, as its owner sees it: in the API, at the command line, in the chat.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { deskGateway } from "./desk-gateway.ts";

test("CH43 R258 with ask a lost answer waits as uncertain, is shown so everywhere, and leaves when its owner says so", async (t) => {
  const { desk, gateway, operate, waiting, settles, said, run } = await deskGateway(t, {
    channel: { uncertain: "ask" },
  });
  gateway.model.replies(says("First."), says("Second."), says("Third."));
  desk.lose(1);
  desk.write("one");
  await settles(["uncertain"]);
  desk.write("two"); // the chat goes on
  await desk.showed(2);
  await settles(["uncertain"]);
  const [item] = await waiting();
  expect(item).toMatchObject({ state: "uncertain", text: "First.", to: { channel: "desk", chat: "1" } });
  expect((await operate("listOutbox", { query: { state: "uncertain" } })).body.items).toHaveLength(1);
  const view = (await operate("getChannel", { params: { id: "desk" } })).body;
  expect(view).toMatchObject({ once: "no", config: { uncertain: "ask" }, outbox: { pending: 0, uncertain: 1 } });
  const items = (await gateway.api(`/sessions/${item.session}/messages`)).body.items;
  expect(items.filter(({ kind }: { kind: string }) => kind === "delivery")).toMatchObject([
    { state: "uncertain" },
    { state: "delivered" },
  ]);
  desk.write("/status");
  await expect.poll(() => said().join("")).toContain("(margay channels waiting)");
  const before = said().length;

  const listed = await run("channels", "waiting");
  expect(listed.out).toMatch(/uncertain\s+desk:1\s.*First\./);
  expect((await run("channels", "send", item.reply)).out).toContain("has left");
  expect(said().slice(before)).toEqual(["First."]);
  expect((await run("channels", "waiting")).out).toContain("Nothing waits");
  expect(await run("channels", "send", item.reply)).toMatchObject({ code: 2 });
});

test("CH43 R258 what is uncertain may be dropped: it never leaves, and stays among what was given up", async (t) => {
  const { desk, gateway, operate, waiting, settles, said, run } = await deskGateway(t, {
    channel: { uncertain: "ask" },
  });
  gateway.model.replies(says("First."), says("Second."));
  desk.lose(2);
  desk.write("one");
  await settles(["uncertain"]);
  desk.write("two");
  await settles(["uncertain", "uncertain"]);
  const [second, first] = await waiting();
  expect((await operate("dropReply", { params: { reply: first.reply } })).status).toBe(204);
  expect((await run("channels", "drop", second.reply)).out).toContain("not sent any more");
  await settles(["failed", "failed"]);
  await gateway.app.agent.idle();
  expect(said()).toEqual(["First.", "Second."]);
});

test("CH43 R258 without it the same answer is sent again, and may be shown twice", async (t) => {
  const { desk, gateway, settles, said } = await deskGateway(t);
  gateway.model.replies(says("First."));
  desk.lose(1);
  desk.write("one");
  await desk.showed(2);
  await settles([]);
  expect(said()).toEqual(["First.", "First."]);
});

test("CH52 a channel that cannot ask for all that it missed says so in its status, in the API and on the command line", async (t) => {
  const { operate, run } = await deskGateway(t, { channel: { options: { asksBack: true } } });
  const view = async (): Promise<unknown> => (await operate("getChannel", { params: { id: "desk" } })).body;
  await expect.poll(view).toMatchObject({ state: "up", history: "part" });
  expect((await run("channels", "status")).out).toContain(
    "messages sent in some chats while it was offline may be missing",
  );
});
