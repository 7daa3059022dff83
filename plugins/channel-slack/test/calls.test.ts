// Slack calls the gateway: the whole program behind an address, proven by Slack's signature.
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { settingsFor } from "../../../packages/app/src/features/channels/plugin-channel.ts";
import { findKind } from "../../../packages/app/src/features/channels/kinds.ts";
import { startGateway, type TestGateway } from "../../../packages/app/test/gateway/support.ts";
import { sign } from "./emulator/calls.ts";
import { type Slack, startSlack } from "./emulator/slack.ts";
import type { Channel, User } from "./emulator/world.ts";
import { plugin } from "../src/index.ts";
import { failure, run, scene } from "./support.ts";

interface Place {
  readonly slack: Slack;
  readonly gateway: TestGateway;
  readonly anna: User;
  readonly dm: Channel;
  /** What margay has said there, without threads. */
  said(): readonly string[];
  /** What it was told has its answer, and nothing is under way. */
  settled(): Promise<void>;
}

async function statusOf(gateway: TestGateway): Promise<JsonObject> {
  const { body } = await gateway.api("/channels");
  return (body as readonly JsonObject[]).find(({ id }) => id === "slack") ?? {};
}

async function called(more: JsonObject = {}): Promise<Place> {
  const slack = await startSlack();
  onTestFinished(() => slack[Symbol.asyncDispose]());
  const anna = slack.person("Anna");
  const dm = slack.dm(anna);
  const gateway = await startGateway(
    { onTestFinished },
    {
      config: {
        channels: {
          slack: {
            enabled: true,
            token: slack.tokens.bot ?? "",
            baseUrl: slack.url,
            operators: [anna.id],
            options: { mode: "http", signingSecret: slack.outgoing.secret },
          },
        },
        ...more,
      },
    },
  );
  await expect.poll(async () => (await statusOf(gateway))["state"]).toBe("up");
  const { calledAt } = await statusOf(gateway);
  expect(calledAt).toEqual([`${gateway.url}/hooks/channel/slack/events`]);
  expect(await slack.outgoing.verify(String((calledAt as readonly string[])[0]))).toBe(true);
  const settled = async (): Promise<void> => {
    await slack.outgoing.settled();
    await gateway.app.agent.idle();
  };
  const said = (): readonly string[] => slack.shown(dm).flatMap(({ own, text }) => (own ? [text] : []));
  return { slack, gateway, anna, dm, said, settled };
}

