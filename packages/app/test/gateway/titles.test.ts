// W§13.9: what a chat is called after its first turn.
import { callsTool, fails, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { startGateway, type Owner, type TestGateway } from "./support.ts";

const SMALL = { memory: { model: "mock/small" } };

async function titles(gateway: TestGateway): Promise<readonly string[]> {
  const { body } = await gateway.api("/sessions?top=true");
  return (body.items as readonly { title: string }[]).map(({ title }) => title);
}

function asked(gateway: TestGateway): readonly unknown[] {
  return gateway.model.requests.filter(({ body }) => body["model"] === "small");
}

async function purposes(gateway: TestGateway): Promise<readonly string[]> {
  const { body } = await gateway.api("/usage?group=purpose");
  return (body.rows as readonly { key: string }[]).map(({ key }) => key);
}

async function withOneTurn(t: Owner): Promise<TestGateway> {
  const gateway = await startGateway(t, { config: SMALL });
  gateway.model.replies(says("Buy it in May."), says('"Solar offers\u202e compared".'));
  await gateway.app.agent.send("web:one", "Compare the two solar offers, please, and be exact").finished;
  return gateway;
}

test("W§13.9 the memory model names a chat of its first turn, once, and its cost is counted there as title", async (t) => {
  const gateway = await withOneTurn(t);
  await expect.poll(() => titles(gateway)).toEqual(["Solar offers compared"]);
  const { raw } = asked(gateway)[0] as { raw: string };
  expect(raw).toContain("Compare the two solar offers");
  expect(raw).toContain("Buy it in May.");
  gateway.model.replies(says("Sure."));
  await gateway.app.agent.send("web:one", "thanks").finished;
  await gateway.app.agent.idle();
  expect(asked(gateway)).toHaveLength(1);
  expect(await purposes(gateway)).toContain("title");
});

test("W§13.9 a name that somebody writes holds over it, and comes back to it when it is taken away", async (t) => {
  const gateway = await withOneTurn(t);
  await expect.poll(() => titles(gateway)).toEqual(["Solar offers compared"]);
  const { body } = await gateway.api("/sessions?top=true");
  const path = `/sessions/${String(body.items[0].id)}`;
  const change = async (title: string | null): Promise<void> => {
    const { headers } = await gateway.api(path);
    const match = { "if-match": headers.get("etag") ?? "" };
    expect((await gateway.api(path, { method: "PATCH", body: { title }, headers: match })).status).toBe(200);
  };
  await change("My roof");
  expect(await titles(gateway)).toEqual(["My roof"]);
  await change(null);
  expect(await titles(gateway)).toEqual(["Solar offers compared"]);
});

test("W§13.9 a name that is written while the model thinks of one stays", async (t) => {
  const gateway = await startGateway(t, { config: SMALL });
  const late = stalls({ rest: says("Late name") });
  gateway.model.replies(says("Hello."), late);
  await gateway.app.agent.send("web:one", "hi there").finished;
  await expect.poll(() => asked(gateway).length).toBe(1);
  const { body } = await gateway.api("/sessions?top=true");
  const path = `/sessions/${String(body.items[0].id)}`;
  const { headers } = await gateway.api(path);
  const match = { "if-match": headers.get("etag") ?? "" };
  await gateway.api(path, { method: "PATCH", body: { title: "Mine" }, headers: match });
  late.release();
  await expect.poll(() => purposes(gateway)).toContain("title");
  expect(await titles(gateway)).toEqual(["Mine"]);
});

test.for([
  ["nothing is set", {}, "web:one"],
  ["it is switched off", { ...SMALL, agent: { titles: false } }, "web:one"],
  ["it is no chat of the pages", SMALL, "api:one"],
  ["there is no model at all", { ...SMALL, model: null, providers: {}, agent: { titles: true } }, "web:one"],
] as const)("W§13.9 nothing is asked when %s", async ([, config, key], t) => {
  const gateway = await startGateway(t, { config });
  gateway.model.replies(says("Hello."));
  await gateway.app.agent.send(key, "hi there").finished;
  await gateway.app.agent.idle();
  expect(asked(gateway)).toHaveLength(0);
});

test("W§13.9 titles/MAX_MESSAGES what is longer than that, as an imported chat, is not read for a name", async (t) => {
  const gateway = await startGateway(t, { config: SMALL });
  const grown = async (messages: number): Promise<void> => {
    const row = { role: "user", content: "long ago", timestamp: "2026-01-15T10:00:01.000Z" };
    const raw = `${JSON.stringify(row)}\n`.repeat(messages);
    const { body } = await gateway.api("/sessions/import?format=nanobot", { method: "POST", raw });
    gateway.model.replies(says("Hello."));
    const { key } = (await gateway.api(`/sessions/${body.sessions[0]}`)).body;
    await gateway.app.agent.send(key, "and now").finished;
    await gateway.app.agent.idle();
  };
  await grown(201);
  expect(await purposes(gateway)).not.toContain("title");
  await grown(10);
  expect(await purposes(gateway)).toContain("title");
});

test("W§13.9 titles/MAX_TITLE_CHARS titles/MAX_EXCERPT_CHARS long names are cut, long messages are read in part; a failure leaves the first line", async (t) => {
  const gateway = await startGateway(t, { config: SMALL });
  gateway.model.replies(says("y".repeat(9_000)), says("n".repeat(400)));
  await gateway.app.agent.send("web:one", `${"x".repeat(9_000)} end`).finished;
  await expect.poll(async () => (await titles(gateway))[0]?.startsWith("nnnn")).toBe(true);
  expect((await titles(gateway))[0]?.length).toBeLessThanOrEqual(60);
  expect((asked(gateway)[0] as { raw: string }).raw.length).toBeLessThan(6_000);
  gateway.model.replies(says("Hello."), fails(500));
  await gateway.app.agent.send("web:two", "second chat").finished;
  await expect.poll(() => asked(gateway).length).toBe(2);
  await gateway.app.agent.idle();
  expect(await titles(gateway)).toContain("second chat");
  gateway.model.replies(callsTool("list_dir", { path: "." }), says("Two files."), says("Files here"));
  await gateway.app.agent.send("web:three", "what is here").finished; // a turn of several steps is one turn
  await expect.poll(() => titles(gateway)).toContain("Files here");
});
