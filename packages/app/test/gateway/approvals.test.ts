import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { callsTools } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { connect, isEnd, type Frame } from "./frames.ts";
import { logIn } from "./browser.ts";
import { startGateway, type GatewayPlaceOptions, type TestGateway } from "./support.ts";

const ASKS: GatewayPlaceOptions = { config: { policy: { rules: [{ tool: "exec", action: "ask" }] } } };
const said = { parts: [{ type: "text", text: "go" }] };

async function ask(gateway: TestGateway): Promise<Frame> {
  const { body } = await gateway.api("/sessions", { method: "POST", body: { message: said } });
  const waiting = async (): Promise<number> => (await gateway.api("/approvals")).body.items.length;
  await expect.poll(waiting).toBeGreaterThan(0);
  const { items } = (await gateway.api(`/approvals?session=${body.id}`)).body;
  return items[0];
}

const answer = (gateway: TestGateway, approval: Frame, body: object, token?: string) =>
  gateway.api(`/sessions/${approval.session}/approvals/${approval.call}`, {
    method: "POST",
    body,
    ...(token !== undefined && { token }),
  });

test("an approval shows the exact call, is bound to it, and is answered once", async (t) => {
  const gateway = await startGateway(t, ASKS);
  gateway.model.replies(callsTool("exec", { command: "echo a\u202eb > made.txt" }), says("done"));
  const approval = await ask(gateway);
  expect(approval).toMatchObject({ tool: "exec", display: "exec: echo a\\u{202e}b > made.txt", rule: "rule exec" });
  expect((await gateway.api("/sessions?state=waiting")).body.items).toMatchObject([{ approvals: 1 }]);
  const stale = await answer(gateway, approval, { verdict: "allow", hash: "0".repeat(64) });
  expect([stale.status, stale.body.code, stale.body.current]).toEqual([412, "approval.stale", approval.hash]);
  const { hash } = approval;
  expect((await answer(gateway, approval, { verdict: "allow", hash }, gateway.token("chat"))).body.code).toBe(
    "auth.scope",
  );
  expect((await answer(gateway, approval, { verdict: "allow", hash }, gateway.token("read"))).body.code).toBe(
    "auth.scope",
  );
  const done = await answer(gateway, approval, { verdict: "allow", hash });
  expect([done.status, done.body.resolved]).toMatchObject([200, { verdict: "allow", by: "user" }]);
  const again = await answer(gateway, approval, { verdict: "deny", hash });
  expect([again.status, again.body.code]).toEqual([409, "approval.settled"]);
  await gateway.app.agent.idle();
  expect((await gateway.api("/workspace/tree")).body.entries).toMatchObject([{ name: "made.txt", kind: "file" }]);
  expect((await gateway.api("/approvals")).body.items).toEqual([]);
  expect((await gateway.api("/approvals?state=settled")).body.items).toMatchObject([{ call: approval.call }]);
  expect((await answer(gateway, { ...approval, call: "call-none" }, { verdict: "allow", hash })).body.code).toBe(
    "approval.not-found",
  );
});

test("a refusal takes its reason to the model, over the socket too", async (t) => {
  const gateway = await startGateway(t, ASKS);
  gateway.model.replies(callsTool("exec", { command: "rm -r x" }), says("I see."));
  const tab = await connect(gateway);
  await tab.ask({ type: "subscribe", topic: "approvals" });
  const approval = await ask(gateway);
  expect(await tab.until(({ topic }) => topic === "approvals")).toMatchObject({
    data: { session: approval.session, call: approval.call, state: "pending" },
  });
  await tab.ask({ type: "subscribe", session: approval.session });
  const { result } = await tab.ask({
    type: "approval.resolve",
    session: approval.session,
    call: approval.call,
    verdict: "deny",
    hash: approval.hash,
    reason: "keep x, please",
  });
  expect(result.resolved).toMatchObject({ verdict: "deny", reason: "keep x, please" });
  await tab.until(isEnd);
  await gateway.app.agent.idle();
  expect(JSON.stringify(gateway.model.requests[1]?.messages)).toContain("keep x, please");
});

