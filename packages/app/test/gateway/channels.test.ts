// Channels over HTTP: kinds, settings, tests, pausing, and replies on their way. A real receiver, real signatures.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalRecord } from "@margay/core";
import { fakeClock, says } from "@margay/core/testing";
import { describe, expect, test } from "vitest";
import { postSigned, SECRET, startReceiver, type Receiver } from "../channels/support.ts";
import { freePort } from "../free-port.ts";
import { writeSession } from "./journals.ts";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway, type ApiAnswer, type Owner, type TestGateway } from "./support.ts";

const params = { id: "webhook" };
const NEW = { "if-none-match": "*" };

async function receiver(t: Owner): Promise<Receiver> {
  const made = await startReceiver();
  t.onTestFinished(async () => made[Symbol.asyncDispose]());
  return made;
}

function webhook(url: string): { readonly channels: { readonly webhook: Record<string, unknown> } } {
  return { channels: { webhook: { enabled: true, secret: SECRET, allowFrom: ["ada"], options: { url } } } };
}

async function write({ app }: TestGateway, text: string): Promise<void> {
  await app.agent.bus.accept({
    key: text,
    origin: { channel: "webhook", chat: "room" },
    from: { id: "ada", kind: "person" },
    parts: [{ type: "text", text }],
  });
}

test("R283 every route of channels asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/channels", "/outbox", "/contacts", "/pairings"));
});

test("the kinds say what they need, in both languages", async (t) => {
  const { body } = await operations(await startGateway(t))("listChannelKinds");
  expect(body[0]).toMatchObject({ kind: "webhook", needs: "webhook", login: "none" });
  expect(body.map(({ kind }: { kind: string }) => kind)).toEqual([
    "webhook",
    "telegram",
    "discord",
    "slack",
    "feishu",
    "email",
    "xmpp",
  ]); // beside a checkout
  expect(body[0].guide.zh).toMatch(/[\u4e00-\u9fff]/);
  expect(body[0].guide.en).toContain("x-margay-signature");
  // A page makes its form of this: a field that is hidden, an address, a number.
  const words = { title: expect.any(String), description: expect.any(String) };
  expect(body[0].schema).toEqual({
    type: "object",
    properties: {
      secret: { type: "string", minLength: 16, writeOnly: true, ...words },
      options: {
        type: "object",
        title: expect.any(String),
        properties: {
          url: { type: "string", format: "uri", ...words },
          port: { type: "integer", minimum: 0, maximum: 65_535, ...words },
        },
        additionalProperties: false,
      },
    },
    required: ["secret"],
  });
  expect(body[0].can).toEqual({ edit: false, buttons: false, media: false, maxChars: 100_000 });
});

test("CH90 CH91 each setting of each kind has its words in both languages, and shows what holds when nobody chose", async (t) => {
  const gateway = await startGateway(t);
  const kinds = async (language: string): Promise<readonly Field[]> => {
    const { body } = await gateway.api("/channels/kinds", { headers: { "accept-language": language } });
    return (body as readonly { readonly schema: Field }[]).map(({ schema }) => schema);
  };
  const english = (await kinds("en")).flatMap(fieldsIn);
  const chinese = (await kinds("zh-CN")).flatMap(fieldsIn);
  expect(english.length).toBeGreaterThan(40);
  for (const [index, [name, field]] of english.entries()) {
    const other = chinese[index]?.[1];
    expect([name, /[\u4e00-\u9fff]/.test(field.title + (field.description ?? ""))]).toEqual([name, false]);
    expect([name, /[\u4e00-\u9fff]|^App |^Encrypt Key$|^Verification Token$/.test(other?.title ?? "")]).toEqual([
      name,
      true,
    ]);
    if (field.properties !== undefined) continue;
    expect([name, /[\u4e00-\u9fff]/.test(other?.description ?? "")]).toEqual([name, true]);
    // A switch that looks off and a choice that looks unset would tell something else than what happens.
    const looksUnset = (field.enum !== undefined || field.type === "boolean") && field.default === undefined;
    expect([name, looksUnset]).toEqual([name, false]);
  }
});

interface Field {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Field>>;
}

function fieldsIn({ properties = {} }: Field): readonly (readonly [string, Field])[] {
  return Object.entries(properties).flatMap(([name, field]) => [[name, field] as const, ...fieldsIn(field)]);
}

test("a channel without a code to read says so", async (t) => {
  const operate = operations(await startGateway(t, { config: webhook("https://in.example/x") as never }));
  expect((await operate("loginChannel", { params, body: {} })).body.code).toBe("channel.invalid");
  expect((await operate("loginChannel", { params: { id: "no" }, body: {} })).body.code).toBe("channel.invalid");
});

