import { callsTool, says } from "@margay/core/testing";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { frameSchema } from "../../src/features/system/frame-schema.ts";
import { connect, isEnd, type Frame } from "./frames.ts";
import { startGateway } from "./support.ts";

const hello = [{ type: "text", text: "hello" }];

test("R272 a socket sends a message and gets its turn: commits with seq, live text before them", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("one two three", { chunks: 3, chunkDelayMs: 50 }));
  const tab = await connect(gateway, { protocol: "margay.v1" });
  expect(await tab.until(({ type }) => type === "welcome")).toMatchObject({
    protocol: "margay.v1",
    scope: ["owner"],
  });
  const { result } = await tab.ask({ type: "message.send", session: "new", key: "k1", parts: hello });
  expect(result).toMatchObject({ status: "accepted", position: 0 });
  const { session } = result;
  const subscribed = await tab.ask({ type: "subscribe", session, after: 0 });
  expect(subscribed.result).toMatchObject({ session, from: "replay" });
  await tab.until(isEnd);
  await gateway.app.agent.idle();
  const commits = tab.frames.filter(({ type }) => type === "commit");
  const seqs = commits.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  const live = tab.frames.flatMap((frame) => (frame.type === "live" ? frame.events : []));
  expect(live.map(({ text }: Frame) => text).join("")).toBe("one two three");
  const responded = tab.frames.findIndex(
    ({ type, records }) => type === "commit" && records.some((record: Frame) => record.type === "model.responded"),
  );
  expect(tab.frames.findLastIndex(({ type }) => type === "live")).toBeLessThan(responded);
});

test("UI3 R256 the same key again is a duplicate that says where the message is; another text is refused", async (t) => {
  const gateway = await startGateway(t);
  const tab = await connect(gateway);
  const first = (await tab.ask({ type: "message.send", session: "new", key: "k1", parts: hello })).result;
  const { session } = first;
  const again = (await tab.ask({ type: "message.send", session, key: "k1", parts: hello })).result;
  expect(again).toEqual({ ...first, status: "duplicate", position: 0 });
  const other = await tab.ask({ type: "message.send", session, key: "k1", parts: [{ type: "text", text: "else" }] });
  expect(other.error.code).toBe("idempotency.conflict");
  await gateway.app.agent.idle();
  expect(gateway.model.requests).toHaveLength(1);
});

test("UI3 R256 the first message of a new session, sent again because its answer was lost, makes no second session", async (t) => {
  const gateway = await startGateway(t);
  const token = gateway.token("owner");
  const first = { type: "message.send", session: "new", key: "k1", parts: hello };
  const [tab, other] = [await connect(gateway, { token }), await connect(gateway, { token })];
  const sent = await Promise.all([tab.ask(first), other.ask(first)]);
  const again = await tab.ask(first);
  expect(new Set([...sent, again].map(({ result }) => result.session)).size).toBe(1);
  expect(new Set(sent.map(({ result }) => result.status))).toEqual(new Set(["accepted", "duplicate"]));
  expect(again.result.status).toBe("duplicate");
  expect((await gateway.api("/sessions")).body.items).toHaveLength(1);
  // A key is of who sends: another's first message is another session.
  const stranger = await connect(gateway, { token: gateway.token("owner") });
  expect((await stranger.ask(first)).result).toMatchObject({ status: "accepted" });
  expect((await tab.ask({ ...first, parts: [{ type: "text", text: "else" }] })).error.code).toBe(
    "idempotency.conflict",
  );
  await gateway.app.agent.idle();
  expect(gateway.model.requests).toHaveLength(2);
});

test("R399 R274 a ping is answered within 100 ms while a tool works, and stop within 200 ms", async (t) => {
  const gateway = await startGateway(t, { config: { policy: { rules: [{ tool: "exec", action: "allow" }] } } });
  const tab = await connect(gateway);
  const pings: number[] = [];
  const stops: number[] = [];
  for (const key of ["k1", "k2", "k3"]) {
    gateway.model.replies(callsTool("exec", { command: "sleep 30" }));
    const { session } = (await tab.ask({ type: "message.send", session: "new", key, parts: hello })).result;
    await tab.ask({ type: "subscribe", session });
    await tab.until(
      (frame) =>
        frame.session === session &&
        (frame.detail?.turn?.doing === "invoke" ||
          (frame.type === "commit" && frame.records.some((record: Frame) => record.type === "tool.started"))),
    );
    for (let turn = 0; turn < 10; turn++) {
      const started = performance.now();
      expect((await tab.ask({ type: "ping", t: turn })).t).toBe(turn);
      pings.push(performance.now() - started);
    }
    const started = performance.now();
    const { result } = await tab.ask({ type: "turn.stop", session });
    stops.push(performance.now() - started);
    expect(result).toMatchObject({ processes: 1, discarded: [] });
    await tab.until((frame) => frame.session === session && isEnd(frame));
  }
  // What holds up the loop holds up all of them; what the machine does besides, one or the other.
  expect(pings.toSorted((a, b) => a - b)[pings.length >> 1]).toBeLessThan(100);
  expect(Math.min(...stops)).toBeLessThan(200);
});