test("an answer after its time is refused: the call was denied by then", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, {
    clock,
    config: { policy: { rules: [{ tool: "exec", action: "ask" }], approvalTimeoutSeconds: 10 } },
  });
  gateway.model.replies(callsTool("exec", { command: "echo hi" }), says("too late"));
  const approval = await ask(gateway);
  await clock.waitForSleep(10_000, 10_000); // the lane has seen that it must wait
  clock.jump(11_000); // the wall clock alone: the timer of the turn has not fired yet
  const late = await answer(gateway, approval, { verdict: "allow", hash: approval.hash });
  expect([late.status, late.body.code]).toEqual([410, "approval.expired"]);
  // The same once the turn has refused it: nobody has answered, its time was over.
  await clock.advance(11_000);
  await gateway.app.agent.idle();
  expect((await gateway.api("/approvals")).body.items).toEqual([]);
  const later = await answer(gateway, approval, { verdict: "allow", hash: approval.hash });
  expect([later.status, later.body.code]).toEqual([410, "approval.expired"]);
});

test("two calls of one tool that ask are answered each on its own, in any order", async (t) => {
  const gateway = await startGateway(t, ASKS);
  gateway.model.replies(
    callsTools([
      { name: "exec", args: { command: "echo 1 > one" } },
      { name: "exec", args: { command: "echo 2 > two" } },
    ]),
    says("both"),
  );
  const first = await ask(gateway);
  const { items } = (await gateway.api(`/approvals?session=${first.session}`)).body;
  for (const each of items.toReversed()) await answer(gateway, each, { verdict: "allow", hash: each.hash });
  for (let round = 0; round < 2; round++) {
    const rest = (await gateway.api(`/approvals?session=${first.session}`)).body.items;
    for (const each of rest) await answer(gateway, each, { verdict: "allow", hash: each.hash });
  }
  await expect
    .poll(async () => {
      for (const each of (await gateway.api("/approvals")).body.items)
        await answer(gateway, each, { verdict: "allow", hash: each.hash });
      return (await gateway.api("/workspace/tree")).body.entries.map(({ name }: Frame) => name);
    })
    .toEqual(["one", "two"]);
  await gateway.app.agent.idle();
});

/** No sandbox: each command asks by itself, so its answer can be kept. */
const BARE: GatewayPlaceOptions = { config: { tools: { exec: { sandbox: "none" } } } };
const COUNT = { command: "echo ran >> count" };

test("row 35 SE1 always: needs the owner, is a rule on disk that was shown before, and asks again when it is removed", async (t) => {
  const gateway = await startGateway(t, BARE);
  gateway.model.replies(callsTool("exec", COUNT), says("one"));
  const approval = await ask(gateway);
  const covers = `exec: echo ran >> count\n(in ${gateway.workspace})`;
  expect(approval).toMatchObject({
    rule: "exec without sandbox",
    why: "Commands run without a sandbox here.",
    risk: ["no-sandbox"],
    cwd: gateway.workspace,
    choices: ["once", "session", "always"],
    rulePreview: covers,
  });
  const always = { verdict: "allow", hash: approval.hash, remember: "always" };
  const refused = await answer(gateway, approval, always, gateway.token("admin"));
  expect([refused.status, refused.body.code]).toEqual([403, "auth.scope"]);
  expect((await gateway.api("/policy/rules")).body).toEqual([]);
  const done = await answer(gateway, approval, always);
  expect([done.status, done.body.resolved]).toMatchObject([200, { verdict: "allow", remember: "always", by: "user" }]);
  await gateway.app.agent.idle();
  const [rule] = (await gateway.api("/policy/rules")).body;
  expect(rule).toMatchObject({ tool: "exec", action: "allow", origin: "answer", covers, by: "user" });
  const path = join(gateway.home, "rules.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const check = (input: object, source = "web") =>
    gateway.api("/policy/check", { method: "POST", body: { tool: "exec", input, source } });
  expect((await check(COUNT)).body).toMatchObject({ verdict: "allow", rule: `saved ${rule.id}` });
  expect((await check({ command: "echo ran >> count2" })).body.verdict).toBe("ask");
  expect((await check(COUNT, "cron")).body.verdict).toBe("deny");
  gateway.model.replies(callsTool("exec", COUNT), says("two"));
  await gateway.api("/sessions", { method: "POST", body: { message: said } });
  await expect.poll(() => readFileSync(join(gateway.workspace, "count"), "utf8")).toBe("ran\nran\n");
  await gateway.app.agent.idle();
  const { items } = (await gateway.api("/audit?limit=10")).body;
  expect(items).toContainEqual(expect.objectContaining({ rule: `saved ${rule.id}`, by: "user" }));
  expect((await gateway.api(`/policy/rules/${rule.id}`, { method: "DELETE" })).status).toBe(204);
  expect((await gateway.api(`/policy/rules/${rule.id}`, { method: "DELETE" })).body.code).toBe("request.not-found");
  gateway.model.replies(callsTool("exec", COUNT), says("three"));
  expect((await ask(gateway)).choices).toContain("always");
});

test("a browser that only stayed logged in makes no rule until it proves itself", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { ...BARE, clock });
  const browser = await logIn(gateway);
  clock.jump(10 * 60_000);
  gateway.model.replies(callsTool("exec", COUNT), says("one"));
  const approval = await ask(gateway);
  const resolve = (remember: string) =>
    browser.api(`/sessions/${approval.session}/approvals/${approval.call}`, {
      method: "POST",
      body: { verdict: "allow", hash: approval.hash, remember },
    });
  const refused = await resolve("always");
  expect([refused.status, refused.body.code]).toEqual([403, "auth.fresh-required"]);
  expect((await resolve("session")).body.resolved).toMatchObject({ remember: "session" });
});

