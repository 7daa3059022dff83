import { callsTool, fails, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { connect, isEnd, type Frame } from "./frames.ts";
import { operations } from "./operations.ts";
import { writeSession } from "./journals.ts";
import { startGateway, type TestGateway } from "./support.ts";

const said = (text: string) => ({ parts: [{ type: "text", text }] });

interface Event {
  readonly event: string;
  readonly id: number | undefined;
  readonly data: Frame;
}

/** Server-sent events until `enough`, or to the end of the stream. */
async function events(
  gateway: TestGateway,
  path: string,
  init: RequestInit,
  enough: (events: readonly Event[]) => boolean = () => false,
): Promise<readonly Event[]> {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${gateway.token("owner")}`, accept: "text/event-stream", ...init.headers },
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const found: Event[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const event = field("event");
      if (event === undefined) continue;
      const id = field("id");
      found.push({ event, id: id === undefined ? undefined : Number(id), data: JSON.parse(field("data") ?? "null") });
    }
    if (enough(found)) break; // which closes the connection
  }
  return found;
}

test("a message that waits is taken back by its id, once, and reaches no model", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const held = stalls({ rest: says("one") });
  gateway.model.replies(held);
  const { id } = (await operate("createSession", { body: {} })).body;
  const send = async (text: string): Promise<string> =>
    (await operate("sendMessage", { params: { id }, body: { ...said(text), mode: "queue" } })).body.messageId;
  await send("first");
  await gateway.model.received(1);
  const params = { id, item: await send("second") };
  expect((await operate("withdrawMessage", { params })).status).toBe(204);
  expect((await operate("withdrawMessage", { params })).body.code).toBe("message.placed");
  held.release();
  await gateway.app.agent.idle();
  expect(gateway.model.requests).toHaveLength(1);
});

test("a message sent for a stream is answered by the frames of its turn and an end", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("one two", { chunks: 2 }));
  const { id } = (await gateway.api("/sessions", { method: "POST", body: {} })).body;
  const found = await events(gateway, `/sessions/${id}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "my-key" },
    body: JSON.stringify(said("hello")),
  });
  expect(found[0]).toMatchObject({ event: "accepted", data: { status: "accepted", session: id } });
  expect(found.at(-1)?.event).toBe("end");
  const commits = found.filter(({ event }) => event === "commit");
  expect(commits.map((each) => each.id)).toEqual(commits.map((each) => each.data.seq));
  expect(commits[0]?.data.records[0]).toMatchObject({ type: "message.received", key: "my-key" });
  expect(commits.at(-1)?.data.records.map(({ type }: Frame) => type)).toContain("turn.ended");
  // The same key: the same turn again, from the journal.
  const again = await events(gateway, `/sessions/${id}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "my-key" },
    body: JSON.stringify(said("hello")),
  });
  expect(again[0]?.data.status).toBe("duplicate");
  expect(again.filter(({ event }) => event === "commit")).toEqual(commits);
  expect(gateway.model.requests).toHaveLength(1);
});

test("R275 closing the stream of an answer does not stop its turn; events go on after any commit", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(callsTool("list_dir", { path: "." }), says("done", { delayMs: 150 }));
  const { id } = (await gateway.api("/sessions", { method: "POST", body: {} })).body;
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(said("go")) };
  const first = await events(gateway, `/sessions/${id}/messages`, init, (all) => all.length >= 3);
  const last = first.findLast((each) => each.id !== undefined)?.id ?? 0;
  await gateway.app.agent.idle();
  const { lastSeq } = (await gateway.api(`/sessions/${id}`)).body;
  const isThere = (all: readonly Event[]): boolean => all.some((each) => each.id === lastSeq);
  const rest = await events(gateway, `/sessions/${id}/events`, { headers: { "last-event-id": String(last) } }, isThere);
  const seqs = rest.filter(({ event }) => event === "commit").map((each) => each.id);
  expect(seqs).toEqual(Array.from({ length: lastSeq - last }, (_, index) => last + 1 + index));
  const fresh = await events(gateway, `/sessions/${id}/events`, {}, (all) => all.length > 0);
  expect(fresh[0]).toMatchObject({ event: "snapshot", data: { seq: lastSeq, more: false } });
});

test("R257 R256 a full queue refuses before it accepts; a wrong command is refused with the nearest one", async (t) => {
  const gateway = await startGateway(t, { config: { agent: { maxPending: 2, steering: false } } });
  gateway.model.replies(says("slow", { delayMs: 400 }));
  const { id } = (await gateway.api("/sessions", { method: "POST", body: {} })).body;
  const send = (text: string) => gateway.api(`/sessions/${id}/messages`, { method: "POST", body: said(text) });
  const answers = [await send("a"), await send("b"), await send("c"), await send("d"), await send("e")];
  const refused = answers.find(({ status }) => status === 429);
  expect([refused?.body.code, refused?.headers.get("retry-after")]).toEqual(["queue.full", "5"]);
  const unknown = await send("/sttaus");
  expect([unknown.status, unknown.body.code, unknown.body.remedy]).toEqual([
    422,
    "request.invalid",
    "Did you mean /status?",
  ]);
  const command = await send("/status");
  expect(command.body).toMatchObject({ status: "accepted", messageId: null });
  const { items } = (await gateway.api(`/sessions/${id}/messages`)).body;
  expect(items.findLast(({ kind }: Frame) => kind === "notice")).toMatchObject({ notice: "command" });
  await gateway.app.agent.idle();
});

test("a queued message starts a turn of its own; a steering one is seen by the turn that runs", async (t) => {
  const gateway = await startGateway(t);
  const { id } = (await gateway.api("/sessions", { method: "POST", body: {} })).body;
  const send = (text: string, mode?: string) =>
    gateway.api(`/sessions/${id}/messages`, { method: "POST", body: { ...said(text), ...(mode && { mode }) } });
  gateway.model.replies(callsTool("list_dir", { path: "." }, { delayMs: 300 }), says("first"), says("second"));
  await send("go");
  await gateway.model.received(1);
  await send("and mind this");
  await send("later, on its own", "queue");
  const waiting = (await gateway.api(`/sessions/${id}`)).body.pending;
  expect(waiting.map(({ mode }: Frame) => mode)).toEqual(["steer", "queue"]);
  await gateway.app.agent.idle();
  const { items } = (await gateway.api(`/sessions/${id}/messages`)).body;
  const users = items.filter(({ kind }: Frame) => kind === "user");
  expect(users[1].turn).toBe(users[0].turn);
  expect(users[2].turn).not.toBe(users[0].turn);
  expect((await gateway.api(`/sessions/${id}/turns`)).body.items).toHaveLength(2);
});

test("a turn that was stopped before it put anything to the model is listed with where its session is", async (t) => {
  let id = "";
  const gateway = await startGateway(t, {
    prepare: ({ home }) => {
      id = writeSession(home, { key: "web:stopped", turns: 2, stopped: true });
    },
  });
  expect((await gateway.api(`/sessions/${id}/turns`)).body.items).toMatchObject([
    { id: "turn-2", reason: "cancelled", source: "web" },
    { id: "turn-1", reason: "done", source: "web" },
  ]);
});

test("an interrupting message stops the turn that runs and is answered by the next one", async (t) => {
  const gateway = await startGateway(t, { config: { policy: { rules: [{ tool: "exec", action: "allow" }] } } });
  gateway.model.replies(callsTool("exec", { command: "sleep 30" }), says("instead"));
  const { id } = (await gateway.api("/sessions", { method: "POST", body: {} })).body;
  await gateway.api(`/sessions/${id}/messages`, { method: "POST", body: said("go") });
  await expect.poll(async () => (await gateway.api(`/sessions/${id}`)).body.turn?.doing).toBe("invoke");
  const sent = await gateway.api(`/sessions/${id}/messages`, {
    method: "POST",
    body: { ...said("no, this"), mode: "interrupt" },
  });
  expect(sent.body.status).toBe("accepted");
  await gateway.app.agent.idle();
  const { items } = (await gateway.api(`/sessions/${id}/turns`)).body;
  expect(items.map(({ reason }: Frame) => reason)).toEqual(["done", "cancelled"]);
});

test("R276 a turn that fails ends for the page too, with its error", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(fails(400, { error: { message: "no such thing" } }));
  const { id } = (await gateway.api("/sessions", { method: "POST", body: {} })).body;
  const tab = await connect(gateway);
  await tab.ask({ type: "subscribe", session: id, after: 0 });
  await tab.ask({ type: "message.send", session: id, key: "k", ...said("go") });
  const end = await tab.until(isEnd);
  expect(end.records.find(({ type }: Frame) => type === "turn.ended")).toMatchObject({
    reason: "failed",
    error: { message: expect.any(String) as string },
  });
  await gateway.app.agent.idle();
  const { body } = await gateway.api(`/sessions/${id}`);
  expect([body.state, body.turn]).toEqual(["failed", undefined]);
});

test("one item can be read whole when the list had to cut it", async (t) => {
  const gateway = await startGateway(t);
  const { id } = (await gateway.api("/sessions", { method: "POST", body: {} })).body;
  const text = "y".repeat(100_000);
  await gateway.api(`/sessions/${id}/messages`, { method: "POST", body: said(text) });
  await gateway.app.agent.idle();
  const { items } = (await gateway.api(`/sessions/${id}/messages`)).body;
  const user = items.find(({ kind }: Frame) => kind === "user");
  const { cut } = user.parts[0];
  expect([cut.bytes, cut.head.length]).toEqual([100_000, 3072]);
  const path = cut.href.replace("/api/v1", "");
  expect((await gateway.api(path)).body.parts[0].text).toBe(text);
});

/** What the same script leaves, without what every run has of its own. */
async function journal(gateway: TestGateway, id: string): Promise<readonly Frame[]> {
  const records: Frame[] = [];
  for await (const commit of gateway.app.inside.readCommits(id as never)) records.push(...commit.records);
  const names = new Map<string, string>();
  const name = (value: string): string => {
    if (!names.has(value)) names.set(value, `#${names.size}`);
    return names.get(value) ?? "";
  };
  const text = JSON.stringify(records, (key: string, value: unknown) => {
    if (key === "at" || key === "durationMs" || key === "promptHash" || key === "hash" || key === "system") return 0;
    if (key === "estimated" || key === "usage") return 0;
    if (key === "origin" || key === "to" || key === "replyTo") return "address";
    if (
      ["key", "id", "turn", "call", "callId", "reply", "message", "ids", "placed"].includes(key) &&
      typeof value === "string"
    )
      return name(value);
    if (Array.isArray(value) && (key === "placed" || key === "ids")) return value.map((each) => name(String(each)));
    return value;
  });
  const parsed: readonly Frame[] = JSON.parse(text.replaceAll(/Today is [^"\\]*/g, ""));
  return parsed.filter(({ type, notice }) => !(type === "notice.added" && notice.kind === "clock"));
}

test("UI13 the same turn by REST, SSE, WebSocket and seed view leaves the same journal", async (t) => {
  const gateway = await startGateway(t);
  const run = async (send: (id: string, key: string) => Promise<unknown>): Promise<readonly Frame[]> => {
    gateway.model.replies(callsTool("list_dir", { path: "." }, { text: "Looking." }), says("It is empty."));
    const { id, key } = (await gateway.api("/sessions", { method: "POST", body: {} })).body;
    await send(id, key);
    await gateway.app.agent.idle();
    return journal(gateway, id);
  };
  const body = JSON.stringify(said("look"));
  const headers = { "content-type": "application/json" };
  const rest = await run((id) => gateway.api(`/sessions/${id}/messages`, { method: "POST", body: said("look") }));
  const sse = await run((id) => events(gateway, `/sessions/${id}/messages`, { method: "POST", headers, body }));
  const ws = await run(async (id) => {
    const tab = await connect(gateway);
    await tab.ask({ type: "subscribe", session: id, after: 0 });
    await tab.ask({ type: "message.send", session: id, key: "k", ...said("look") });
    await tab.until(isEnd);
  });
  const seed = await run(async (id) => {
    const tab = await connect(gateway, { path: "/ws/chat" });
    tab.send({ type: "message", session_id: id, content: "look" });
    await tab.until(({ type }) => type === "message_complete");
  });
  expect(rest.length).toBeGreaterThan(8);
  expect(sse).toEqual(rest);
  expect(ws).toEqual(rest);
  expect(seed).toEqual(rest);
});

test("search finds what was said, two Chinese letters too, with its item and where the words are", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("Paris is the capital of France."), says("北京的天气很好"));
  const { id } = (await gateway.api("/sessions", { method: "POST", body: { title: "Geography" } })).body;
  for (const text of ["What about France?", "北京呢"]) {
    await gateway.api(`/sessions/${id}/messages`, { method: "POST", body: said(text) });
    await gateway.app.agent.idle();
  }
  const { items } = (await gateway.api("/search?q=capital%20france")).body;
  expect(items).toMatchObject([{ session: id, title: "Geography", role: "assistant" }]);
  const [hit] = items;
  expect(hit.ranges.map(([from, to]: [number, number]) => hit.snippet.slice(from, to))).toEqual(["capital", "France"]);
  const item = (await gateway.api(`/sessions/${id}/messages/${hit.item}`)).body;
  expect(item.parts[0].text).toContain("Paris");
  const chinese = (await gateway.api(`/search?q=${encodeURIComponent("天气")}`)).body.items;
  expect(chinese).toMatchObject([{ snippet: "北京的天气很好" }]);
  expect((await gateway.api("/search?q=capital&scope=memory")).body.items).toEqual([]);
});