test("two tabs of one session see the same commits in the same order, and the sender knows its own by key", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("first"), says("second"));
  const [a, b] = [await connect(gateway), await connect(gateway)];
  const { session } = (await a.ask({ type: "message.send", session: "new", key: "from-a", parts: hello })).result;
  await Promise.all([a.ask({ type: "subscribe", session, after: 0 }), b.ask({ type: "subscribe", session, after: 0 })]);
  await b.ask({
    type: "message.send",
    session,
    key: "from-b",
    parts: [{ type: "text", text: "me too" }],
    mode: "queue",
  });
  await gateway.app.agent.idle();
  const { body } = await gateway.api(`/sessions/${session}`);
  for (const tab of [a, b]) await tab.until(({ type, seq }) => type === "commit" && seq === body.lastSeq);
  const commits = (frames: readonly Frame[]): readonly Frame[] => frames.filter(({ type }) => type === "commit");
  expect(commits(a.frames)).toEqual(commits(b.frames));
  const keys = commits(a.frames).flatMap(({ records }) => records.flatMap(({ key }: Frame) => key ?? []));
  expect(keys).toEqual(expect.arrayContaining(["from-a", "from-b"]));
});

test("UI4 unknown frames, unknown fields and unreadable ones are refused by name; three unreadable ones end the socket", async (t) => {
  const gateway = await startGateway(t);
  const tab = await connect(gateway);
  expect((await tab.ask({ type: "tool_execute", tool: "exec" })).error).toMatchObject({ code: "request.invalid" });
  const extra = await tab.ask({ type: "ping", t: 1, is_operator: true });
  expect(extra.error.errors).toMatchObject([{ path: "/is_operator" }]);
  expect((await tab.ask({ type: "subscribe", session: "nothing-here" })).error.code).toBe("session.not-found");
  expect((await tab.ask({ type: "ping", t: 2 })).t).toBe(2);
  for (const text of ["not json", "[1]", '{"id":"x"}']) tab.send(text);
  expect(await tab.closed).toEqual({ code: 1008, reason: "unreadable frames" });
  expect(tab.frames.filter(({ type, id }) => type === "error" && id === null)).toHaveLength(3);
});

test("a credential that reads may follow and ping, and nothing else; one that chats follows its own sessions only", async (t) => {
  const gateway = await startGateway(t);
  const { body } = await gateway.api("/sessions", { method: "POST", body: {} });
  const reader = await connect(gateway, { token: gateway.token("read") });
  expect((await reader.ask({ type: "subscribe", session: body.id })).result.from).toBe("snapshot");
  const refused = await reader.ask({ type: "message.send", session: body.id, key: "k", parts: hello });
  expect(refused.error.code).toBe("auth.scope");
  const chatter = await connect(gateway, { token: gateway.token("chat") });
  expect((await chatter.ask({ type: "subscribe", session: body.id })).error.code).toBe("session.not-found");
  expect((await chatter.ask({ type: "subscribe", topic: "sessions" })).error.code).toBe("auth.scope");
  expect((await chatter.ask({ type: "message.send", session: "new", key: "k", parts: hello })).result.status).toBe(
    "accepted",
  );
  await gateway.app.agent.idle();
});

test("topics say that something changed; a withdrawn message never reaches the model", async (t) => {
  const gateway = await startGateway(t);
  const tab = await connect(gateway);
  await tab.ask({ type: "subscribe", topic: "sessions" });
  gateway.model.replies(says("slow", { delayMs: 300 }), says("never"));
  const { session } = (await tab.ask({ type: "message.send", session: "new", key: "k1", parts: hello })).result;
  await tab.until(({ type, topic, data }) => type === "topic" && topic === "sessions" && data.changed === session);
  const second = (await tab.ask({ type: "message.send", session, key: "k2", parts: hello, mode: "queue" })).result;
  const { result } = await tab.ask({ type: "message.withdraw", session, messageId: second.messageId });
  expect(result).toEqual({ session, messageId: second.messageId });
  const late = await tab.ask({ type: "message.withdraw", session, messageId: second.messageId });
  expect(late.error.code).toBe("message.placed");
  await gateway.app.agent.idle();
  expect(gateway.model.requests).toHaveLength(1);
});