test("a yes for this chat over the socket counts there alone; what the operator's rules ask about is allowed once only", async (t) => {
  const gateway = await startGateway(t, BARE);
  gateway.model.replies(callsTool("exec", COUNT), says("one"), callsTool("exec", COUNT), says("two"));
  const tab = await connect(gateway);
  const approval = await ask(gateway);
  const { session, call, hash } = approval;
  await tab.ask({ type: "approval.resolve", session, call, verdict: "allow", hash, remember: "session" });
  await gateway.app.agent.idle();
  await gateway.api(`/sessions/${session}/messages`, { method: "POST", body: said });
  await expect.poll(() => readFileSync(join(gateway.workspace, "count"), "utf8")).toBe("ran\nran\n");
  await gateway.app.agent.idle();
  await gateway.configure({ ...BARE.config, ...ASKS.config });
  gateway.model.replies(callsTool("exec", COUNT), says("no"));
  const other = await ask(gateway);
  expect(other.choices).toEqual(["once"]);
  const kept = await answer(gateway, other, { verdict: "allow", hash: other.hash, remember: "session" });
  expect([kept.status, kept.body.code]).toEqual([422, "request.invalid"]);
});

test("SE1 a script that was changed after it was shown: 412, and the new question has the new hash", async (t) => {
  const gateway = await startGateway(t, BARE);
  const script = join(gateway.workspace, "job.sh");
  writeFileSync(script, "echo good > out");
  gateway.model.replies(callsTool("exec", { command: "sh job.sh" }), says("done"));
  const approval = await ask(gateway);
  expect(approval.rulePreview).toContain(`with ${script} as now`);
  writeFileSync(script, "echo bad > out");
  const stale = await answer(gateway, approval, { verdict: "allow", hash: approval.hash });
  expect([stale.status, stale.body.code]).toEqual([412, "approval.stale"]);
  const [now] = (await gateway.api("/approvals")).body.items;
  expect([now.call, now.hash]).toEqual([approval.call, stale.body.current]);
  expect((await answer(gateway, now, { verdict: "allow", hash: now.hash })).status).toBe(200);
  await expect.poll(() => existsSync(join(gateway.workspace, "out"))).toBe(true);
});

test("a file of rules that can't be read allows nothing", async (t) => {
  const gateway = await startGateway(t, {
    ...BARE,
    prepare: ({ home }) => writeFileSync(join(home, "rules.json"), '{"version":1,"rules":[{"to'),
  });
  gateway.model.replies(callsTool("exec", COUNT), says("no"));
  await ask(gateway);
  expect((await gateway.api("/policy/rules")).body).toEqual([]);
});