describe("settings", () => {
  test("R260 R282 a channel is made, shown with masks, changed and removed", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    const body = {
      enabled: true,
      secret: { $secret: SECRET },
      options: { url: "https://in.example/private-path", port: 0 },
    };
    expect((await operate("putChannel", { params, body })).body.code).toBe("precondition.required");
    const made = await operate("putChannel", { params, body, headers: NEW });
    expect(made.body).toMatchObject({
      id: "webhook",
      enabled: true,
      config: { secret: { $secret: { set: true, source: "file" } }, options: { port: 0 } },
      allow: [],
      restart: false,
      warnings: ["Nobody can write here yet: allow an id, or approve a pairing code."],
    });
    expect(JSON.stringify(made.body)).not.toMatch(/private-path|webhook-secret/);
    expect(readFileSync(join(gateway.home, "config.json"), "utf8")).not.toContain(SECRET);
    const etag = { "if-match": `"${made.body.hash}"` };
    const changed = await operate("putChannel", {
      params,
      body: { allow: ["ada"], secret: made.body.config.secret },
      headers: etag,
    });
    expect(changed.body).toMatchObject({ allow: ["ada"], warnings: [] });
    expect(gateway.app.inside.loaded().config.channelsById["webhook"]?.secret).toBe(SECRET);
    expect((await operate("putChannel", { params, body: { enabled: false }, headers: etag })).status).toBe(412);
    expect((await operate("deleteChannel", { params, headers: { "if-match": `"${changed.body.hash}"` } })).status).toBe(
      204,
    );
    expect((await operate("getChannel", { params })).body.code).toBe("channel.not-found");
  });

  test("there is no channel of an unknown kind; fields and ids are checked", async (t) => {
    const operate = operations(await startGateway(t));
    expect((await operate("putChannel", { params: { id: "pigeon" }, body: {}, headers: NEW })).body.code).toBe(
      "channel.invalid",
    );
    expect((await operate("putChannel", { params, body: { allowFrom: [] }, headers: NEW })).body.code).toBe(
      "request.invalid",
    );
    expect((await operate("putChannel", { params, body: { baseUrl: "x" }, headers: NEW })).body.code).toBe(
      "settings.invalid",
    );
    expect((await operate("testChannel", { params, body: {} })).body.code).toBe("channel.not-found");
  });

  test("CH92 a second account of a platform is tested, made and removed under its own name, and the first stays as it is", async (t) => {
    const inbox = await receiver(t);
    const gateway = await startGateway(t, { config: webhook("https://in.example/x") as never });
    const operate = operations(gateway);
    const second = { id: "work" };
    const body = {
      kind: "webhook",
      enabled: true,
      secret: { $secret: "another-secret-of-work" },
      options: { url: inbox.url },
    };
    const tested = await operate("testChannel", { params: second, body: { draft: body, to: "room" } });
    expect([tested.body.ok, inbox.received.length]).toEqual([true, 1]);
    expect((await operate("putChannel", { params, body, headers: NEW })).status).toBe(428); // that name is taken
    const made = await operate("putChannel", { params: second, body, headers: NEW });
    expect(made.body).toMatchObject({ id: "work", kind: "webhook", enabled: true });
    const listed = async (): Promise<readonly string[]> =>
      (await operate("listChannels")).body.map(({ id, kind, allow }: never) => [id, kind, allow].join(" "));
    expect(await listed()).toEqual(["webhook webhook ada", "work webhook "]);
    const web = await operate("putChannel", { params: { id: "web" }, body, headers: NEW });
    expect([web.body.code, web.body.errors[0].path]).toEqual(["settings.invalid", "/channels/web"]);
    const shouted = await operate("putChannel", { params: { id: "Work" }, body, headers: NEW });
    expect([shouted.body.code, shouted.body.errors[0].path]).toEqual(["channel.invalid", "/name"]);
    const gone = await operate("deleteChannel", { params: second, headers: { "if-match": `"${made.body.hash}"` } });
    expect(gone.status).toBe(204);
    expect(await listed()).toEqual(["webhook webhook ada"]);
    expect(gateway.app.inside.loaded().config.channelsById["webhook"]?.secret).toBe(SECRET);
  });

  test("◆ letting everybody write needs the owner", async (t) => {
    const gateway = await startGateway(t);
    const operate = operations(gateway);
    const body = { allow: ["*"], secret: { $secret: SECRET } };
    const refused = await operate("putChannel", { params, body, headers: NEW, token: gateway.token("admin") });
    expect(refused.body.code).toBe("auth.scope");
    const allowed = await operate("putChannel", { params, body: { ...body, enabled: true }, headers: NEW });
    expect(allowed.body.warnings).toEqual(["Everybody may write here."]);
  });
});

