// What the owner sees of another person's conversations: who, where and how much. The text only after a proof, and they are told.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/compose/routes.ts";
import { connect } from "./frames.ts";
import { operations } from "./operations.ts";
import { startGateway, type TestGateway } from "./support.ts";

const CANARY = "zanzibar";
const people = { eva: { name: "Eva", ids: ["webhook:eva"] } };
const channels = { webhook: { enabled: true, secret: "webhook-secret", options: { url: "http://127.0.0.1:9/" } } };

let serial = 0;
async function write({ app }: TestGateway, sender: string, text: string): Promise<void> {
  const accepted = await app.agent.bus.accept({
    key: `p${++serial}`,
    origin: { channel: "webhook", chat: sender },
    from: { id: sender, kind: "person" },
    parts: [{ type: "text", text }],
    chat: "private",
  });
  expect(accepted.status).toBe("accepted");
}

/** Resolves when what was written is answered; the replies wait, nobody is there. */
async function answered({ app }: TestGateway, key: string, turns: number): Promise<void> {
  const ended = async (): Promise<number> => {
    const session = await app.agent.sessions.find(key);
    let count = 0;
    for await (const { records } of session?.history() ?? [])
      count += records.filter(({ type }) => type === "turn.ended").length;
    return count;
  };
  await expect.poll(ended, { timeout: 10_000 }).toBe(turns);
}

/** Everything that a person leaves: words, calls, files, memory, a job, a helper, replies that wait. */
async function lived(t: Parameters<typeof startGateway>[0]): Promise<TestGateway> {
  // Whoever asks everything asks more in a minute than anybody may.
  const limits = { requestsPerMinute: 100_000 };
  const gateway = await startGateway(t, { config: { people, channels, gateway: { limits } } as never });
  const { model } = gateway;
  model.route(({ body }) => JSON.stringify(body).includes("You are a subagent"), says(`helper ${CANARY}`));
  model.replies(
    callsTool("write_file", { path: "secret.txt", content: CANARY }),
    callsTool("remember", { text: `The word is ${CANARY}.` }),
    callsTool("cron", { action: "add", message: `say ${CANARY}`, every_seconds: 3600 }),
    callsTool("spawn", { task: `look for ${CANARY}`, label: CANARY }),
    callsTool("message", { channel: "webhook", chat_id: "ada", text: `tell ${CANARY}` }),
    says(`I keep ${CANARY}.`),
    says(`The helper says ${CANARY}.`),
  );
  await write(gateway, "eva", `My word is ${CANARY}.`);
  await answered(gateway, "webhook:eva", 2);
  expect(await gateway.app.schedule.cron?.list()).toMatchObject([{ by: "eva" }]);
  return gateway;
}

/** Whatever a path may name. */
async function names(gateway: TestGateway): Promise<Readonly<Record<string, readonly string[]>>> {
  const all = await gateway.app.agent.sessions.list();
  const jobs = (await gateway.app.schedule.cron?.list()) ?? [];
  const found: Record<string, Set<string>> = { turn: new Set(), call: new Set(), item: new Set(), hash: new Set() };
  for (const { key } of all)
    for await (const { seq, records } of (await gateway.app.agent.sessions.find(key))?.history() ?? [])
      for (const [index, record] of records.entries()) {
        found["item"]?.add(`${seq}.${index}`);
        if (record.type === "turn.started") found["turn"]?.add(record.turn);
        if (record.type === "tool.started") found["call"]?.add(record.call);
        if (record.type === "prefix.frozen") found["hash"]?.add(record.prefix.hash);
      }
  const ids = all.map(({ id }) => id);
  return {
    ...Object.fromEntries(Object.entries(found).map(([name, values]) => [name, [...values].slice(0, 8)])),
    id: [...ids, ...jobs.map(({ id }) => id)],
    session: ids,
  };
}

/** Every way to fill the path. */
function filled(path: string, values: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const name = /\{([^}]+)\}/.exec(path)?.[1];
  if (name === undefined) return [path];
  return (values[name] ?? ["none"]).flatMap((value) =>
    filled(path.replace(`{${name}}`, encodeURIComponent(value)), values),
  );
}

