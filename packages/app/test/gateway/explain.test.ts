// Why a turn went as it did, over HTTP.
import { callsTool, fails, fakeClock, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { expectScopes, operations } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

interface Step {
  readonly n: number;
  readonly seq: number;
  readonly step: string;
  readonly origin: string;
  readonly why: string;
  readonly records: readonly string[];
  readonly calls: readonly string[];
  readonly policy: readonly object[];
  readonly replayOk: boolean;
  readonly request?: Readonly<Record<string, unknown>>;
}

async function turnOf(gateway: TestGateway): Promise<{ readonly id: string; readonly turn: string }> {
  gateway.model.replies(
    callsTool("list_dir", { path: "." }, { usage: { input: 900, output: 20, cacheRead: 100 } }),
    says("There is nothing."),
  );
  await gateway.app.agent.send("web:one", "look around").finished;
  const session = await gateway.app.agent.sessions.find("web:one");
  if (session === undefined) throw new Error("no session");
  for await (const { records } of session.history())
    for (const record of records)
      if (record.type === "turn.started") return { id: session.state.id, turn: record.turn };
  throw new Error("no turn");
}

test("R283 explaining asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), ["explainTurn", "listTurnBranches"]);
});

test("each commit of a turn says what was wanted, why, what it cost, and that a replay wants the same", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const params = await turnOf(gateway);
  const { body } = await operate("explainTurn", { params });
  expect([body.turn, body.ok]).toEqual([params.turn, true]);
  const steps = body.steps as readonly Step[];
  expect(steps.map(({ n }) => n)).toEqual(steps.map((_step, index) => index + 1));
  expect(steps[0]).toMatchObject({ step: "start", why: "A message waited and nothing was running: start a turn." });
  const requests = steps.filter(({ request }) => request !== undefined);
  expect(requests.map(({ request }) => request)).toMatchObject([
    { model: { provider: "mock", model: "mock-model" }, promptHashOk: true, newTokens: 800, cachedTokens: 100 },
    { promptHashOk: true, outputTokens: expect.any(Number) },
  ]);
  expect(requests.map(({ request }) => request?.["answer"])).toMatchObject([
    { text: "", calls: [{ name: "list_dir", arguments: '{"path":"."}' }] },
    { text: "There is nothing.", calls: [] },
  ]);
  expect(requests.map(({ why }) => why)).toEqual([
    "New messages came: put 1 before the model and ask it.",
    "Everything is answered: ask the model.",
  ]);
  const outcomes = steps.filter(({ origin }) => origin === "outcome").map(({ why }) => why);
  expect(outcomes).toEqual(["The model answered and asks for list_dir.", "list_dir ended: ok.", "The model answered."]);
  const judged = steps.find(({ policy }) => policy.length > 0);
  expect(judged).toMatchObject({
    step: "judge",
    why: "The model asked for list_dir: ask the policy.",
    policy: [{ rule: "other", verdict: "allow", call: judged?.calls[0] }],
  });
  // What is allowed at once begins in the commit of its verdict.
  expect(judged?.records).toEqual(["call.judged", "tool.started"]);
  expect(JSON.stringify(body)).not.toMatch(/\{(?:calls|count|attempt|time|limit|code)\}/);
  expect(steps.at(-1)?.records).toContain("turn.ended");
  expect(steps.every(({ replayOk }) => replayOk)).toBe(true);

  const zh = await operate("explainTurn", { params, headers: { "accept-language": "zh-CN" } });
  expect(zh.body.steps[0].why).toBe("有消息在等待且没有运行中的回合：开始新回合。");
});

test("a request that is made again says which attempt it is", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  gateway.model.replies(fails(503));
  const params = turnOf(gateway);
  await clock.advance(await clock.waitForSleep(1, 1000)); // of the first pause any part, down to a millisecond
  const { body } = await operations(gateway)("explainTurn", { params: await params });
  const why = (body.steps as readonly Step[]).map((step) => step.why);
  expect(why).toContain("The request before failed: attempt 2.");
});