describe("a test of a channel", () => {
  test("R254 goes step by step and delivers one message", async (t) => {
    const inbox = await receiver(t);
    const operate = operations(await startGateway(t, { config: webhook(inbox.url) as never }));
    const { body } = await operate("testChannel", { params, body: { to: "room" } });
    expect(body.steps.map(({ id, state }: { id: string; state: string }) => `${id} ${state}`)).toEqual([
      "credentials ok",
      "reach ok",
      "receive skipped",
      "message ok",
    ]);
    expect(inbox.received[0]?.body).toMatchObject({ chat: "room", text: "A test message from margay." });
  });

  test("a draft: a missing secret and a closed port are named, and nothing is saved", async (t) => {
    const operate = operations(await startGateway(t));
    const none = await operate("testChannel", {
      params,
      body: { draft: { options: { url: "http://127.0.0.1:9/in" } } },
    });
    expect(none.body).toMatchObject({
      ok: false,
      code: "config.invalid",
      steps: [{ id: "credentials", state: "failed" }, {}, {}, {}],
    });
    const closed = await operate("testChannel", {
      params,
      body: { draft: { secret: { $secret: SECRET }, options: { url: "http://127.0.0.1:9/in" } } },
    });
    expect(closed.body).toMatchObject({ ok: false, code: "channel.failed" });
    expect(JSON.stringify(closed.body.steps[1])).toContain("127.0.0.1:9 was not reached: ");
    expect(JSON.stringify(closed.body)).not.toContain(SECRET);
    expect((await operate("listChannels")).body).toEqual([]);
  });

  test("R282 the stored secret signs nothing for another address without the owner", async (t) => {
    const inbox = await receiver(t);
    const gateway = await startGateway(t, { config: webhook("http://127.0.0.1:9/in") as never });
    const answer = await operations(gateway)("testChannel", {
      params,
      body: { to: "room", draft: { options: { url: inbox.url } } },
      token: gateway.token("admin"),
    });
    expect(answer.body.code).toBe("auth.scope");
    expect(inbox.calls).toBe(0);
  });
});

test("a running channel says since when, what came and what went; it can be paused", async (t) => {
  const inbox = await receiver(t);
  const gateway = await startGateway(t, { config: webhook(inbox.url) as never });
  const operate = operations(gateway);
  await expect.poll(async () => (await operate("getChannel", { params })).body.state).toBe("up");
  gateway.model.replies(says("hello"));
  await write(gateway, "hi");
  await inbox.took(1);
  await expect.poll(async () => (await operate("getChannel", { params })).body.lastOut).toBeGreaterThan(0);
  expect((await operate("pauseChannel", { params })).body.state).toBe("paused");
  expect((await operate("resumeChannel", { params })).body.state).not.toBe("paused");
  expect((await operate("pauseChannel", { params: { id: "no" } })).body.code).toBe("channel.not-found");
});

test("CH48 CH98 a platform that asks for a pause is shown with its end, and no more when it is over", async (t) => {
  const inbox = await receiver(t);
  inbox.answer(429, 1, { "retry-after": "238" });
  const clock = fakeClock(1_790_000_000_000);
  const gateway = await startGateway(t, { config: webhook(inbox.url) as never, clock });
  const operate = operations(gateway);
  gateway.model.replies(says("hello"));
  await write(gateway, "hi");
  await inbox.called(1);
  const limit = async (): Promise<unknown> => (await operate("getChannel", { params })).body.limitedUntil;
  await expect
    .poll(async () => (await operate("getChannel", { params })).body, { timeout: 5000 })
    .toMatchObject({ limitedUntil: 1_790_000_239_000 });
  expect((await gateway.api("/!/metrics")).body).toContain('margay_channel_limited_seconds{channel="webhook"} 239\n');
  await clock.advance(239_000);
  expect(await limit()).toBeUndefined();
});

/** A gateway whose webhook listens. */
async function listening(
  t: Owner,
): Promise<{ readonly inbox: Receiver; readonly port: number; readonly gateway: TestGateway }> {
  const inbox = await receiver(t);
  const port = await freePort();
  const { channels } = webhook(inbox.url);
  const config = { channels: { webhook: { ...channels.webhook, options: { url: inbox.url, port } } } };
  const gateway = await startGateway(t, { config: config as never });
  return { inbox, port, gateway };
}