test("PE30 a crawl of all routes that read finds nothing of what a person said, and after it was opened it does", async (t) => {
  const gateway = await lived(t);
  const values = await names(gateway);
  const reads = ROUTES.filter(({ method }) => method === "GET").flatMap(({ path }) => filled(path, values));
  expect(reads.length).toBeGreaterThan(100);
  const crawl = async (paths = reads): Promise<readonly string[]> => {
    const told: string[] = [];
    for (const path of paths)
      for (const query of ["", `?q=${CANARY}`, "?text=1&limit=200"]) {
        if (query.startsWith("?text") && path.includes("/stats")) continue;
        const { status, body } = await gateway.api(`${path}${query}`, { headers: { accept: "application/json" } });
        if (status === 429) throw new Error(`${path} was not asked`);
        if (status < 400 && JSON.stringify(body).includes(CANARY)) told.push(path);
      }
    return [...new Set(told)];
  };
  expect(await crawl()).toEqual([]);
  const operate = operations(gateway);
  const { items } = (await operate("listSessions")).body;
  const eva = items.find(({ key }: { key: string }) => key === "webhook:eva");
  expect(eva).toMatchObject({
    audience: "eva",
    private: true,
    title: "webhook:eva",
    preview: "",
    channel: "webhook",
  });
  await operate("openSession", { params: { id: eva.id } });
  // What is a stream by now has no end.
  expect((await crawl(reads.filter((path) => !path.endsWith("/events")))).length).toBeGreaterThan(4);
});

test("PE31 it is opened with a proof, on record, for an hour, and the person is told once", async (t) => {
  const clock = fakeClock(Date.UTC(2026, 10, 27, 12));
  const gateway = await startGateway(t, { clock, config: { people, channels } });
  const operate = operations(gateway);
  gateway.model.replies(says(`Yes, ${CANARY}.`));
  await write(gateway, "eva", `My word is ${CANARY}.`);
  await answered(gateway, "webhook:eva", 1);
  const [{ id }] = (await operate("listSessions")).body.items;
  const messages = async (): Promise<string> =>
    JSON.stringify((await operate("listMessages", { params: { id } })).body);
  expect(await messages()).toContain("auth.private");
  expect(await messages()).toContain("eva");
  const admin = gateway.token("admin");
  expect((await operate("openSession", { params: { id }, token: admin })).body.code).toBe("auth.scope");
  expect(await messages()).toContain("auth.private");

  const opened = await Promise.all([1, 2].map(() => operate("openSession", { params: { id } })));
  for (const { body } of opened) expect(body).toMatchObject({ title: `My word is ${CANARY}.` });
  expect(await messages()).toContain(CANARY);
  // For who opened it, and nobody else.
  expect((await operate("listMessages", { params: { id }, token: gateway.token("read") })).body.code).toBe(
    "auth.private",
  );
  const outbox = (await operate("listOutbox")).body.items.map(({ text }: { text: string }) => text);
  expect(outbox.filter((text: string) => text.startsWith("The owner of this margay opened"))).toHaveLength(1);
  const { items } = (await operate("listAudit", { query: { kind: "event" } })).body;
  expect(JSON.stringify(items)).toContain("conversation.opened");
  // Nobody writes into it all the same.
  const sent = await operate("sendMessage", {
    params: { id },
    body: { parts: [{ type: "text", text: "hi" }] },
    headers: { "idempotency-key": "k1" },
  });
  expect(sent.status).toBeGreaterThanOrEqual(400);

  await clock.advance(3_600_001);
  expect(await messages()).toContain("auth.private");
});

test("PE31 who follows a chat that becomes somebody's own is shown nothing more of it", async (t) => {
  const gateway = await startGateway(t, {
    config: { channels: { webhook: { ...channels.webhook, allowFrom: ["eva"] } } },
  });
  const operate = operations(gateway);
  gateway.model.replies(says("As a guest."), says(`As Eva: ${CANARY}.`));
  await write(gateway, "eva", "hello");
  await answered(gateway, "webhook:eva", 1);
  const [{ id }] = (await operate("listSessions")).body.items;
  const page = await connect(gateway);
  await page.ask({ type: "subscribe", session: id });
  await gateway.configure({ people, channels });
  await write(gateway, "eva", `My word is ${CANARY}.`);
  await answered(gateway, "webhook:eva", 2);
  await expect.poll(() => JSON.stringify(page.frames)).toContain("auth.private");
  expect(JSON.stringify(page.frames)).not.toContain(CANARY);
});

test("PE31 who follows such a chat over the frames of the seeds is shown nothing more of it either", async (t) => {
  const gateway = await startGateway(t, {
    config: { channels: { webhook: { ...channels.webhook, allowFrom: ["eva"] } } },
  });
  gateway.model.replies(says("As a guest."), says(`As Eva: ${CANARY}.`));
  await write(gateway, "eva", "hello");
  await answered(gateway, "webhook:eva", 1);
  const [{ id }] = (await operations(gateway)("listSessions")).body.items;
  const page = await connect(gateway, { path: "/ws/chat" });
  page.send({ type: "subscribe", session_id: id });
  page.send({ type: "ping" });
  await page.until(({ type }) => type === "pong");
  await gateway.configure({ people, channels });
  await write(gateway, "eva", `My word is ${CANARY}.`);
  await answered(gateway, "webhook:eva", 2);
  await expect.poll(() => JSON.stringify(page.frames)).toContain("auth.private");
  expect(JSON.stringify(page.frames)).not.toContain(CANARY);
});

