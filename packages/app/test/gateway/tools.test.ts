// The tools of the agent and every call of theirs, over HTTP.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { callsTools } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { statsOf } from "../../src/host/facts/call-stats.ts";
import { expectScopes, operations } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const LONG = "0123456789".repeat(600);

/** Three calls that end well, one that fails, one that nobody approves. */
async function work(gateway: TestGateway): Promise<string> {
  writeFileSync(join(gateway.workspace, "notes.txt"), LONG);
  gateway.model.replies(
    callsTools([
      { name: "read_file", args: { path: "notes.txt" } },
      { name: "read_file", args: { path: "missing.txt" } },
    ]),
    callsTool("write_file", { path: "new.txt", content: "hello" }),
    callsTool("list_dir", { path: "." }),
    says("Done."),
  );
  await gateway.app.agent.send("web:one", "look at my notes").finished;
  const session = await gateway.app.agent.sessions.find("web:one");
  return session?.state.id ?? "";
}

test("R283 every route of the tools asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), ["listTools", "listCalls", "getCall", "getCallOutput", "getToolStats"]);
});

test("the tools say what they do, what the policy says, and how they were used", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await work(gateway);
  const { items } = (await operate("listTools")).body;
  const named = new Map(items.map((tool: { name: string }) => [tool.name, tool]));
  expect([...named.keys()]).toEqual(gateway.app.inside.tools.list().map(({ name }) => name));
  expect(named.get("read_file")).toMatchObject({
    origin: "builtin",
    effect: "read",
    verdict: "allow",
    calls7d: 2,
    schema: { type: "object", properties: { path: { type: "string" } } },
  });
  expect(named.get("exec")).toMatchObject({ effect: "write", verdict: "ask", calls7d: 0, p50Ms: null });
  for (const { tokens, description } of items) expect(tokens).toBeGreaterThan(description.length / 10);
});