test("live events can be switched off and on; who comes in the middle of an answer gets what there is of it", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("abcdefghij", { chunks: 10, chunkDelayMs: 60 }));
  const tab = await connect(gateway);
  const { session } = (await tab.ask({ type: "message.send", session: "new", key: "k", parts: hello })).result;
  await tab.ask({ type: "subscribe", session });
  await tab.until(({ type }) => type === "live");
  await tab.ask({ type: "live.set", session, live: false });
  const other = await connect(gateway);
  await other.ask({ type: "subscribe", session, after: 0 });
  const { parts } = await other.until(({ type }) => type === "partial");
  expect("abcdefghij".startsWith(parts[0].text)).toBe(true);
  const before = tab.frames.filter(({ type }) => type === "live").length;
  await tab.until(isEnd);
  expect(tab.frames.filter(({ type }) => type === "live").length).toBe(before);
  const rest = other.frames.flatMap((frame) => (frame.type === "live" ? frame.events : []));
  expect(parts[0].text + rest.map(({ text }: Frame) => text).join("")).toBe("abcdefghij");
});

test("a socket says goodbye when its credential is revoked", async (t) => {
  const gateway = await startGateway(t);
  const { id, token } = await gateway.gateway.auth.createToken({ name: "short", scopes: ["admin"] });
  const tab = await connect(gateway, { token });
  await tab.until(({ type }) => type === "welcome");
  await gateway.api(`/auth/tokens/${id}`, { method: "DELETE" });
  expect((await tab.closed).code).toBe(4401);
  expect(tab.frames.at(-1)).toMatchObject({ type: "goodbye", reason: "credential" });
});

test("UI6 docs/ws.schema.json says what the frames are", () => {
  const written = readFileSync(new URL("../../../../docs/ws.schema.json", import.meta.url), "utf8");
  const isSame = written === `${JSON.stringify(frameSchema(), null, 1)}\n`;
  expect(isSame, "Run: node scripts/openapi.mjs --write").toBe(true);
});

test("commands are bounded: a burst is answered, the flood behind it ends the socket and no other", async (t) => {
  const gateway = await startGateway(t);
  const [flood, calm] = [await connect(gateway), await connect(gateway)];
  for (let n = 0; n < 140; n++) flood.send({ id: `p${n}`, type: "ping", t: n });
  expect((await flood.closed).code).toBe(1008);
  expect(flood.frames.filter(({ type }) => type === "pong").length).toBeGreaterThanOrEqual(110);
  expect(flood.frames.find(({ error }) => error?.code === "rate.exceeded")).toBeDefined();
  expect((await calm.ask({ type: "ping", t: 1 })).t).toBe(1);
});

test("frames and subscriptions are bounded (live/socket/MAX_SUBSCRIPTIONS): too large closes 1009, too many are refused", async (t) => {
  const gateway = await startGateway(t);
  const many = await connect(gateway);
  const ids = await Promise.all(
    Array.from({ length: 65 }, async () => (await gateway.api("/sessions", { method: "POST", body: {} })).body.id),
  );
  for (const session of ids.slice(0, 64))
    expect((await many.ask({ type: "subscribe", session })).result.from).toBe("snapshot");
  expect((await many.ask({ type: "subscribe", session: ids[64] })).error.code).toBe("rate.exceeded");
  await many.ask({ type: "unsubscribe", session: ids[0] });
  expect((await many.ask({ type: "subscribe", session: ids[64] })).result.from).toBe("snapshot");
  const hasty = await connect(gateway); // waits for no answer
  for (const [n, session] of ids.entries()) hasty.send({ id: `s${n}`, type: "subscribe", session });
  const answers = (): number => hasty.frames.filter(({ type }) => type === "reply" || type === "error").length;
  await expect.poll(answers).toBe(65);
  expect(hasty.frames.flatMap(({ error }) => error?.code ?? [])).toEqual(["rate.exceeded"]);
  const [followed] = hasty.frames.flatMap(({ result }) => result?.session ?? []);
  expect((await hasty.ask({ type: "subscribe", session: followed })).result.from).toBe("snapshot"); // needs no more room
  const large = await connect(gateway);
  large.send(`{"id":"x","type":"ping","t":1,"more":"${"x".repeat(1_100_000)}"}`);
  expect((await large.closed).code).toBe(1009);
});