test("search in one conversation finds parts of words without regard to case and accents, counts all, and reads long messages whole", async (t) => {
  let id = "";
  const gateway = await startGateway(t, {
    prepare: ({ home }) => {
      writeSession(home, { key: "web:other", turns: 1, question: () => "The Zanzibár of another chat." });
      id = writeSession(home, {
        key: "web:long",
        turns: 300,
        question: (turn) =>
          turn === 2 ? `${"x ".repeat(40_000)} ZANZIBAR ${"y ".repeat(40_000)}` : `Question ${turn}`,
        answer: (turn) => (turn === 7 ? "Not Zanzibár, but near." : "Answer."),
      });
    },
  });
  const found = async (query: string) => (await gateway.api(`/search?session=${id}&${query}`)).body;
  const { items, total } = await found("q=anzibar");
  expect(items.map(({ role }: { readonly role: string }) => role)).toEqual(["assistant", "user"]); // the newest first
  expect(total).toBe(2);
  expect(await found("q=question%20tion&limit=3")).toMatchObject({ total: 299 });
  expect((await found("q=question&limit=3")).items).toHaveLength(3);
  expect(await found("q=question&scope=memory")).toEqual({ items: [], next: null, total: 0 });
  const first = (await gateway.api(`/sessions/${id}/messages?after=0.0&limit=2`)).body;
  expect(first.prev).toBeNull();
  expect(first.items).toHaveLength(2);
  expect(first.items[0].parts[0].text).toBe("Question 1");
});

