// Feishu calls the gateway: the whole program behind an address, proven by Feishu's signature.
import { createServer } from "node:http";
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import * as lark from "@larksuiteoapi/node-sdk";
import { expect, onTestFinished, test } from "vitest";
import { findKind } from "../../../packages/app/src/features/channels/kinds.ts";
import { settingsFor } from "../../../packages/app/src/features/channels/plugin-channel.ts";
import { startGateway, type TestGateway } from "../../../packages/app/test/gateway/support.ts";
import { plugin } from "../src/index.ts";
import { type Feishu, startFeishu } from "./emulator/feishu.ts";
import { close, listen } from "./emulator/http.ts";
import type { Chat, Person } from "./emulator/world.ts";
import { failure, REPLYING, run, scene, SENDING } from "./support.ts";

interface Place {
  readonly feishu: Feishu;
  readonly gateway: TestGateway;
  readonly anna: Person;
  readonly dm: Chat;
  /** Where Feishu calls. */
  readonly address: string;
  /** What margay has said there. */
  said(): readonly string[];
  /** What it was told has its answer, and nothing is under way. */
  settled(): Promise<void>;
}

async function statusOf(gateway: TestGateway): Promise<JsonObject> {
  const { body } = await gateway.api("/channels");
  return (body as readonly JsonObject[]).find(({ id }) => id === "feishu") ?? {};
}

/** @param isFound The address was entered at the console. */
async function called(more: JsonObject = {}, isFound = true): Promise<Place> {
  const feishu = await startFeishu();
  onTestFinished(() => feishu[Symbol.asyncDispose]());
  const anna = feishu.person("Anna");
  const dm = feishu.dm(anna);
  const { baseUrl, ...app } = feishu.settings;
  const { encryptKey, verificationToken } = feishu.outgoing;
  const gateway = await startGateway(
    { onTestFinished },
    {
      config: {
        channels: {
          feishu: {
            enabled: true,
            baseUrl,
            operators: [anna.openId],
            options: { ...app, mode: "http", encryptKey, verificationToken },
          },
        },
        ...more,
      },
    },
  );
  await expect.poll(async () => (await statusOf(gateway))["state"]).toBe("up");
  const address = `${gateway.url}/hooks/channel/feishu/events`;
  expect((await statusOf(gateway))["calledAt"]).toEqual([address]);
  expect(isFound ? await feishu.outgoing.verify(address) : true).toBe(true);
  const settled = async (): Promise<void> => {
    await feishu.outgoing.settled();
    await gateway.app.agent.idle();
  };
  const said = (): readonly string[] => feishu.shown(dm).flatMap(({ own, text }) => (own ? [text] : []));
  return { feishu, gateway, anna, dm, address, said, settled };
}