test("a paused channel listens no more until it is resumed", async (t) => {
  const { inbox, port, gateway } = await listening(t);
  const operate = operations(gateway);
  const state = async (): Promise<unknown> => (await operate("getChannel", { params })).body.state;
  const ask = (id: string): Promise<number> =>
    postSigned(port, { id, chat: "room", sender: "ada", text: "hi" }).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(state).toBe("up");
  await operate("pauseChannel", { params });
  await expect.poll(() => ask("m1")).toBe(0);
  expect(await state()).toBe("paused");
  await operate("resumeChannel", { params });
  await expect.poll(state).toBe("up");
  gateway.model.replies(says("back"));
  expect(await ask("m2")).toBe(202);
  await inbox.took(1);
});

test("what could not be stored did not come: only a message that was taken is the last one of a channel", async (t) => {
  const { inbox, port, gateway } = await listening(t);
  const operate = operations(gateway);
  const shown = async (): Promise<ApiAnswer["body"]> => (await operate("getChannel", { params })).body;
  const ask = async (): Promise<number> =>
    (await postSigned(port, { id: "m1", chat: "room", sender: "ada", text: "hi" })).status;
  await expect.poll(async () => (await shown()).state).toBe("up");
  const sessions = join(gateway.home, "sessions");
  rmSync(sessions, { recursive: true, force: true });
  writeFileSync(sessions, ""); // nothing can be written below it
  expect(await ask()).toBe(503);
  expect(await shown()).not.toHaveProperty("lastIn");
  rmSync(sessions);
  gateway.model.replies(says("hello"));
  expect(await ask()).toBe(202);
  expect((await shown()).lastIn).toBeGreaterThan(0);
  await inbox.took(1);
});

test("a channel that is switched on works at once, and stops when it is switched off", async (t) => {
  const inbox = await receiver(t);
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const incomplete = await operate("putChannel", { params, body: { enabled: true }, headers: NEW });
  expect(incomplete.body).toMatchObject({ code: "settings.invalid", errors: [{ path: "/channels" }] });
  const body = { enabled: true, secret: { $secret: SECRET }, allow: ["ada"], options: { url: inbox.url } };
  const made = await operate("putChannel", { params, body, headers: NEW });
  await expect.poll(async () => (await operate("getChannel", { params })).body.state).toBe("up");
  gateway.model.replies(says("at once"));
  await write(gateway, "hi");
  await inbox.took(1);
  expect(inbox.received[0]?.body).toMatchObject({ text: "at once" });
  const off = await operate("putChannel", {
    params,
    body: { enabled: false },
    headers: { "if-match": `"${made.body.hash}"` },
  });
  expect(off.body.state).toBe("off");
  expect((await operate("pauseChannel", { params })).body.code).toBe("channel.disabled");
  gateway.model.replies(says("waits"));
  await write(gateway, "are you there?");
  await gateway.app.agent.idle();
  expect((await operate("listOutbox")).body.items).toMatchObject([{ state: "pending", attempts: 0, text: "waits" }]);
  await operate("putChannel", { params, body: { enabled: true }, headers: { "if-match": `"${off.body.hash}"` } });
  await inbox.took(2); // what waited leaves
});

