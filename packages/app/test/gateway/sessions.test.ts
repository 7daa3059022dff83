import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { thinks } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { approveNew, ECHO, fakeServer } from "../mcp/support.ts";
import { startGateway, type TestGateway } from "./support.ts";

async function say(gateway: TestGateway, session: string, text: string): Promise<void> {
  const { status, body } = await gateway.api(`/sessions/${session}/messages`, {
    method: "POST",
    body: { parts: [{ type: "text", text }] },
  });
  expect([status, body]).toMatchObject([202, { status: "accepted" }]);
  await gateway.app.agent.idle();
}

async function create(gateway: TestGateway, body: object = {}): Promise<string> {
  const made = await gateway.api("/sessions", { method: "POST", body });
  expect(made.status).toBe(201);
  return made.body.id as string;
}

test("a session is created, written to, listed, changed, trashed and restored", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("Hello there."));
  const id = await create(gateway);
  await say(gateway, id, "Good morning\nand more");
  const { body: list } = await gateway.api("/sessions");
  expect(list.items).toHaveLength(1);
  expect(list.items[0]).toMatchObject({
    id,
    title: "Good morning",
    source: "web",
    preview: "Hello there.",
    messages: 2,
    state: "idle",
    pinned: false,
  });
  const detail = await gateway.api(`/sessions/${id}`);
  const etag = detail.headers.get("etag") ?? "";
  expect((await gateway.api(`/sessions/${id}`, { method: "PATCH", body: { title: "Mornings" } })).body.code).toBe(
    "precondition.required",
  );
  const changed = await gateway.api(`/sessions/${id}`, {
    method: "PATCH",
    body: { title: "Mornings", pinned: true },
    headers: { "if-match": etag },
  });
  expect(changed.body).toMatchObject({ title: "Mornings", pinned: true });
  const stale = await gateway.api(`/sessions/${id}`, {
    method: "PATCH",
    body: { title: "x" },
    headers: { "if-match": etag },
  });
  expect([stale.status, stale.body.code, typeof stale.body.current]).toEqual([412, "precondition.failed", "string"]);

  expect((await gateway.api(`/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
  expect((await gateway.api("/sessions")).body.items).toEqual([]);
  expect((await gateway.api("/sessions?trashed=true")).body.items).toHaveLength(1);
  expect((await gateway.api(`/sessions/${id}`)).body.code).toBe("session.trashed");
  expect((await gateway.api(`/sessions/${id}/restore`, { method: "POST" })).body.title).toBe("Mornings");
  expect((await gateway.api(`/sessions/${id}?`, { method: "DELETE", token: gateway.token("read") })).body.code).toBe(
    "auth.scope",
  );
  expect((await gateway.api(`/sessions/${id}?purge=true`, { method: "DELETE" })).status).toBe(204);
  expect((await gateway.api(`/sessions/${id}`)).body.code).toBe("session.not-found");
  expect((await gateway.api("/sessions?trashed=true")).body.items).toEqual([]);
});

test("a session is found by its exact key, and by nothing less", async (t) => {
  const gateway = await startGateway(t);
  const id = await create(gateway, { title: "Named" });
  const { body } = await gateway.api(`/sessions/${id}`);
  expect(body.key).toMatch(/^web:/);
  expect((await gateway.api(`/sessions/by-key?key=${encodeURIComponent(body.key)}`)).body).toMatchObject({
    id,
    title: "Named",
  });
  expect((await gateway.api(`/sessions/by-key?key=${encodeURIComponent(body.key.slice(0, -1))}`)).status).toBe(404);
});

test("a fork has what was said up to a commit, and goes its own way", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("one"), says("two"), says("other two"));
  const id = await create(gateway);
  await say(gateway, id, "first");
  const { body: first } = await gateway.api(`/sessions/${id}`);
  await say(gateway, id, "second");
  const fork = await gateway.api(`/sessions/${id}/fork`, {
    method: "POST",
    body: { at: first.lastSeq, title: "Branch" },
  });
  expect([fork.status, fork.body.title, fork.body.forkedFrom.session]).toEqual([201, "Branch", id]);
  await say(gateway, fork.body.id, "another second");
  const texts = async (session: string): Promise<readonly string[]> =>
    (await gateway.api(`/sessions/${session}/messages`)).body.items.flatMap(
      (item: { kind: string; parts: { text: string }[] }) =>
        item.kind === "user" || item.kind === "assistant" ? item.parts.map(({ text }) => text) : [],
    );
  expect(await texts(fork.body.id)).toEqual(["first", "one", "another second", "other two"]);
  expect(await texts(id)).toEqual(["first", "one", "second", "two"]);
  expect((await gateway.api(`/sessions/${id}`)).body.branches).toMatchObject([{ session: fork.body.id }]);
  const beyond = await gateway.api(`/sessions/${id}/fork`, { method: "POST", body: { at: 9999 } });
  expect([beyond.status, beyond.body.code]).toEqual([422, "request.invalid"]);
});

test("R422 branches come with the newest first, in whichever order a start finds their files", async (t) => {
  const gateway = await startGateway(t);
  const id = await create(gateway);
  await say(gateway, id, "first");
  const forks: string[] = [];
  for (let n = 0; n < 6; n++) {
    const { body } = await gateway.api(`/sessions/${id}/fork`, { method: "POST", body: {} });
    await say(gateway, body.id, `goes on ${n}`);
    forks.push(body.id);
  }
  const shown = async (): Promise<readonly string[]> =>
    (await gateway.api(`/sessions/${id}`)).body.branches.map(({ session }: { session: string }) => session);
  expect(await shown()).toEqual(forks.toReversed());
});

test("R181 reset clears at once, keeps what was said readable, and compact answers what it did", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("noted"));
  const id = await create(gateway);
  await say(gateway, id, "remember blue");
  const reset = await gateway.api(`/sessions/${id}/reset`, { method: "POST" });
  expect([reset.status, typeof reset.body.text]).toEqual([200, "string"]);
  const { items } = (await gateway.api(`/sessions/${id}/messages`)).body;
  expect(items.map(({ kind }: { kind: string }) => kind)).toEqual(
    expect.arrayContaining(["user", "assistant", "cleared", "notice"]),
  );
  expect((await gateway.api(`/sessions/${id}/context`)).body.sections).toContainEqual({ id: "messages", tokens: 0 });
  const compact = await gateway.api(`/sessions/${id}/compact`, { method: "POST" });
  expect(compact.status).toBe(202);
  expect(compact.body.text).not.toBe("");
});

test("regenerate answers again in a branch, and names the calls that changed something first", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(
    callsTool("write_file", { path: "a.txt", content: "x" }),
    says("written"),
    says("written differently"),
  );
  const id = await create(gateway);
  await say(gateway, id, "write it");
  const { items } = (await gateway.api(`/sessions/${id}/turns`)).body;
  expect(items).toMatchObject([{ source: "web", reason: "done", steps: 2, calls: 1 }]);
  const turn = items[0].id;
  const refused = await gateway.api(`/sessions/${id}/regenerate`, { method: "POST", body: { turn } });
  expect([refused.status, refused.body.code, refused.body.calls]).toMatchObject([
    409,
    "turn.has-writes",
    [{ name: "write_file" }],
  ]);
  const again = await gateway.api(`/sessions/${id}/regenerate`, {
    method: "POST",
    body: { turn, confirmWrites: true },
  });
  expect(again.status).toBe(201);
  await gateway.app.agent.idle();
  const branch = (await gateway.api(`/sessions/${again.body.session}/messages`)).body.items;
  expect(branch.findLast(({ kind }: { kind: string }) => kind === "assistant").parts).toEqual([
    { type: "text", text: "written differently" },
  ]);
});

test("CH78 what a voice note says is on the pages, in the list and in the transcript; answered again, nobody writes it down again", async (t) => {
  const gateway = await startGateway(t, {
    config: { agent: { transcriptionModel: "mock/whisper-9" } },
  });
  const { model, app } = gateway;
  model.hears("Buy oat milk.");
  model.replies(says("noted"), says("noted differently"));
  const blob = await app.agent.blobs.put(Buffer.from("OggS and what was said"));
  await app.agent.send("web:spoken", [{ type: "media", mediaType: "audio/ogg", blob, voice: true }]).finished;
  const [{ id, title }] = (await gateway.api("/sessions")).body.items;
  expect(title).toBe("[voice note] Buy oat milk.");
  const { items } = (await gateway.api(`/sessions/${id}/messages`)).body;
  expect(items.find(({ kind }: { kind: string }) => kind === "user").parts).toMatchObject([
    { type: "media", voice: true },
    { type: "text", text: "[voice note] Buy oat milk." },
  ]);
  const turn = (await gateway.api(`/sessions/${id}/turns`)).body.items[0].id;
  const again = await gateway.api(`/sessions/${id}/regenerate`, { method: "POST", body: { turn } });
  expect(again.status).toBe(201);
  await app.agent.idle();
  expect(model.recordings).toHaveLength(1);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("[voice note] Buy oat milk.");
  expect(JSON.stringify(await app.inside.holdingsOf(undefined).recall.search("oat milk", 5))).toContain(
    "Buy oat milk.",
  );
});

test("SE1 PE40 what somebody else wrote stays theirs when it is answered again", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("one"), says("again"), says("two"), says("again"));
  const origin = { channel: "web", chat: "mixed" };
  const { agent } = gateway.app;
  const stranger = { id: "api:other", kind: "person" } as const;
  await agent.send("web:mixed", "pay eve@example.com", { origin, from: stranger }).finished;
  const job = { id: "cron:1", kind: "schedule" } as const;
  // As a job has them that was made from what Eva told.
  const readers = [{ to: ["eva", "owner"], by: "eva" }] as const;
  const marks = { integrity: "untrusted", readers } as const;
  await agent.bus.accept({ key: "job", origin, from: job, parts: [{ type: "text", text: "/trust" }], marks });
  await agent.idle();
  const id = (await agent.sessions.find("web:mixed"))!.state.id;
  const { items } = (await gateway.api(`/sessions/${id}/turns`)).body as { items: { id: string }[] };
  const senders: unknown[] = [];
  for (const { id: turn } of items) {
    const again = await gateway.api(`/sessions/${id}/regenerate`, { method: "POST", body: { turn } });
    expect(again.status).toBe(201);
    await agent.idle();
    const { key } = (await agent.sessions.list()).find((each) => each.id === again.body.session)!;
    const { state } = (await agent.sessions.find(key))!;
    const message = state.messages.findLast((each) => each.role === "user");
    const { integrity, readers: kept } = state.label;
    senders.push([message?.role === "user" && message.from, message?.integrity, message?.readers, integrity, kept]);
  }
  expect(senders).toEqual([
    [job, "untrusted", readers, "untrusted", readers],
    [stranger, "untrusted", undefined, "untrusted", undefined],
  ]);
});

test("R70 stop ends the turn within 200 ms and keeps what waits unless asked", async (t) => {
  const gateway = await startGateway(t, { config: { policy: { rules: [{ tool: "exec", action: "allow" }] } } });
  gateway.model.replies(callsTool("exec", { command: "sleep 30" }), says("never"));
  const id = await create(gateway);
  await gateway.api(`/sessions/${id}/messages`, { method: "POST", body: { parts: [{ type: "text", text: "go" }] } });
  await expect.poll(async () => (await gateway.api(`/sessions/${id}`)).body.turn?.doing).toBe("invoke");
  const waiting = await gateway.api(`/sessions/${id}/messages`, {
    method: "POST",
    body: { parts: [{ type: "text", text: "and this" }], mode: "queue" },
  });
  expect(waiting.body.status).toBe("accepted");
  const started = performance.now();
  const stopped = await gateway.api(`/sessions/${id}/stop`, { method: "POST", body: { discardWaiting: true } });
  expect(stopped.body).toMatchObject({
    subagents: 0,
    processes: 1,
    discarded: [{ messageId: waiting.body.messageId }],
  });
  expect(stopped.body.turn).toMatch(/^turn-/);
  expect(performance.now() - started).toBeLessThan(5000); // of 30 s; the 200 ms are looked at in sockets.test.ts
  await gateway.app.agent.idle();
  expect((await gateway.api(`/sessions/${id}/turns`)).body.items[0].reason).toBe("cancelled");
  expect((await gateway.api(`/sessions/${id}/stop`, { method: "POST" })).body).toEqual({
    turn: null,
    subagents: 0,
    processes: 0,
    discarded: [],
  });
});

test("a chat token has its own sessions and no others, and is never the operator", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("hi"));
  const foreign = await create(gateway);
  const token = gateway.token("chat");
  const made = await gateway.api("/sessions", { method: "POST", body: { name: "work" }, token });
  expect(made.status).toBe(201);
  expect(made.body.key).toMatch(/^api:[^:]+:work$/);
  const own = made.body.id as string;
  const post = (id: string, text: string) =>
    gateway.api(`/sessions/${id}/messages`, { method: "POST", body: { parts: [{ type: "text", text }] }, token });
  expect((await post(own, "hello")).status).toBe(202);
  expect((await post(foreign, "hello")).body.code).toBe("session.not-found");
  expect((await post(own, "/allow x")).body.code).toBe("auth.scope");
  expect((await post(own, "/stop all")).body.code).toBe("auth.scope");
  expect((await gateway.api("/sessions", { token })).body.code).toBe("auth.scope");
  expect((await gateway.api(`/sessions/${foreign}/messages`, { token })).body.code).toBe("session.not-found");
  expect((await gateway.api(`/sessions/${own}`, { token: gateway.token("read") })).body.id).toBe(own);
  await gateway.app.agent.idle();
  const { items } = (await gateway.api(`/sessions/${own}/messages`, { token })).body;
  const first = items.find(({ kind }: { kind: string }) => kind === "user");
  expect(first.from).toEqual({ id: expect.stringMatching(/^api:/) as string, kind: "person" });
});

test("a session is exported as journal, transcript, Markdown and items", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("the answer"));
  const id = await create(gateway, { title: "To export" });
  await say(gateway, id, "the question");
  const get = async (format: string) => (await gateway.api(`/sessions/${id}/export?format=${format}`)).body;
  expect(await get("markdown")).toMatch(/^# To export\n[\s\S]*the question[\s\S]*the answer/);
  expect((await get("json")).items.length).toBeGreaterThan(2);
  expect(JSON.parse((await get("margay")).split("\n")[0])).toMatchObject({ seq: 1 });
  expect((await get("seed")).split("\n")[0]).toContain("last_consolidated");
});

test("an export holds calls, reasoning and instructions as it is asked", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(callsTool("list_dir", { path: "." }), thinks("Let me look.", says("the answer")));
  const id = await create(gateway);
  await say(gateway, id, "the question");
  const get = async (format: string, include?: string) =>
    (
      await gateway.api(
        `/sessions/${id}/export?format=${format}${include === undefined ? "" : `&include=${encodeURIComponent(include)}`}`,
      )
    ).body;
  const found = (text: string) => ({
    tools: text.includes("list_dir"),
    thinking: text.includes("Let me look."),
    prefix: text.includes("# Safety") || text.includes("Instructions to the model"),
    said: text.includes("the question") && text.includes("the answer"),
  });
  const all = { tools: false, thinking: false, prefix: false, said: true };
  for (const [include, expected] of [
    [undefined, { ...all, tools: true }],
    ["", all],
    ["thinking", { ...all, thinking: true }],
    ["tools,thinking", { ...all, tools: true, thinking: true }],
  ] as const)
    expect([include, found(await get("markdown", include))]).toEqual([include, expected]);
  expect(found(await get("markdown", "tools,thinking,prefix"))).toEqual({
    tools: true,
    thinking: true,
    prefix: true,
    said: true,
  });
  const { prefixes, items } = await get("json", "prefix");
  expect(prefixes).toMatchObject([{ system: expect.any(String), tools: expect.any(Array) }]);
  expect(JSON.stringify(items)).not.toMatch(/list_dir|Let me look/);
  expect(await get("json")).not.toHaveProperty("prefixes");
  expect((await get("json", "everything")).code).toBe("request.invalid");
});

test("R180 a conversation that is deleted for good takes the attachments with it that no other one has", async (t) => {
  const gateway = await startGateway(t);
  const upload = async (text: string) =>
    (await gateway.api("/uploads?name=a.txt", { method: "POST", raw: text })).body.blob as { sha256: string };
  const [own, shared, unsent] = [await upload("mine alone"), await upload("of both"), await upload("not sent yet")];
  const [first, second] = [await create(gateway), await create(gateway)];
  const send = async (id: string, blob: object) => {
    const parts = [{ type: "media", blob }];
    expect((await gateway.api(`/sessions/${id}/messages`, { method: "POST", body: { parts } })).status).toBe(202);
    await gateway.app.agent.idle();
  };
  for (const blob of [own, shared]) await send(first, blob);
  await send(second, shared);
  expect((await gateway.api(`/sessions/${first}?purge=true`, { method: "DELETE" })).status).toBe(204);
  const statusOf = async ({ sha256 }: { sha256: string }) => (await gateway.api(`/media/${sha256}`)).status;
  expect(await Promise.all([own, shared, unsent].map(statusOf))).toEqual([404, 200, 200]);
  expect((await gateway.api(`/sessions/${second}?purge=true`, { method: "DELETE" })).status).toBe(204);
  expect(await Promise.all([own, shared, unsent].map(statusOf))).toEqual([404, 404, 200]);
});

test("an upload that was not sent is gone after 24 hours", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  const upload = async (text: string) =>
    (await gateway.api("/uploads?name=a.txt", { method: "POST", raw: text })).body.blob as { sha256: string };
  const statusOf = async ({ sha256 }: { sha256: string }) => (await gateway.api(`/media/${sha256}`)).status;
  const [sent, left, again, fresh] = [
    await upload("sent"),
    await upload("left"),
    await upload("again"),
    await upload("fresh"),
  ];
  const id = await create(gateway);
  await gateway.api(`/sessions/${id}/messages`, { method: "POST", body: { parts: [{ type: "media", blob: sent }] } });
  await gateway.app.agent.idle();
  const longAgo = new Date(clock.now() - 24 * 3_600_000);
  for (const { sha256 } of [sent, left, again])
    utimesSync(join(gateway.home, "blobs", sha256.slice(0, 2), sha256), longAgo, longAgo);
  await upload("again"); // by somebody else, today
  await clock.advance(6 * 3_600_000);
  await expect.poll(() => statusOf(left)).toBe(404);
  expect(await Promise.all([sent, again, fresh].map(statusOf))).toEqual([200, 200, 200]);
});

test("DF47 R174 a chat that is imported in the pages stands in the list where its last word was said", async (t) => {
  const gateway = await startGateway(t);
  const row = { role: "user", content: "long ago", timestamp: "2026-01-15T10:00:01.000Z" };
  const earlier = { role: "assistant", content: "before", timestamp: "2026-01-14T10:00:01.000Z" }; // told out of order
  const raw = [row, earlier].map((one) => `${JSON.stringify(one)}\n`).join("");
  await gateway.api("/sessions/import?format=nanobot", { method: "POST", raw });
  const listed = await gateway.api("/sessions");
  expect(listed.body.items).toMatchObject([{ title: "long ago", updatedAt: Date.parse(row.timestamp) }]);
});

test("R180 an exported session comes back as a copy of its own; a file that is none is refused", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("the answer"), says("from the copy"));
  const id = await create(gateway);
  await say(gateway, id, "the question");
  for (const format of ["seed", "margay"]) {
    const { body: file } = await gateway.api(`/sessions/${id}/export?format=${format}`);
    const made = await gateway.api(`/sessions/import?format=${format}&title=Copy`, { method: "POST", raw: file });
    expect([made.status, made.body.sessions.length, made.body.messages > 1]).toEqual([201, 1, true]);
    const { items } = (await gateway.api(`/sessions/${made.body.sessions[0]}/messages`)).body;
    expect(JSON.stringify(items)).toMatch(/the question.*the answer/);
    expect((await gateway.api(`/sessions/${made.body.sessions[0]}`)).body.title).toBe("Copy");
  }
  expect((await gateway.api("/sessions")).body.items).toHaveLength(3);
  const bad = await gateway.api("/sessions/import", { method: "POST", raw: "{ not a row" });
  expect([bad.status, bad.body.code]).toEqual([422, "import.invalid"]);
});

test("what was deleted is gone with its journal after 30 days, unless somebody writes in it again", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  const [gone, back] = [await create(gateway), await create(gateway)];
  for (const id of [gone, back]) {
    await say(gateway, id, "hello");
    expect((await gateway.api(`/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
  }
  const key = (await gateway.api("/sessions?trashed=true")).body.items.find(
    ({ id }: { id: string }) => id === back,
  ).key;
  await gateway.app.agent.bus.accept({
    key: "again",
    origin: { channel: "web", chat: back },
    from: { id: "user", kind: "person" },
    parts: [{ type: "text", text: "still here?" }],
    sessionKey: key,
  });
  await gateway.app.agent.idle();
  clock.jump(29 * 86_400_000);
  expect((await gateway.api("/sessions?trashed=true")).body.items).toMatchObject([{ id: gone }]);
  clock.jump(86_400_000);
  await clock.advance(6 * 3_600_000); // when the trash is looked at
  await expect.poll(async () => (await gateway.api("/sessions?trashed=true")).body.items).toEqual([]);
  expect(await gateway.app.inside.sessionIds()).toEqual([back]);
  expect((await gateway.api("/sessions")).body.items).toMatchObject([{ id: back }]);
});

