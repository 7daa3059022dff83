import { callsTool, callsTools, fakeClock, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { connect, isEnd, type Frame } from "./frames.ts";
import { startGateway, type GatewayPlaceOptions, type TestGateway } from "./support.ts";

const ASKS: GatewayPlaceOptions = { config: { policy: { rules: [{ tool: "exec", action: "ask" }] } } };
const said = { parts: [{ type: "text", text: "go" }] };

async function ask(gateway: TestGateway): Promise<Frame> {
  const { body } = await gateway.api("/sessions", { method: "POST", body: { message: said } });
  await expect.poll(async () => (await gateway.api("/approvals")).body.items.length).toBeGreaterThan(0);
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
  clock.jump(11_000); // the wall clock alone: the timer of the turn has not fired yet
  const late = await answer(gateway, approval, { verdict: "allow", hash: approval.hash });
  expect([late.status, late.body.code]).toEqual([410, "approval.expired"]);
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