describe("replies on their way", () => {
  test("R258 a reply that waits is listed, sent again at once, and gone when it was delivered", async (t) => {
    const inbox = await receiver(t);
    inbox.answer(503, 1);
    const gateway = await startGateway(t, { config: webhook(inbox.url) as never, clock: fakeClock(1_790_000_000_000) });
    const operate = operations(gateway);
    gateway.model.replies(says("the answer"));
    await write(gateway, "hi");
    await inbox.called(1);
    await expect
      .poll(async () => (await operate("listOutbox")).body.items)
      .toMatchObject([{ state: "pending", attempts: 1, to: { channel: "webhook", chat: "room" }, text: "the answer" }]);
    const view = (await operate("getChannel", { params })).body;
    expect(view.outbox).toMatchObject({ pending: 1, failed: 0 });
    expect(view).toMatchObject({ error: expect.stringContaining("503") }); // why it waits
    const [item] = (await operate("listOutbox", { query: { state: "pending" } })).body.items;
    expect(item.nextAt).toBeGreaterThan(item.at);
    await operate("retryReply", { params: { reply: item.reply } });
    await inbox.took(1); // the clock never moved: it did not wait for its time
    await expect.poll(async () => (await operate("listOutbox")).body.items).toEqual([]);
    expect((await operate("retryReply", { params: { reply: item.reply } })).body.code).toBe("request.not-found");
  });

  test("R258 a journal that cannot be read hides no reply of another", async (t) => {
    const gateway = await startGateway(t, { config: webhook("http://127.0.0.1:9/") as never });
    const damaged = writeSession(gateway.home, { key: "web:damaged", turns: 2 });
    const journal = join(gateway.home, "sessions", `${damaged}.journal`);
    writeFileSync(journal, readFileSync(journal, "utf8").replace('"seq":2', '"seq":3'));
    gateway.model.replies(says("the answer"));
    await write(gateway, "hi");
    await gateway.app.agent.idle();
    const { items } = (await operations(gateway)("listOutbox")).body;
    expect(items).toMatchObject([{ text: "the answer" }]);
  });

  test("R258 a reply is sent again by its name also when nobody has listed any", async (t) => {
    const inbox = await receiver(t);
    inbox.answer(503, 1);
    const gateway = await startGateway(t, { config: webhook(inbox.url) as never, clock: fakeClock(1_790_000_000_000) });
    gateway.model.replies(says("the answer"));
    await write(gateway, "hi");
    await inbox.called(1);
    const records = async (): Promise<readonly JournalRecord[]> => {
      const found: JournalRecord[] = [];
      for (const id of await gateway.app.inside.sessionIds())
        for await (const commit of gateway.app.inside.readCommits(id)) found.push(...commit.records);
      return found;
    };
    await expect.poll(async () => (await records()).map(({ type }) => type)).toContain("reply.failed");
    const queued = (await records()).find((record) => record.type === "reply.queued");
    const answer = await operations(gateway)("retryReply", { params: { reply: queued?.reply ?? "" } });
    expect(answer.body).toMatchObject({ text: "the answer" });
    await inbox.took(1);
  });

  test("a file without a name is listed by its type", async (t) => {
    const gateway = await startGateway(t, { config: webhook("https://in.example/x") as never });
    const operate = operations(gateway);
    const { channels } = webhook("https://in.example/x");
    await gateway.configure({ channels: { webhook: { ...channels.webhook, enabled: false } } } as never);
    const blob = await gateway.app.agent.blobs.put(Buffer.from("picture"));
    await gateway.app.agent.bus.send("webhook:room", {
      reply: "r-1",
      to: { channel: "webhook", chat: "room" },
      kind: "message",
      parts: [{ type: "media", mediaType: "image/png", blob }],
    });
    expect((await operate("listOutbox")).body.items).toMatchObject([{ text: "[image/png]" }]);
  });

  test("R258 a dropped reply is never sent, and the next one of its chat is", async (t) => {
    const inbox = await receiver(t);
    inbox.answer(503, 1);
    const gateway = await startGateway(t, { config: webhook(inbox.url) as never, clock: fakeClock(1_790_000_000_000) });
    const operate = operations(gateway);
    gateway.model.replies(says("first"), says("second"));
    await write(gateway, "one");
    await inbox.called(1);
    await write(gateway, "two");
    await expect.poll(async () => (await operate("listOutbox")).body.items).toHaveLength(2);
    const { items } = (await operate("listOutbox")).body;
    const first = items.find(({ text }: { text: string }) => text === "first");
    expect((await operate("dropReply", { params: { reply: first.reply } })).status).toBe(204);
    await inbox.took(1);
    expect(inbox.received.map(({ body }) => body["text"])).toEqual(["second"]);
    expect((await operate("listOutbox", { query: { state: "failed" } })).body.items).toMatchObject([
      { text: "first", error: "Dropped by a person." },
    ]);
    await operate("retryReply", { params: { reply: first.reply } }); // given up on is not gone
    await inbox.took(2);
    expect(inbox.received.map(({ body }) => body["text"])).toEqual(["second", "first"]);
    const labels: unknown[] = [];
    for await (const { records } of gateway.app.inside.readCommits(first.session))
      for (const record of records)
        if (record.type === "reply.queued" && record.reply === first.reply) labels.push(record.marks);
    expect(labels).toEqual([{ integrity: "untrusted" }, { integrity: "untrusted" }]);
  });

  test("pages and states are checked", async (t) => {
    const operate = operations(await startGateway(t));
    expect((await operate("listOutbox", { query: { state: "lost" } })).body.code).toBe("request.invalid");
    expect((await operate("listOutbox", { query: { limit: 0 } })).body.code).toBe("request.invalid");
    expect((await operate("dropReply", { params: { reply: "no" } })).body.code).toBe("request.not-found");
  });
});