test("R266 R407 every call is in the history with session, arguments, wish, status and duration", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const session = await work(gateway);
  const { items, next } = (await operate("listCalls")).body;
  expect(next).toBeNull();
  expect(items.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`).toSorted()).toEqual([
    "list_dir ok",
    "read_file error",
    "read_file ok",
    "write_file ok",
  ]);
  const written = items.find(({ name }: { name: string }) => name === "write_file");
  expect(written).toMatchObject({
    session,
    key: "web:one",
    origin: "main",
    effect: "idempotent",
    input: { path: "new.txt", content: "hello" },
    attempts: 1,
    userMessage: "look at my notes",
  });
  expect(written.ms).toBeGreaterThanOrEqual(0);
  expect(written).not.toHaveProperty("result");
});

test("the history is filtered and paged", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const session = await work(gateway);
  const count = async (query: Record<string, string | number>): Promise<number> =>
    (await operate("listCalls", { query })).body.items.length;
  expect(await count({ tool: "read_file" })).toBe(2);
  expect(await count({ status: "error" })).toBe(1);
  expect(await count({ session })).toBe(4);
  expect(await count({ session: "other" })).toBe(0);
  expect(await count({ origin: "subagent" })).toBe(0);
  expect(await count({ q: "MISSING" })).toBe(1);
  expect(await count({ q: "look at my" })).toBe(4);
  expect(await count({ to: 1000 })).toBe(0);
  expect((await operate("listCalls", { query: { status: "strange" } })).body.code).toBe("request.invalid");
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await operate("listCalls", { query: { limit: 1, ...(cursor !== "" && { cursor }) } });
    seen.push(...page.body.items.map(({ call }: { call: string }) => call));
    cursor = page.body.next;
  }
  expect(new Set(seen).size).toBe(4);
});

test("one call is shown whole, and its output is fetched in ranges", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const session = await work(gateway);
  const { items } = (await operate("listCalls", { query: { tool: "read_file", status: "ok" } })).body;
  const params = { session, call: items[0].call };
  const whole = await operate("getCall", { params });
  expect(whole.body).toMatchObject({ ...items[0], result: [{ type: "text" }] });
  const { text } = whole.body.result[0];
  expect(text).toContain(LONG.slice(0, 2000));

  const output = await operate("getCallOutput", { params });
  expect(output.body).toBe(text);
  expect(output.headers.get("content-disposition")).toContain("attachment");
  const bytes = Buffer.from(text);
  const range = async (value: string): Promise<readonly [number, string, string | null]> => {
    const { status, body, headers } = await operate("getCallOutput", { params, headers: { range: value } });
    return [status, body, headers.get("content-range")];
  };
  expect(await range("bytes=2-5")).toEqual([206, bytes.subarray(2, 6).toString(), `bytes 2-5/${bytes.length}`]);
  expect((await range("bytes=-4"))[1]).toBe(bytes.subarray(-4).toString());
  expect((await range(`bytes=${bytes.length - 3}-`))[1]).toBe(bytes.subarray(-3).toString());
  expect((await range("bytes=9999999-"))[0]).toBe(200);
  for (const wrong of [
    { session, call: "none" },
    { session: "none", call: params.call },
    { session: "../x", call: "y" },
  ])
    for (const id of ["getCall", "getCallOutput"])
      expect((await operate(id, { params: wrong })).body.code).toBe("call.not-found");
});

test("durations are measured ones of calls that ran, by their size: the middle one, and one that 5 % exceed at most", () => {
  const ran = (ms: number) => ({ status: "ok", attempts: 1, ms }) as const;
  const denied = { status: "denied", attempts: 0, ms: 9000 } as const;
  expect(statsOf([ran(300), ran(10), ran(20), denied])).toMatchObject({ calls: 4, p50Ms: 20, p95Ms: 300 });
  expect(statsOf(Array.from({ length: 20 }, (_, index) => ran(20 - index)))).toMatchObject({ p50Ms: 10, p95Ms: 19 });
});

test("R267 three good calls and a bad one: success rate 0.75, by tool, session, day and origin", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  await work(gateway);
  const { body } = await operate("getToolStats");
  expect(body.total).toMatchObject({ calls: 4, ok: 3, error: 1, denied: 0, interrupted: 0, successRate: 0.75 });
  expect(body.total.p95Ms).toBeGreaterThanOrEqual(body.total.p50Ms);
  expect(body.items[0]).toMatchObject({ key: "read_file", calls: 2, ok: 1, error: 1, successRate: 0.5 });
  const keys = async (group: string): Promise<readonly string[]> =>
    (await operate("getToolStats", { query: { group } })).body.items.map(({ key }: { key: string }) => key);
  expect(await keys("session")).toEqual(["web:one"]);
  expect(await keys("origin")).toEqual(["main"]);
  expect(await keys("day")).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
  expect((await operate("getToolStats", { query: { to: 1 } })).body.total).toMatchObject({ calls: 0, successRate: 1 });
  expect((await operate("getToolStats", { query: { group: "week" } })).body.code).toBe("request.invalid");
});

test("R266 calls of subagents are in the history, as theirs; a copy of a chat lists none twice", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  gateway.model.replies(
    callsTool("spawn", { task: "list the files", label: "lister", wait: true }),
    callsTool("list_dir", { path: "." }),
    says("There is nothing."),
    says("The subagent found nothing."),
  );
  await gateway.app.agent.send("web:one", "use a helper").finished;
  await gateway.app.agent.sessions.fork("web:one", "web:copy");
  const { items } = (await operate("listCalls")).body;
  expect(items.map(({ name, origin }: { name: string; origin: string }) => [name, origin]).toSorted()).toEqual([
    ["list_dir", "subagent"],
    ["spawn", "main"],
  ]);
});

test("R407 a call that waits for a person is in the history as such, and as denied when they say no", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  gateway.model.replies(callsTool("exec", { command: "ls" }), says("As you wish."));
  const { finished } = gateway.app.agent.send("web:one", "list the files", { origin: { channel: "web", chat: "one" } });
  const statuses = async (): Promise<readonly string[]> =>
    (await operate("listCalls")).body.items.map(({ status }: { status: string }) => status);
  await expect.poll(statuses).toEqual(["asked"]);
  const [waiting] = (await operate("listCalls", { query: { status: "asked" } })).body.items;
  expect((await operate("getCall", { params: waiting })).body.approval).toMatchObject({ tool: "exec" });
  const by = { id: "user", kind: "person" } as const;
  await gateway.app.agent.control("web:one", { type: "deny", call: waiting.call }, by);
  await finished;
  expect(await statuses()).toEqual(["denied"]);
  expect((await operate("getToolStats")).body.total).toMatchObject({ calls: 1, denied: 1, p50Ms: null });
});