test("notes about sessions survive a restart; a damaged file of them costs no conversation", async (t) => {
  const gateway = await startGateway(t);
  const id = await create(gateway, { title: "Kept" });
  const file = join(gateway.home, "gateway", "sessions.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ [id]: { title: "Kept" } });
  const next = await startGateway(t, {
    prepare: ({ home }) => {
      cpSync(join(gateway.home, "sessions"), join(home, "sessions"), { recursive: true });
      cpSync(join(gateway.home, "gateway"), join(home, "gateway"), { recursive: true });
    },
  });
  expect((await next.api(`/sessions/${id}`)).body.title).toBe("Kept");
  const damaged = await startGateway(t, {
    prepare: ({ home }) => {
      cpSync(join(gateway.home, "sessions"), join(home, "sessions"), { recursive: true });
      mkdirSync(join(home, "gateway"), { mode: 0o700 });
      writeFileSync(join(home, "gateway", "sessions.json"), "{ half", { mode: 0o600 });
    },
  });
  expect((await damaged.api("/sessions")).body.items).toMatchObject([{ id, title: "" }]);
  await damaged.api(`/sessions/${id}`, { method: "PATCH", body: { pinned: true }, headers: { "if-match": "*" } });
  expect((await damaged.api("/sessions")).body.items).toMatchObject([{ id, title: "", pinned: true }]);
  expect(readFileSync(join(damaged.home, "gateway", "sessions.json.damaged"), "utf8")).toBe("{ half");
});

test("a conversation that holds its first line alone is in the list as it is after a restart", async (t) => {
  const gateway = await startGateway(t);
  expect((await gateway.api("/sessions")).body.items).toEqual([]);
  // As a helper whose parent's disk failed before its task was written.
  await gateway.app.agent.sessions.open("web:begun", { channel: "web", chat: "begun" });
  await expect.poll(async () => (await gateway.api("/sessions")).body.items).toHaveLength(1);
  const { items } = (await gateway.api("/sessions")).body;
  const next = await startGateway(t, {
    prepare: ({ home }) => cpSync(join(gateway.home, "sessions"), join(home, "sessions"), { recursive: true }),
  });
  expect((await next.api("/sessions")).body.items).toEqual(items);
});

test("limits of one session hold from its next turn on, and for it alone", async (t) => {
  const gateway = await startGateway(t);
  const id = await create(gateway);
  const patch = async (overrides: object): Promise<ReturnType<typeof gateway.api>> => {
    const { headers } = await gateway.api(`/sessions/${id}`);
    return gateway.api(`/sessions/${id}`, {
      method: "PATCH",
      body: { overrides },
      headers: { "if-match": headers.get("etag") ?? "" },
    });
  };
  const changed = await patch({ limits: { maxIterations: 2, maxTokens: 100 } });
  expect(changed.body.overrides).toEqual({ limits: { maxIterations: 2, maxTokens: 100 } });
  const { key } = changed.body;
  const busy = Array.from({ length: 2 }, () => callsTool("list_dir", { path: "." }));
  gateway.model.replies(...busy, says("all I have"));
  const limitedTurn = await gateway.app.agent.send(key, "look around").finished;
  expect(limitedTurn.reason).toBe("limit");
  expect(gateway.model.requests[0]?.body).toMatchObject({ max_tokens: 100 });
  const { items } = (await gateway.api(`/sessions/${id}/turns`)).body;
  expect((await gateway.api(`/sessions/${id}/turns/${items[0].id}/explain`)).body.ok).toBe(true);

  const asked = gateway.model.requests.length;
  gateway.model.replies(...busy, says("done"));
  expect((await gateway.app.agent.send("web:other", "look around").finished).reason).toBe("done");
  expect(gateway.model.requests[asked]?.body).not.toMatchObject({ max_tokens: 100 });

  expect((await patch({ limits: null })).body.overrides).toEqual({});
  gateway.model.replies(...busy, says("done"));
  expect((await gateway.app.agent.send(key, "once more").finished).reason).toBe("done");
  expect((await patch({ limits: { maxIterations: 0 } })).body.code).toBe("request.invalid");
});

test("DF56 a cursor that is not ours is refused by every list, not answered with page 1", async (t) => {
  const gateway = await startGateway(t);
  const id = await create(gateway);
  await say(gateway, id, "hello");
  const lists = [
    ...["/sessions", "/tasks", "/tools/calls", "/outbox", "/cron/jobs", "/approvals", "/audit"],
    `/sessions/${id}/turns`,
    "/memory/files/MEMORY.md/versions",
  ];
  const garbage = ["abc", "AAAA", Buffer.from("zzz").toString("base64url"), Buffer.from("9.9").toString("base64url")];
  for (const list of lists)
    for (const cursor of garbage) {
      const { status, body } = await gateway.api(`${list}?cursor=${cursor}`);
      expect([list, cursor, status, body.code]).toEqual([list, cursor, 422, "request.invalid"]);
    }
});

test("DF54 a long list of conversations is sent as gzip to who takes it, secrets and short answers never are", async (t) => {
  const gateway = await startGateway(t);
  for (let n = 0; n < 12; n++) await create(gateway, { title: `Conversation number ${n}` });
  const encodingOf = async (path: string, accepted: string): Promise<string | null> => {
    const { headers, body } = await gateway.api(path, { headers: { "accept-encoding": accepted } });
    expect(body).toBeDefined();
    return headers.get("content-encoding");
  };
  expect(await encodingOf("/sessions", "br, gzip;q=0.5")).toBe("gzip");
  expect((await gateway.api("/sessions", { headers: { "accept-encoding": "gzip" } })).body.items).toHaveLength(12);
  expect(await encodingOf("/sessions", "gzip;q=0, identity")).toBeNull();
  expect(await encodingOf("/sessions", "br")).toBeNull();
  expect(await encodingOf("/sessions?limit=1", "gzip")).toBeNull();
  for (const secret of ["/auth/tokens", "/auth/browsers", "/settings", "/providers"])
    expect(await encodingOf(secret, "gzip"), secret).toBeNull();
});

test("DF54 the list gives what stands in front whatever its age, and leaves subagents out when asked", async (t) => {
  const gateway = await startGateway(t, { config: { tools: { exec: { sandbox: "none" } } } });
  const [pinned, waiting] = [await create(gateway, { title: "pinned" }), await create(gateway, { title: "waits" })];
  await create(gateway, { title: "idle" });
  const { headers } = await gateway.api(`/sessions/${pinned}`);
  const match = { "if-match": headers.get("etag") ?? "" };
  await gateway.api(`/sessions/${pinned}`, { method: "PATCH", body: { pinned: true }, headers: match });
  gateway.model.replies(callsTool("exec", { command: "echo x" }));
  const parts = [{ type: "text", text: "run" }];
  await gateway.api(`/sessions/${waiting}/messages`, { method: "POST", body: { parts } });
  const ids = async (query: string): Promise<string[]> =>
    (await gateway.api(`/sessions?${query}`)).body.items.map(({ id }: { id: string }) => id).toSorted();
  await expect.poll(() => ids("state=waiting")).toEqual([waiting]);
  expect(await ids("standing=true")).toEqual([pinned, waiting].toSorted());
  expect(await ids("top=true")).toHaveLength(3);
  expect(await ids("top=false")).toEqual([]);
});

test("CX14 the size of a prompt is shown by section, by tool and by MCP server", async (t) => {
  const large = { ...ECHO, name: "large", description: "Says it again. ".repeat(100) };
  const servers = { small: fakeServer().config, big: fakeServer({ tools: [ECHO, large] }).config };
  const gateway = await startGateway(t, { config: { mcpServers: servers } });
  await approveNew(gateway.app);
  gateway.model.replies(callsTool("list_dir", { path: "." }), says("Nothing is there."));
  const id = await create(gateway);
  await say(gateway, id, "look around ".repeat(50));
  const { body } = await gateway.api(`/sessions/${id}/context`);
  const sections = Object.fromEntries(
    (body.sections as { readonly id: string; readonly tokens: number }[]).map((one) => [one.id, one.tokens]),
  );
  expect(Object.keys(sections)).toEqual(["system", "tools", "memory", "skills", "messages", "results"]);
  for (const part of ["system", "tools", "skills", "results"]) expect(sections[part]).toBeGreaterThan(0);
  expect(sections["messages"]).toBeGreaterThan(100);
  const tools = (await gateway.api("/tools")).body.items as {
    readonly name: string;
    readonly origin: string;
    readonly tokens: number;
  }[];
  for (const tool of tools) expect(tool.tokens).toBeGreaterThan(0);
  const of = (origin: string): number =>
    tools.filter((tool) => tool.origin === origin).reduce((sum, { tokens }) => sum + tokens, 0);
  expect(of("mcp:small")).toBeGreaterThan(0);
  expect(of("mcp:big") - of("mcp:small")).toBeGreaterThan(300);
  // Together they are what the conversation spends on tools.
  const all = of("builtin") + of("mcp:small") + of("mcp:big");
  expect(Math.abs(all / (sections["tools"] ?? 0) - 1)).toBeLessThan(0.1);
});