test("CH55 CH230 Slack finds the address, and what it calls with is answered once, however often it is told", async () => {
  const { slack, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the answer"), says("the second"));
  const question = slack.write(anna, dm, "a question");
  await expect.poll(said).toEqual(["the answer"]);
  slack.repeat(dm, question); // under another event
  await settled();
  // Slack gave up on the first call, which had been taken.
  const [first] = slack.outgoing.records.filter(({ type }) => type === "events_api");
  const retry = { "x-slack-retry-num": "1", "x-slack-retry-reason": "http_timeout" };
  expect(first && (await slack.outgoing.replay(first, retry))).toMatchObject({ status: 200, answer: "" });
  slack.write(anna, dm, "another");
  await expect.poll(said).toEqual(["the answer", "the second"]);
  await settled();
  expect(gateway.model.requests).toHaveLength(2);
  expect(slack.calls("apps.connections.open")).toEqual([]);
  expect(await statusOf(gateway)).toMatchObject({ state: "up", account: "margay", lastFrame: expect.any(Number) });
});

test("CH132 a bad, a missing, an old and a replayed signature, another's body, a GET: no turn", async () => {
  const { slack, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the answer"));
  slack.write(anna, dm, "a question");
  await expect.poll(said).toEqual(["the answer"]);
  await settled();
  const { outgoing } = slack;
  const [, first] = outgoing.records; // behind the one that looked for the address
  if (first === undefined) throw new Error("nothing was told");
  const words = first.body.replace("a question", "my question");
  const other = words.replace(/"ts":"\d+\.\d+"/g, `"ts":"1790000000.000100"`);
  const old = String(Math.floor(Date.now() / 1000) - 400);
  const now = String(Math.floor(Date.now() / 1000));
  const statuses = [
    await outgoing.replay(first), // the same once more: known
    await outgoing.replay(first, {}, other),
    await outgoing.replay(first, { "x-slack-signature": "" }, other),
    await outgoing.replay(first, { "x-slack-signature": "v0=00" }, other),
    await outgoing.replay(first, sign(outgoing.secret, old, other), other),
    await outgoing.replay(first, sign("another secret", now, other), other),
    await outgoing.replay(first, { ...sign(outgoing.secret, now, other), "x-slack-request-timestamp": "" }, other),
    await outgoing.replay(first, { ...sign(outgoing.secret, now, other), "x-slack-request-timestamp": old }, other),
  ].map(({ status, answer }) => [status, answer]);
  expect(statuses).toEqual([[200, ""], ...statuses.slice(1).map(() => [401, ""])]);
  expect((await fetch(outgoing.url ?? "")).status).toBe(401);
  await settled();
  expect([said(), gateway.model.requests.length]).toEqual([["the answer"], 1]);
});

test("CH238 CH70 CH74 buttons and commands come to the same address, and each counts once", async () => {
  const { slack, gateway, anna, dm, said, settled } = await called({
    policy: { rules: [{ tool: "exec", action: "ask" }] },
  });
  gateway.model.replies(callsTool("exec", { command: "echo hello" }), says("Done."));
  slack.write(anna, dm, "say hello");
  const question = () => slack.shown(dm).find(({ buttons }) => buttons.length > 0);
  await expect.poll(() => question()?.buttons.length ?? 0).toBeGreaterThan(0);
  const { id = "", buttons = [] } = question() ?? {};
  slack.press(anna, dm, id.split(":")[1] ?? "", buttons[0]?.label ?? "");
  await expect.poll(() => said().at(-1)).toBe("Done.");
  await settled();
  const press = slack.outgoing.records.find(({ type }) => type === "interactive");
  expect(press && (await slack.outgoing.replay(press))).toMatchObject({ status: 200 });
  slack.command(anna, dm, "status");
  const command = (): unknown => slack.outgoing.records.find(({ type }) => type === "slash_commands");
  await expect.poll(command).toMatchObject({ status: 200, answer: "" });
  await expect.poll(() => said().length).toBe(3);
  expect(await slack.outgoing.check()).toMatchObject({ status: 200 });
  await settled();
  expect(gateway.model.requests).toHaveLength(2);
});

test("CH20 CH230 what could not be stored is answered with 503, and is taken when Slack tells it again", async () => {
  const { slack, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the answer"));
  await gateway.app.inside.stopFlag.set(true, "test");
  slack.write(anna, dm, "a question");
  await expect.poll(() => slack.outgoing.waiting.size).toBe(1);
  expect(slack.outgoing.records.at(-1)).toMatchObject({ status: 503, answer: "" });
  expect(said()).toEqual([]);
  await gateway.app.inside.stopFlag.set(false, "test");
  await expect.poll(async () => (await statusOf(gateway))["calledAt"]).toBeDefined();
  slack.outgoing.retry();
  await expect.poll(said).toEqual(["the answer"]);
  await settled();
  expect(slack.outgoing.waiting.size).toBe(0);
  expect(gateway.model.requests).toHaveLength(1);
});

test("CH232 CH97 what was written while nobody could be called is asked for", async () => {
  const { slack, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("the answer"), says("the second"));
  slack.write(anna, dm, "a question");
  await expect.poll(said).toEqual(["the answer"]);
  await settled();
  await gateway.api("/channels/slack/pause", { method: "POST" });
  await expect.poll(async () => (await statusOf(gateway))["calledAt"]).toBeUndefined();
  slack.write(anna, dm, "another");
  await slack.outgoing.settled();
  expect(slack.outgoing.records.at(-1)).toMatchObject({ status: 401, answer: "" });
  await gateway.api("/channels/slack/resume", { method: "POST" });
  await expect.poll(said).toEqual(["the answer", "the second"]);
  slack.outgoing.retry();
  await settled();
  expect(gateway.model.requests).toHaveLength(2);
});

test("CH95 the test says which address is to be entered, and asks for no socket", async () => {
  const { slack, gateway } = await called();
  const { body } = await gateway.api("/channels/slack/test", { method: "POST", body: {} });
  const steps = body.steps as readonly { readonly id: string; readonly detail?: string }[];
  expect(steps.find(({ id }) => id === "receive")?.detail).toContain(`${gateway.url}/hooks/channel/slack/events`);
  expect(slack.calls("apps.connections.open")).toEqual([]);
});

test("CH55 where no gateway runs the channel says that it needs one", async () => {
  const { settings, slack, host } = await scene();
  const channel = plugin.create(
    { id: "slack", settings: { ...settings, mode: "http", signingSecret: slack.outgoing.secret } },
    host,
  );
  expect(await run(channel).ended).toMatchObject({
    kind: "config",
    message: expect.stringMatching(/slack.*no gateway runs.*margay gateway/),
  });
});

test("CH91 CH173 each way of being told needs its own secret, by name", async () => {
  const kind = findKind("slack", {});
  if (kind === undefined) throw new Error("there is no Slack");
  const check = (options: JsonObject) => async (): Promise<unknown> =>
    settingsFor("slack", kind, { enabled: true, token: "xoxb-1", options });
  expect(await failure(check({})())).toMatchObject({
    message: expect.stringContaining("options.appToken is required with mode socket"),
  });
  expect(await failure(check({ mode: "http" })())).toMatchObject({
    message: expect.stringMatching(/options\.signingSecret is required with mode http(?!.*appToken)/),
  });
  await check({ mode: "http", signingSecret: "x" })();
  const { settings, host } = await scene();
  const wrong = { ...settings, mode: "http", signingSecret: "a secret that is none" };
  expect(() => plugin.create({ id: "slack", settings: wrong }, host)).toThrow("signingSecret is none");
});

test("CH86 in the whole program who writes is called by their name from the first message on, and who asks to be let in too; each is asked for once", async () => {
  const { slack, gateway, anna, dm, said, settled } = await called();
  gateway.model.replies(says("hello Anna"), says("again"));
  slack.write(anna, dm, "hello");
  await settled();
  slack.write(anna, dm, "and again");
  await settled();
  expect(said()).toEqual(["hello Anna", "again"]);
  const session = await gateway.app.agent.sessions.find(`slack:${dm.id}`);
  const people = session?.state.messages.flatMap((row) => (row.role === "user" ? [row.from.name] : []));
  expect(people).toEqual(["Anna", "Anna"]);
  const ben = slack.person("Ben");
  slack.write(ben, slack.dm(ben), "it is me");
  await settled();
  const { body } = await gateway.api("/pairings");
  expect(body).toMatchObject([{ sender: ben.id, name: "Ben" }]);
  expect(slack.calls("users.info").map(({ args }) => args["user"])).toEqual([anna.id, ben.id]);
});

test("CH86 PE5 a code that is voided while the name of its sender is looked up lets nobody in", async () => {
  const { slack, gateway, settled } = await called({ people: { ben: { name: "Ben", role: "member" } } });
  const ben = slack.person("Ben");
  slack.fault({ when: "users.info", how: "hang" });
  slack.write(ben, slack.dm(ben), "it is me");
  await settled();
  const [{ code }] = (await gateway.api("/pairings")).body;
  const approving = gateway.api(`/pairings/${code}/approve`, { method: "POST", body: { person: "ben" } });
  await statusOf(gateway); // which comes behind it
  expect((await gateway.api(`/pairings/${code}`, { method: "DELETE" })).status).toBe(204);
  expect((await approving).body.code).toBe("pairing.not-found");
  expect(gateway.app.inside.loaded().config.people["ben"]?.ids ?? []).toEqual([]);
});
