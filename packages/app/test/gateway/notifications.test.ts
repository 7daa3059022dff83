// What nobody was sent, over HTTP and sockets: no word of it is in the file, and it is seen once for all.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { connect, type Frame } from "./frames.ts";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const CANARY = "canary-of-the-plants";

async function heartbeat({ app, model, workspace }: TestGateway): Promise<void> {
  writeFileSync(join(workspace, "HEARTBEAT.md"), "- [ ] water the plants\n");
  model.replies(callsTool("heartbeat", { action: "run", task: `water the ${CANARY}` }), says(`Done: ${CANARY}.`));
  expect(await app.schedule.heartbeat.checkNow(AbortSignal.timeout(60_000))).toBe("ran");
  await app.agent.idle();
}

test("R283 every route of notifications asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/notifications"));
});

test("PE88 R223 a result is listed with its conversation and a count, seen once for all, and never written into the file", async (t) => {
  const gateway = await startGateway(t, { config: { heartbeat: { enabled: true } } });
  const operate = operations(gateway);
  expect((await operate("listNotifications")).body).toEqual({ unseen: 0, items: [] });
  await heartbeat(gateway);
  await heartbeat(gateway);
  const { body } = await operate("listNotifications");
  const session = (await gateway.app.agent.sessions.find("heartbeat"))?.state.id;
  expect(body).toMatchObject({
    unseen: 2,
    items: [{ kind: "result", about: "heartbeat", session, count: 2, seen: false }],
  });
  expect((await operate("getSystem")).body.notifications).toBe(2);
  expect(readFileSync(join(gateway.home, "notifications.jsonl"), "utf8")).not.toContain("canary");
  expect(JSON.stringify((await gateway.api(`/sessions/${session}/messages`)).body)).toContain(CANARY);
  const seen = await operate("seeNotifications", { body: { ids: [body.items[0].id] } });
  expect(seen.body).toMatchObject({ unseen: 0, items: [{ seen: true }] });
  expect((await operate("getSystem")).body.notifications).toBe(0);
});

test("PE88 sockets are told of a new one and of one that was seen", async (t) => {
  const gateway = await startGateway(t, { config: { heartbeat: { enabled: true } } });
  const tab = await connect(gateway);
  await tab.ask({ type: "subscribe", topic: "system" });
  const told = (): number =>
    tab.frames.filter(({ type, data }: Frame) => type === "topic" && data.changed === "notifications").length;
  await heartbeat(gateway);
  await expect.poll(told).toBe(1);
  const { items } = (await gateway.api("/notifications")).body;
  await gateway.api("/notifications/seen", { method: "POST", body: { ids: [items[0].id] } });
  await expect.poll(told).toBe(2);
});

test("PE98 PE88 a question that no chat can be asked is a notification, unless a page of the owner is open", async (t) => {
  const channels = { webhook: { enabled: true, secret: "s", allowFrom: ["tom", "eve"] } };
  const gateway = await startGateway(t, {
    config: { channels, policy: { rules: [{ tool: "recall", action: "ask" }] } },
  });
  const { agent } = gateway.app;
  const asks = async (id: string): Promise<void> => {
    gateway.model.replies(callsTool("recall", { query: CANARY }));
    const parts = [{ type: "text", text: "look" }] as const;
    const from = { id, kind: "person" } as const;
    await agent.bus.accept({ key: id, origin: { channel: "webhook", chat: id }, from, parts, chat: "private" });
    await agent.idle();
  };
  const listed = async (): Promise<readonly string[]> =>
    ((await gateway.api("/notifications")).body.items as readonly { kind: string; about: string }[]).map(
      ({ kind, about }) => `${kind} ${about}`,
    );
  await asks("tom");
  await expect.poll(listed).toEqual(["question webhook:tom"]);
  expect(readFileSync(join(gateway.home, "notifications.jsonl"), "utf8")).not.toContain("canary");
  await connect(gateway);
  await asks("eve");
  expect((await agent.approvals()).map(({ sessionKey }) => sessionKey).toSorted()).toEqual([
    "webhook:eve",
    "webhook:tom",
  ]);
  expect(await listed()).toEqual(["question webhook:tom"]);
});