test("the exact messages of a request are shown when they are asked for", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const params = await turnOf(gateway);
  const { steps } = (await operate("explainTurn", { params })).body as { readonly steps: readonly Step[] };
  const [first] = steps.filter(({ request }) => request !== undefined);
  const { prompt } = (await operate("explainTurn", { params, query: { prompt: first?.seq ?? 0 } })).body;
  expect(prompt.system).toBe(gateway.model.requests[0]?.texts("system").join("\n"));
  const readFile = prompt.tools.find((tool: { readonly name: string }) => tool.name === "read_file");
  expect(readFile).toMatchObject({ description: expect.stringContaining("file"), schema: { type: "object" } });
  expect(prompt.messages.at(-1)).toMatchObject({ role: "user", parts: [{ type: "text", text: "look around" }] });
  const wrong = await operate("explainTurn", { params, query: { prompt: 99_999 } });
  expect(wrong.body.code).toBe("request.not-found");
});

interface Branch {
  readonly session: string;
  readonly turn: string;
}

test("a turn has the turns of other branches beside it that follow on the same messages; what was copied has none", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  gateway.model.replies(says("one"), says("two"), says("another one"), says("another two"), says("three"));
  await gateway.app.agent.send("web:one", "first").finished;
  await gateway.app.agent.send("web:one", "second").finished;
  const { body: list } = await operate("listSessions");
  const id = String(list.items[0].id);
  const turnsOf = async (session: string): Promise<readonly string[]> => {
    const { body } = await operate("listTurns", { params: { id: session } });
    return (body.items as readonly { readonly id: string }[]).map((turn) => turn.id).toReversed();
  };
  const branchesOf = async (session: string, turn: string): Promise<readonly Branch[]> => {
    const { body } = await operate("listTurnBranches", { params: { id: session, turn } });
    return (body.items as readonly Branch[]).map((branch) => ({ session: branch.session, turn: branch.turn }));
  };
  const again = async (session: string, turn: string, ended: number): Promise<string> => {
    const { body } = await operate("regenerate", { params: { id: session }, body: { turn } });
    await expect.poll(() => turnsOf(String(body.session))).toHaveLength(ended);
    return String(body.session);
  };
  const [first = "", second = ""] = await turnsOf(id);
  expect(await branchesOf(id, second)).toEqual([]);

  const early = await again(id, first, 1);
  const [firstThere = ""] = await turnsOf(early);
  const late = await again(id, second, 2);
  const [copied = "", secondThere = ""] = await turnsOf(late);
  expect(await branchesOf(id, first)).toEqual([{ session: early, turn: firstThere }]);
  expect(await branchesOf(id, second)).toEqual([{ session: late, turn: secondThere }]);
  // From a branch: its original, and through it the other branch.
  expect(await branchesOf(late, secondThere)).toEqual([{ session: id, turn: second }]);
  expect(await branchesOf(late, copied)).toEqual([{ session: early, turn: firstThere }]);
  expect((await branchesOf(early, firstThere)).map((branch) => branch.session).toSorted()).toEqual(
    [id, late].toSorted(),
  );

  await operate("deleteSession", { params: { id: early } });
  expect(await branchesOf(id, first)).toEqual([]);
  expect((await operate("listTurnBranches", { params: { id: early, turn: firstThere } })).body.code).toBe(
    "session.trashed",
  );
  expect((await operate("listTurnBranches", { params: { id: "none", turn: "none" } })).body.code).toBe(
    "session.not-found",
  );
});

test("an unknown session or turn is not found", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const { id, turn } = await turnOf(gateway);
  expect((await operate("explainTurn", { params: { id: "none", turn } })).body.code).toBe("session.not-found");
  expect((await operate("explainTurn", { params: { id, turn: "none" } })).body.code).toBe("request.not-found");
  const strange = await operate("explainTurn", { params: { id, turn }, query: { prompt: "x" } });
  expect(strange.body.code).toBe("request.invalid");
});
