// What a webhook's turn says is for those who read where it goes: a group's room for a group, and never the owner's things there.
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { startReceiver } from "../channels/support.ts";
import { startGateway, type ApiAnswer, type TestGateway } from "./support.ts";

const SECRET = "5f1c0a9e7b3d4826a1f0c9e8d7b6a594";

const config = (url: string, deliver: readonly string[]) => ({
  people: { eva: { ids: ["webhook:eva"] } },
  channels: {
    webhook: {
      enabled: true,
      secret: "s",
      operators: ["ada"],
      chats: { trip: { groups: "named" } },
      options: { url, port: 0 },
    },
  },
  gateway: { hooks: { git: { scheme: "github", secret: SECRET, deliver } } },
});

function call({ api }: TestGateway): Promise<ApiAnswer> {
  const signature = createHmac("sha256", SECRET).update("{}").digest("hex");
  const headers = { "x-hub-signature-256": `sha256=${signature}`, "x-github-delivery": "d-1" };
  return api("/!/hooks/git", { method: "POST", raw: "{}", token: null, headers });
}

test.for([
  ["a group", ["webhook:trip"], false, ["trip"]],
  ["a person", ["webhook:eva"], false, ["eva"]],
  ["the owner", ["webhook:ada"], true, ["ada"]],
  ["the owner and a group", ["webhook:trip", "webhook:ada"], true, ["ada"]],
] as const)("PE26 PE20 a webhook that answers to %s", async ([, deliver, isOwners, reached], t) => {
  const inbox = await startReceiver();
  t.onTestFinished(async () => inbox[Symbol.asyncDispose]());
  const gateway = await startGateway(t, {
    prepare: ({ workspace }) => writeFileSync(join(workspace, "USER.md"), "CANARY Ada"),
    config: config(inbox.url, deliver),
  });
  gateway.model.replies(says("An issue was opened."));
  expect((await call(gateway)).status).toBe(202);
  await gateway.model.received(1);
  await gateway.app.agent.idle();
  expect(JSON.stringify(gateway.model.requests).includes("CANARY")).toBe(isOwners);
  expect(inbox.received.map(({ body: { chat } }) => chat)).toEqual(reached);
});

test("PE72 PE73 a webhook whose agent is not for who reads its chat asks no model: with nothing taken from it, it would run with all of theirs", async (t) => {
  const { gateway, ...rest } = config("http://127.0.0.1:9/", ["webhook:zoe"]);
  const hooks = { git: { ...gateway.hooks.git, agent: "quiet" } };
  const agents = { quiet: { tools: [] } };
  const place = await startGateway(t, { config: { ...rest, agents, gateway: { hooks } } });
  const { config: now } = place.app.inside.loaded();
  const meet = (who: object): void => {
    place.app.configure({ ...place.app.loaded, config: { ...now, ...who } });
  };
  meet({ people: { ...now.people, zoe: { ids: ["webhook:zoe"], role: "member" } } }); // nobody when the configuration was read
  expect((await call(place)).status).toBe(503);
  await place.app.agent.idle();
  expect(place.model.requests).toHaveLength(0);
  expect((await place.api("/hooks/git/deliveries")).body.items).toMatchObject([{ status: "refused", reason: "agent" }]);
  meet({ people: now.people });
  place.model.replies(says("An issue was opened."));
  expect((await call(place)).status).toBe(202);
  await place.model.received(1);
  await place.app.agent.idle();
  expect(JSON.stringify(place.model.requests)).not.toContain('"tools"');
});

test("PE85 a webhook whose chats have different readers, none of them the owner, asks no model, and the pages say so", async (t) => {
  const gateway = await startGateway(t, { config: config("http://127.0.0.1:9/", ["webhook:trip", "webhook:eva"]) });
  expect((await call(gateway)).status).toBe(503);
  await gateway.app.agent.idle();
  expect(gateway.model.requests).toHaveLength(0);
  expect((await gateway.api("/notifications")).body.items).toMatchObject([
    { kind: "undeliverable", about: "hook:git", count: 1 },
  ]);
});

test("PE47 an answer that was made for the owner is not told to a guest who came into the chat meanwhile", async (t) => {
  const inbox = await startReceiver();
  t.onTestFinished(async () => inbox[Symbol.asyncDispose]());
  const { channels, ...rest } = config(inbox.url, ["webhook:room"]);
  const webhook = { ...channels.webhook, allowFrom: ["ann"] };
  const gateway = await startGateway(t, { config: { ...rest, channels: { webhook } } });
  const slow = stalls({ rest: says("The merger is signed.") });
  gateway.model.replies(slow, says("Hello Ann."));
  expect((await call(gateway)).status).toBe(202);
  await gateway.model.received(1);
  await gateway.app.agent.bus.accept({
    key: "1",
    origin: { channel: "webhook", chat: "room" },
    from: { id: "ann", kind: "person" },
    parts: [{ type: "text", text: "hi" }],
  });
  await gateway.model.received(2);
  slow.release();
  await gateway.app.agent.idle();
  expect(inbox.received.map(({ body: { text } }) => text)).toEqual(["Hello Ann."]);
});