test("CH55 CH240 Feishu finds the address, and what it calls with is answered once, however often it is told", async () => {
  const { feishu, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the answer"), says("the second"));
  const question = feishu.write(anna, dm, "a question");
  await expect.poll(said).toEqual(["the answer"]);
  feishu.tellAgain(question); // under another event
  await settled();
  expect(feishu.outgoing.records.at(-1)).toMatchObject({ status: 200, answer: "{}" });
  feishu.write(anna, dm, "another");
  await expect.poll(said).toEqual(["the answer", "the second"]);
  await settled();
  expect(gateway.model.requests).toHaveLength(2);
  expect(feishu.gateway.opened).toBe(0);
  expect(await statusOf(gateway)).toMatchObject({ state: "up", lastFrame: expect.any(Number) });
});

test("CH132 the address is shown to who knows token and key alone, and a question for it carries nothing else", async () => {
  const { feishu, gateway, anna, dm, address, said, settled } = await called({}, false);
  const { outgoing } = feishu;
  expect(await outgoing.verify(address, "another token")).toBe(false);
  expect(outgoing.records.at(-1)).toMatchObject({ status: 401, answer: "" });
  const unsigned = { "content-type": "application/json" };
  const plain = JSON.stringify({ type: "url_verification", token: outgoing.verificationToken, challenge: "x" });
  expect(await outgoing.send(plain, unsigned, address)).toMatchObject({ status: 401, answer: "" });
  const long = { type: "url_verification", token: outgoing.verificationToken, challenge: "x".repeat(9000) };
  expect(await outgoing.send(outgoing.sealed(long).body, unsigned, address)).toMatchObject({ status: 401, answer: "" });
  // An event without a signature stays one, whatever token is in it.
  const event = feishu.gateway.tell(
    "im.message.receive_v1",
    feishu.world.eventOf(feishu.writeUntold(anna, dm, "hello")),
  );
  const dressed = { ...event.payload, token: outgoing.verificationToken };
  expect(await outgoing.send(outgoing.sealed(dressed).body, unsigned, address)).toMatchObject({ status: 401 });
  const both = { ...dressed, type: "url_verification", challenge: "x" };
  expect(await outgoing.send(outgoing.sealed(both).body, unsigned, address)).toMatchObject({
    answer: '{"challenge":"x"}',
  });
  await settled();
  expect([said(), gateway.model.requests.length]).toEqual([[], 0]);
});

test("CH132 a bad, a missing, an old and a replayed signature, another's body, a GET: no turn", async () => {
  const { feishu, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the answer"));
  feishu.write(anna, dm, "a question");
  await expect.poll(said).toEqual(["the answer"]);
  await settled();
  const { outgoing } = feishu;
  const [, first] = outgoing.records; // behind the one that looked for the address
  if (first === undefined) throw new Error("nothing was told");
  const { payload } = feishu.gateway.events[0] ?? { payload: {} };
  const other = outgoing.sealed(JSON.parse(JSON.stringify(payload).replaceAll("om_", "om_9")) as JsonObject);
  const now = String(Math.floor(Date.now() / 1000));
  const old = String(Math.floor(Date.now() / 1000) - 400);
  const { "x-lark-signature": _, ...unsigned } = other.headers;
  const statuses = [
    await outgoing.send(first.body, first.headers), // the same once more: known
    await outgoing.send(other.body, first.headers),
    await outgoing.send(other.body, unsigned),
    await outgoing.send(other.body, { ...other.headers, "x-lark-signature": "00" }),
    await outgoing.send(other.body, outgoing.signed(other.body, old)),
    await outgoing.send(other.body, outgoing.signed(other.body, now, "another key")),
    await outgoing.send(other.body, { ...other.headers, "x-lark-request-timestamp": "" }),
  ].map(({ status, answer }) => [status, answer]);
  expect(statuses).toEqual([[200, "{}"], ...statuses.slice(1).map(() => [401, ""])]);
  expect((await fetch(outgoing.url ?? "")).status).toBe(401);
  // What is signed and cannot be read is kept aside: it would come for ever.
  const odd = JSON.stringify({ encrypt: "bm90aGluZw==" });
  expect(await outgoing.send(odd, outgoing.signed(odd))).toMatchObject({ status: 200, answer: "{}" });
  expect(await statusOf(gateway)).toMatchObject({ deadLetters: 1 });
  await settled();
  expect([said(), gateway.model.requests.length]).toEqual([["the answer"], 1]);
});

test("CH247 CH70 whoever presses a button is told what it did in the answer to the call", async () => {
  const { feishu, gateway, anna, dm, said, settled } = await called({
    policy: { rules: [{ tool: "exec", action: "ask" }] },
  });
  gateway.model.replies(callsTool("exec", { command: "echo hello" }), says("Done."));
  feishu.write(anna, dm, "say hello");
  const question = () => feishu.shown(dm).find(({ buttons }) => buttons.length > 0);
  await expect.poll(() => question()?.buttons.length ?? 0).toBeGreaterThan(0);
  const { id = "", buttons = [] } = question() ?? {};
  expect(await feishu.press(anna, id, buttons[0]?.label ?? "")).toMatchObject({ type: "success" });
  await expect.poll(() => said().at(-1)).toBe("Done.");
  await settled();
  expect(gateway.model.requests).toHaveLength(2);
});

test("CH20 CH240 what could not be stored is answered with 503, and is taken when Feishu tells it again", async () => {
  const { feishu, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the answer"));
  await gateway.app.inside.stopFlag.set(true, "test");
  feishu.write(anna, dm, "a question");
  await expect.poll(() => feishu.outgoing.waiting.size).toBe(1);
  expect(feishu.outgoing.records.at(-1)).toMatchObject({ status: 503, answer: "" });
  expect(said()).toEqual([]);
  await gateway.app.inside.stopFlag.set(false, "test");
  await expect.poll(async () => (await statusOf(gateway))["calledAt"]).toBeDefined();
  feishu.outgoing.retry();
  await expect.poll(said).toEqual(["the answer"]);
  await settled();
  expect(feishu.outgoing.waiting.size).toBe(0);
  expect(gateway.model.requests).toHaveLength(1);
});

test("CH52 what was written while nobody could be called is asked for, and no other program is suspected", async () => {
  const { feishu, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the answer"), says("the second"));
  feishu.write(anna, dm, "a question");
  await expect.poll(said).toEqual(["the answer"]);
  await settled();
  await gateway.api("/channels/feishu/pause", { method: "POST" });
  await expect.poll(async () => (await statusOf(gateway))["calledAt"]).toBeUndefined();
  feishu.write(anna, dm, "another");
  await feishu.outgoing.settled();
  expect(feishu.outgoing.records.at(-1)).toMatchObject({ status: 401, answer: "" });
  await gateway.api("/channels/feishu/resume", { method: "POST" });
  await expect.poll(said).toEqual(["the answer", "the second"]);
  feishu.outgoing.retry();
  await settled();
  expect(gateway.model.requests).toHaveLength(2);
  expect(gateway.logs.filter(({ event }) => event === "feishu.events-elsewhere")).toEqual([]);
});

test("CH49 CH138 a permission that is missing for one send ends nothing: it is said, and what comes is heard", async () => {
  const { feishu, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the first"), says("the second"));
  const denied = { code: 99_991_672, msg: "Access denied. One of the following scopes is required: [im:message]." };
  feishu.fault((route) => route === SENDING || route === REPLYING, { status: 400, body: denied });
  feishu.write(anna, dm, "one");
  await settled();
  const failed = (): unknown => gateway.logs.find(({ event }) => event === "reply.failed");
  await expect.poll(failed).toMatchObject({ message: expect.stringContaining("lacks a permission") });
  feishu.write(anna, dm, "two");
  await gateway.model.received(2);
  await settled();
  expect([await statusOf(gateway), said()]).toMatchObject([{ state: "degraded" }, []]);
});

test("CH95 CH55 the test asks for no connection; where no gateway runs the channel says that it needs one", async () => {
  const { feishu, gateway, address } = await called();
  const { body } = await gateway.api("/channels/feishu/test", { method: "POST", body: {} });
  const steps = body.steps as readonly { readonly id: string; readonly detail?: string }[];
  expect(steps.find(({ id }) => id === "receive")?.detail).toContain(address);
  expect(feishu.requests.filter(({ path }) => path === "/callback/ws/endpoint")).toEqual([]);
  const { again } = await scene();
  const { encryptKey, verificationToken } = feishu.outgoing;
  expect(await run(again({ mode: "http", encryptKey, verificationToken }).channel).ended).toMatchObject({
    kind: "config",
    message: expect.stringMatching(/feishu.*no gateway runs.*margay gateway/),
  });
});

test("CH91 CH173 calls need their own secrets, by name", async () => {
  const kind = findKind("feishu", {});
  if (kind === undefined) throw new Error("there is no Feishu");
  const { feishu, host } = await scene();
  const { baseUrl, ...app } = feishu.settings;
  const check = async (options: JsonObject): Promise<unknown> =>
    settingsFor("feishu", kind, { enabled: true, options: { ...app, ...options } });
  await check({});
  expect(await failure(check({ mode: "http" }))).toMatchObject({
    message: expect.stringMatching(/options\.encryptKey is required with mode http.*verificationToken is required/),
  });
  for (const name of ["encryptKey", "verificationToken"]) {
    const given = { encryptKey: "k", verificationToken: "t", [name]: " " };
    const settings = { ...app, baseUrl, mode: "http", ...given };
    expect(() => plugin.create({ id: "feishu", settings }, host)).toThrow(`${name} is missing`);
  }
});

test("CH100 CH101 the vendor's own code takes these calls for Feishu's, and those with another key for nobody's", async () => {
  const { outgoing, person, dm, writeUntold, gateway, world } = await scene().then(({ feishu }) => feishu);
  const { encryptKey, verificationToken } = outgoing;
  const heard: string[] = [];
  const quiet = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {}, trace: () => {} };
  const dispatcher = new lark.EventDispatcher({ encryptKey, verificationToken, logger: quiet }).register({
    "im.message.receive_v1": ({ message }) => void heard.push(message.content),
  });
  const take = lark.adaptDefault("/events", dispatcher, { autoChallenge: true });
  const server = createServer((request, response) => void take(request, response));
  const address = `http://127.0.0.1:${await listen(server)}/events`;
  onTestFinished(() => close(server));
  expect(await outgoing.verify(address)).toBe(true);
  const anna = person("Anna");
  const event = gateway.tell("im.message.receive_v1", world.eventOf(writeUntold(anna, dm(anna), "hello")));
  await outgoing.settled();
  expect(heard).toEqual(['{"text":"hello"}']);
  const { body } = outgoing.sealed(event.payload);
  await outgoing.send(body, outgoing.signed(body, "1790000000", "another key"));
  expect(heard).toHaveLength(1);
});