test("`deliver` posts the answer in the chat app of a session; where there is none it is refused", async (t) => {
  const gateway = await startGateway(t, { config: { channels: { telegram: { enabled: false, allowFrom: ["ada"] } } } });
  gateway.model.replies(says("one"), says("two"), says("three"));
  const origin = { channel: "telegram", chat: "42" };
  await gateway.app.agent.send("telegram:42", "hi", { origin, from: { id: "ada", kind: "person" } }).finished;
  const { body: list } = await gateway.api("/sessions?source=channel");
  const { id } = list.items[0];
  const parts = [{ type: "text", text: "and now" }];
  const send = (session: string, deliver?: string): ReturnType<typeof gateway.api> =>
    gateway.api(`/sessions/${session}/messages`, {
      method: "POST",
      body: { parts, ...(deliver !== undefined && { deliver }) },
    });
  expect((await send(id)).status).toBe(202);
  await gateway.app.agent.idle();
  expect((await send(id, "channel")).status).toBe(202);
  await gateway.app.agent.idle();
  const { body: outbox } = await gateway.api("/outbox");
  expect(outbox.items.map(({ to, text }: Frame) => [to, text])).toEqual([
    [origin, "three"],
    [origin, "one"],
  ]);
  const own = (await gateway.api("/sessions", { method: "POST", body: {} })).body.id;
  expect((await send(own, "channel")).body).toMatchObject({ code: "request.invalid", errors: [{ path: "/deliver" }] });
  expect((await send(own, "elsewhere")).body.code).toBe("request.invalid");
});
