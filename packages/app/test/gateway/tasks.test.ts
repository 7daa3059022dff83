// Background work of subagents over HTTP.
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

async function delegate(gateway: TestGateway, wait: boolean): Promise<string> {
  const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
  gateway.model.replies(
    callsTool("spawn", { task: "count the files", label: "counter", wait }),
    callsTool("list_dir", { path: "." }, { usage }),
    says("There are none.", { usage }),
    says("The helper found none."),
  );
  await gateway.app.agent.send("web:one", "use a helper").finished;
  return (await gateway.app.agent.sessions.find("web:one"))?.state.id ?? "";
}

test("R283 every route of tasks asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/tasks"));
});

test("R201 SB7 a task is shown with its steps, text and cost, and its session is the child's", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const parent = await delegate(gateway, true);
  const { items } = (await operate("listTasks")).body;
  expect(items).toEqual([
    {
      id: items[0].session,
      session: expect.stringMatching(/^subagent-/),
      parent,
      call: expect.any(String),
      label: "counter",
      task: "count the files",
      state: "done",
      step: 2,
      maxSteps: 15,
      startedAt: expect.any(Number),
      endedAt: expect.any(Number),
      text: "There are none.",
      usage: { input: 200, output: 20, cacheRead: 0, cacheWrite: 0 },
      costUsd: null,
    },
  ]);
  expect((await operate("getTask", { params: { id: items[0].id } })).body).toEqual(items[0]);
  const count = async (query: Record<string, string>): Promise<number> =>
    (await operate("listTasks", { query })).body.items.length;
  expect(await count({ state: "done" })).toBe(1);
  expect(await count({ state: "running" })).toBe(0);
  expect(await count({ session: parent })).toBe(1);
  expect(await count({ session: "other" })).toBe(0);
  expect((await operate("listTasks", { query: { state: "strange" } })).body.code).toBe("request.invalid");
  expect((await operate("stopTask", { params: { id: items[0].id } })).body.state).toBe("done");
});

test("R201 a running task is stopped one by one", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  // The helper asks before or behind whoever has it started.
  let asked = 0;
  const reply = (request: (typeof gateway.model.requests)[number]): ReturnType<typeof says> => {
    if (request.texts("user").some((text) => text.includes("count the files")))
      return says("late", { delayMs: 60_000 });
    asked += 1;
    if (asked === 1) return callsTool("spawn", { task: "count the files", label: "counter" });
    return says(asked === 2 ? "It works on that." : "It was stopped.");
  };
  gateway.model.replies(reply, reply, reply, reply);
  await gateway.app.agent.send("web:one", "use a helper").finished;
  await expect.poll(async () => (await operate("listTasks")).body.items[0]?.state).toBe("running");
  const [{ id }] = (await operate("listTasks")).body.items;
  expect((await operate("stopTask", { params: { id } })).body).toMatchObject({ state: "cancelled" });
});

test("what is no task is not found as one", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const parent = await delegate(gateway, true);
  for (const id of [parent, "none"])
    for (const operation of ["getTask", "stopTask"])
      expect((await operate(operation, { params: { id } })).body.code).toBe("session.not-found");
});