test("PE31 over the frames of the seeds nobody listens by writing into it", async (t) => {
  const gateway = await startGateway(t, { config: { people, channels } });
  gateway.model.replies(says("hi"), says(`Yes, ${CANARY}.`));
  await write(gateway, "eva", "hello");
  await answered(gateway, "webhook:eva", 1);
  const [{ id }] = (await operations(gateway)("listSessions")).body.items;
  const page = await connect(gateway, { path: "/ws/chat" });
  page.send({ type: "message", session_id: id, content: "I only listen" });
  await page.until(({ code }) => code === "auth.private");
  await write(gateway, "eva", `My word is ${CANARY}.`);
  await answered(gateway, "webhook:eva", 2);
  page.send({ type: "ping" });
  await expect.poll(() => page.frames.at(-1)?.type).toBe("pong");
  expect(page.frames.map(({ type }) => type)).toEqual(["connected", "error", "pong"]);
});

test("PE31 while it cannot be read who was told, nobody is told or read, and their conversation goes on", async (t) => {
  const kim = { name: "Kim", ids: ["webhook:kim"], supervised: true };
  const gateway = await startGateway(t, {
    config: { people: { kim }, channels },
    prepare: ({ home }) => mkdirSync(join(home, "supervised.json")),
  });
  gateway.model.replies(says(`Yes, ${CANARY}.`));
  await write(gateway, "kim", `My word is ${CANARY}.`);
  await answered(gateway, "webhook:kim", 1);
  expect(JSON.stringify((await operations(gateway)("listSessions")).body)).not.toContain(CANARY);
});

test("PE31 whose chats the owner reads unopened is told at the first message and at each change, and nothing is read before", async (t) => {
  const kim = { name: "Kim", ids: ["webhook:kim"] };
  const gateway = await startGateway(t, { config: { people: { kim: { ...kim, supervised: true } }, channels } });
  const operate = operations(gateway);
  const told = async (text: string): Promise<number> => {
    let count = 0;
    for await (const { records } of (await gateway.app.agent.sessions.find("webhook:kim"))?.history() ?? [])
      count += records.filter((one) => one.type === "reply.queued" && JSON.stringify(one.parts).includes(text)).length;
    return count;
  };
  const [on, off] = ["From now on the owner", "The owner of this margay no longer"];
  const preview = async (): Promise<string> => JSON.stringify((await operate("listSessions")).body);
  gateway.model.replies(says(`Yes, ${CANARY}.`), says("And again."));
  await write(gateway, "kim", `My word is ${CANARY}.`);
  await answered(gateway, "webhook:kim", 1);
  await expect.poll(() => told(on)).toBe(1);
  expect(await preview()).toContain(CANARY);
  await write(gateway, "kim", "and again");
  await answered(gateway, "webhook:kim", 2);
  expect(await told(on)).toBe(1);
  // It ends at once, and they are told.
  await gateway.configure({ people: { kim }, channels });
  expect(await preview()).not.toContain(CANARY);
  await expect.poll(() => told(off)).toBe(1);
  await gateway.configure({ people: { kim: { ...kim, supervised: true } }, channels });
  await expect.poll(() => told(on)).toBe(2);
  await expect.poll(preview).toContain(CANARY);
  const { items } = (await operate("listAudit", { query: { kind: "event" } })).body;
  expect(JSON.stringify(items)).toContain("person.supervised");
  // Reading is all that it gives.
  const [{ id }] = (await operate("listSessions")).body.items;
  const sent = await operate("sendMessage", { params: { id }, body: { parts: [{ type: "text", text: "hi" }] } });
  expect(sent.body.code).toBe("auth.private");
});

test("PE31 who cannot be reached is not read: nothing is lifted before they are told", async (t) => {
  const kim = { name: "Kim", ids: ["webhook:kim"] };
  const gateway = await startGateway(t, { config: { people: { kim }, channels } });
  const operate = operations(gateway);
  const preview = async (): Promise<string> => JSON.stringify((await operate("listSessions")).body);
  gateway.model.replies(says(`Yes, ${CANARY}.`));
  await write(gateway, "kim", `My word is ${CANARY}.`);
  await answered(gateway, "webhook:kim", 1);
  const isOff = { webhook: { ...channels.webhook, enabled: false } };
  await gateway.configure({ people: { kim: { ...kim, supervised: true } }, channels: isOff });
  expect(await preview()).not.toContain(CANARY);
});
