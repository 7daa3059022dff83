// What one client may ask, send and make us keep: each bound at n, and at one more.
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, systemIds, type Seq, type SessionId } from "@margay/core/internal";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { createCodes } from "../../src/host/auth/codes.ts";
import { createLockout } from "../../src/host/auth/lockout.ts";
import { acceptablePassword, createHasher } from "../../src/host/auth/password.ts";
import { describe as describeTrigger } from "../../src/features/cron/describe.ts";
import { createHub } from "../../src/host/live/hub.ts";
import { createLiveBuffer } from "../../src/host/live/live-buffer.ts";
import { createReader } from "../../src/host/live/reader.ts";
import { parseJsonText } from "../../src/host/http/json.ts";
import { createRates } from "../../src/host/http/rates.ts";
import { createReplays } from "../../src/host/http/replays.ts";
import { renderHook } from "../../src/features/hooks/template.ts";
import { createRedactedText } from "../../src/features/openai-api/reply/redacted-text.ts";
import { WORKSPACE_ROUTES } from "../../src/features/workspace/routes.ts";
import { MemoryWrite } from "../../src/features/memory/schema.ts";
import { readLog } from "../../src/features/system/logs.ts";
import { oauthServers } from "../mcp/oauth-server.ts";
import { connect } from "./frames.ts";
import { operations } from "./operations.ts";
import { sendRaw } from "./raw.ts";
import { startGateway } from "./support.ts";

const several = <T>(count: number, one: (n: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, n) => one(n));

test("request-line/MAX_HEADERS, request-line/MAX_URL_BYTES: 100 headers and a URL of 8,192 bytes are read, one more is not", async (t) => {
  const { port } = await startGateway(t);
  const status = async (path: string, lines: number): Promise<number | undefined> =>
    (await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${"X: a\r\n".repeat(lines)}\r\n`)).status;
  expect([await status("/health", 99), await status("/health", 100)]).toEqual([200, 431]);
  const long = (bytes: number): string => `/health/${"a".repeat(bytes - 8)}`;
  expect([await status(long(8192), 0), await status(long(8193), 0)]).toEqual([401, 414]);
});

test("json/MAX_VALUES: 20,000 values of a body are read, one more is not", () => {
  const list = (items: number): string => `[${Array.from({ length: items }, () => 0).join(",")}]`;
  expect(parseJsonText(list(20_000))).toHaveLength(20_000);
  expect(() => parseJsonText(list(20_001))).toThrow("more than 20000 values");
});

test("validate/MAX_FAULTS: 20 faults of a request are listed", async (t) => {
  const { api } = await startGateway(t);
  const faults = async (unknown: number): Promise<number> => {
    const body = Object.fromEntries(Array.from({ length: unknown }, (_, n) => [`x${n}`, 1]));
    const answer = await api("/auth/tokens", { method: "POST", body: { name: "n", scopes: ["read"], ...body } });
    expect(answer.status).toBe(422);
    return answer.body.errors.length;
  };
  expect([await faults(20), await faults(21)]).toEqual([20, 20]);
});

test("rates/MAX_NAMES: of 10,000 who ask each is counted, of one more the first is forgotten", async () => {
  const countedAfter = (others: number): boolean => {
    const rates = createRates(fakeClock());
    rates.take("first", 1);
    for (let n = 0; n < others; n++) rates.take(`other ${n}`, 1);
    return !rates.within("first", 1);
  };
  expect([countedAfter(9999), countedAfter(10_000)]).toEqual([true, false]);

  // Who comes back after its minute is as new as the others of that minute: a flood does not forget it first.
  const clock = fakeClock();
  const rates = createRates(clock);
  rates.take("back", 1);
  for (let n = 0; n < 9999; n++) rates.take(`other ${n}`, 1);
  await clock.advance(60_000);
  rates.take("back", 1);
  rates.take("new", 1);
  expect(rates.within("back", 1)).toBe(false);
});

test("lockout/MAX_ADDRESSES: wrong attempts of 10,000 addresses are remembered, of one more the oldest are not", () => {
  const lockedAfter = (others: number): boolean => {
    const lockout = createLockout(fakeClock());
    for (let wrong = 0; wrong < 4; wrong++) lockout.failed("203.0.113.1", "code");
    for (let n = 0; n < others; n++) lockout.failed(`10.0.${n >> 8}.${n & 255}`, "code");
    lockout.failed("203.0.113.1", "code");
    try {
      lockout.check("203.0.113.1", "code");
      return false;
    } catch {
      return true;
    }
  };
  expect([lockedAfter(9999), lockedAfter(10_000)]).toEqual([true, false]);
});

test("codes/MAX_CODES: of 1,000 codes each is good, of one more the oldest is not", () => {
  const goodAfter = (others: number): string => {
    const codes = createCodes(fakeClock());
    const { code } = codes.mint("login");
    for (let n = 0; n < others; n++) codes.mint("login");
    return String(codes.redeem("login", code));
  };
  expect([goodAfter(999), goodAfter(1000)]).toEqual(["ok", "wrong"]);
});

test("password/MAX_BYTES: a password of 256 bytes is taken, one of 257 is not", () => {
  const long = "correct donkey paperclip sky ".repeat(10);
  expect(acceptablePassword(long.slice(0, 256))).toHaveLength(256);
  expect(() => acceptablePassword(long.slice(0, 257))).toThrow("257 bytes");
});

test("password/MAX_WAITING: beside the one that is checked four wait, a sixth is told to come again", async () => {
  const hasher = createHasher();
  const checks = Array.from({ length: 6 }, () => hasher.fits("correct donkey paperclip sky", undefined));
  const ends = (await Promise.allSettled(checks)).map(({ status }) => status);
  expect(ends).toEqual([...Array.from({ length: 5 }, () => "fulfilled"), "rejected"]);
  await expect(checks[5]).rejects.toMatchObject({ code: "rate.exceeded" });
});

test("replays/MAX_KEPT: of 1,000 keys each is answered again, of one more the first is made anew", async () => {
  const route = WORKSPACE_ROUTES[0];
  if (route === undefined) throw new Error("there is no route");
  const madeAfter = async (others: number): Promise<number> => {
    const home = mkdtempSync(join(tmpdir(), "margay-replays-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const replays = createReplays({ home, clock: fakeClock(), ids: systemIds(), log: silentLog });
    let made = 0;
    const ask = (key: string): Promise<unknown> =>
      replays.answer({ route, key, owner: "ada", target: "/", body: new Uint8Array() }, () => {
        if (key === "first") made += 1;
        return Promise.resolve({ body: {} });
      });
    await ask("first");
    await Promise.all(Array.from({ length: others }, (_, n) => ask(`other ${n}`)));
    await ask("first");
    return made;
  };
  expect([await madeAfter(999), await madeAfter(1000)]).toEqual([1, 2]);
});

test("client-tools/MAX_TOOLS, place/MAX_USER_CHARS: 128 tools and a user of 256 characters, not one more", async (t) => {
  const gateway = await startGateway(t);
  const ask = (tools: number, user: number) =>
    gateway.api("/!/v1/chat/completions", {
      method: "POST",
      body: {
        model: "margay",
        user: "u".repeat(user),
        messages: [{ role: "user", content: "hi" }],
        tools: Array.from({ length: tools }, (_, n) => ({ type: "function", function: { name: `t${n}` } })),
      },
    });
  gateway.model.replies(says("hello"));
  expect((await ask(128, 256)).status).toBe(200);
  expect((await ask(129, 256)).body.error.code).toBe("too_many_tools");
  expect((await ask(128, 257)).body.error.code).toBe("invalid_user");
});

test("template/MAX_VALUE_CHARS: 60,000 characters of a webhook's value are quoted", () => {
  const quoted = (chars: number): string =>
    renderHook("h", "B={{body}}", { body: "b".repeat(chars), json: undefined, headers: {} }).split("B=")[1] ?? "";
  expect(quoted(60_000)).toBe(`‹${"b".repeat(60_000)}›`);
  expect(quoted(60_001)).toBe(`‹${"b".repeat(60_000)}… [cut]›`);
});

test("redacted-text/MAX_WORD_CHARS: of /v1 a run of 512 characters waits until it is whole, the first of one more does not", () => {
  const shown = (chars: number): number => createRedactedText((text) => text).push("a".repeat(chars)).length;
  expect([shown(512), shown(513)]).toEqual([0, 1]);
});

test("live-buffer/MAX_CHARS: what waits leaves with its 2,048th character", () => {
  const sent: number[] = [];
  const buffer = createLiveBuffer(fakeClock(), (events) => sent.push(events.length));
  const push = (text: string): void =>
    buffer.push({ type: "text.delta", turn: "turn-1", index: 0, text } as Parameters<typeof buffer.push>[0]);
  push("the first leaves at once");
  push("x".repeat(2047));
  expect(sent).toEqual([1]);
  push("x");
  expect(sent).toEqual([1, 1]);
});

test("live events that come within 33 ms leave together, and later ones at once", async () => {
  const clock = fakeClock();
  const sent: string[] = [];
  const buffer = createLiveBuffer(clock, (events) =>
    sent.push(events.map((event) => ("text" in event ? event.text : "")).join("|")),
  );
  const push = (text: string, more: object = {}): void =>
    buffer.push({ type: "text.delta", turn: "turn-1", index: 0, text, ...more } as Parameters<typeof buffer.push>[0]);
  push("a");
  await clock.advance(32);
  push("b");
  push("c");
  push("d", { index: 1 });
  push("e", { index: 1, type: "thinking.delta" });
  push("f", { index: 1, type: "thinking.delta", turn: "turn-2" });
  expect(sent).toEqual(["a"]);
  await clock.advance(1);
  expect(sent).toEqual(["a", "bc|d|e|f"]);
  await clock.advance(33);
  push("g");
  expect(sent.at(-1)).toBe("g");
  push("h");
  buffer.flush();
  push("i");
  expect(sent.slice(-2)).toEqual(["h", "i"]);
  push("j");
  buffer.drop();
  await clock.advance(33);
  push("k");
  expect(sent.slice(-2)).toEqual(["i", "k"]);
  for (const [type, name] of [
    ["tool-call.delta", "args"],
    ["tool.progress", "output"],
  ] as const) {
    buffer.drop();
    push("now");
    for (const call of ["c1", "c1", "c2"]) push(name, { type, call });
    buffer.flush();
    expect(sent.at(-1)).toBe(`${name}${name}|${name}`);
  }
});

test("read-frames/MAX_FAULTS: the third frame that nobody can read, and the fourth that is too many, close the socket", async (t) => {
  const gateway = await startGateway(t, { clock: fakeClock() });
  const client = await connect(gateway);
  for (let n = 0; n < 2; n++) client.send("{");
  expect((await client.ask({ type: "ping", t: 1 })).t).toBe(1);
  client.send("{");
  expect(await client.closed).toEqual({ code: 1008, reason: "unreadable frames" });
  const flood = await connect(gateway);
  const refused = (): number => flood.frames.filter(({ error }) => error?.code === "rate.exceeded").length;
  for (let n = 0; n < 120; n++) flood.send({ id: `p${n}`, type: "ping", t: n });
  for (let n = 0; n < 3; n++) flood.send({ id: `q${n}`, type: "ping", t: n });
  await expect.poll(refused).toBe(3);
  expect(flood.socket.readyState).toBe(flood.socket.OPEN);
  flood.send({ id: "last", type: "ping", t: 1 });
  expect(await flood.closed).toEqual({ code: 1008, reason: "too many frames" });
});

test("read-frames/MAX_SILENT: a client that answers two pings with nothing is gone at the third", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  const client = await connect(gateway);
  client.socket.pong = () => {}; // as a machine that sleeps
  let pings = 0;
  client.socket.on("ping", () => (pings += 1));
  for (let sent = 1; sent <= 2; sent++) {
    await clock.advance(20_000);
    await expect.poll(() => pings).toBe(sent);
  }
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  await clock.advance(20_000);
  expect((await client.closed).code).toBe(1006);
});

test("memory/schema/MAX_MEMORY_CHARS: a million characters of memory are written, one more is not", () => {
  const fits = (chars: number): boolean => MemoryWrite.safeParse({ text: "m".repeat(chars) }).success;
  expect([fits(1_000_000), fits(1_000_001)]).toEqual([true, false]);
});

test("workspace/routes/MAX_ENTRIES: 1,000 entries of a folder are listed, of one more it is said that there are more", async (t) => {
  const gateway = await startGateway(t);
  for (let n = 0; n < 1000; n++) writeFileSync(join(gateway.workspace, `f${n}`), "");
  const look = async (): Promise<readonly [number, boolean]> => {
    const { body } = await gateway.api("/workspace/tree?path=");
    return [body.entries.length, body.more];
  };
  expect(await look()).toEqual([1000, false]);
  writeFileSync(join(gateway.workspace, "g"), "");
  expect(await look()).toEqual([1000, true]);
});

test("workspace-file/MAX_FILE_BYTES: a file of 25 MiB is shown, a byte more is not", async (t) => {
  const gateway = await startGateway(t);
  const path = join(gateway.workspace, "big");
  writeFileSync(path, "");
  const status = async (bytes: number): Promise<number> => {
    truncateSync(path, bytes);
    return (await gateway.api("/workspace/content?path=big")).status;
  };
  expect([await status(26_214_400), await status(26_214_401)]).toEqual([200, 413]);
});

test("logs/MAX_BYTES: 2 MiB of the log are looked at", async () => {
  const folder = mkdtempSync(join(tmpdir(), "margay-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "log");
  const line = (event: string, more = ""): string =>
    `${JSON.stringify({ time: "2026-03-01T12:00:00.000Z", level: "info", event, more })}\n`;
  const first = line("first");
  writeFileSync(path, first + line("last", "x".repeat(2 * 1024 * 1024 - first.length - line("last").length)));
  const events = async (): Promise<readonly string[]> =>
    (await readLog(path, { limit: 10 }, (text) => text)).items.map(({ event }) => event);
  expect(await events()).toEqual(["first", "last"]);
  appendFileSync(path, "\n");
  expect(await events()).toEqual(["last"]);
});

test("describe/MAX_TIMES: four times of a day are said one by one, five as the expression they are", () => {
  const words = (hours: string): string =>
    describeTrigger({ kind: "cron", expression: `0 ${hours} * * *`, timeZone: "UTC" }).en;
  expect(words("8,9,10,11")).not.toContain("0 8,9");
  expect(words("8,9,10,11,12")).toContain("0 8,9,10,11,12 * * *");
});

test("server/MAX_HEADER_BYTES: a request whose URL, names and values have 16,383 bytes is read, one more is not", async (t) => {
  const { port } = await startGateway(t);
  const host = `127.0.0.1:${port}`;
  const status = async (bytes: number): Promise<number | undefined> => {
    const value = "x".repeat(bytes - `/healthHost${host}X`.length);
    return (await sendRaw(port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nX: ${value}\r\n\r\n`)).status;
  };
  expect([await status(16_383), await status(16_384)]).toEqual([200, 431]);
});

test("seed-protocol/socket/MAX_SUBSCRIPTIONS: a socket of the seeds follows 64 sessions, not one more", async (t) => {
  const gateway = await startGateway(t);
  const { sessions } = gateway.app.agent;
  const opened = await Promise.all(several(65, (n) => sessions.open(`web:s${n}`, { channel: "web", chat: `s${n}` })));
  const tab = await connect(gateway, { path: "/ws/chat" });
  const pong = async (): Promise<void> => {
    const count = (): number => tab.frames.filter(({ type }) => type === "pong").length;
    const before = count();
    tab.send({ type: "ping" });
    await expect.poll(count).toBe(before + 1);
  };
  const refused = async (from: number, to: number): Promise<readonly string[]> => {
    for (const session of opened.slice(from, to)) tab.send({ type: "subscribe", session_id: session.state.id });
    await pong(); // all of them were read
    await gateway.api("/sessions"); // what they do needs no other turn of the event loop
    await pong();
    return tab.frames.flatMap(({ code }) => code ?? []);
  };
  await gateway.api("/sessions"); // the conversations are known
  expect(await refused(0, 64)).toEqual([]);
  expect(await refused(64, 65)).toEqual(["rate.exceeded"]);
});

interface ExplainedStep {
  readonly request?: { readonly answer?: { readonly calls: readonly object[] } };
}

test("calls/MAX_USER_CHARS, explain/routes/MAX_ARGUMENT_CHARS: 500 characters of the wish and of the arguments of a call", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  const path = (chars: number): string => "p".repeat(chars - '{"path":""}'.length);
  for (const chars of [500, 501]) {
    gateway.model.replies(callsTool("list_dir", { path: path(chars) }), says("done"));
    await gateway.app.agent.send("web:one", "u".repeat(chars)).finished;
  }
  const calls = (await operate("listCalls")).body.items.toReversed();
  expect(calls.map(({ userMessage }: { userMessage: string }) => userMessage.length)).toEqual([500, 500]);
  const shown = async ({ session, turn }: { session: string; turn: string }): Promise<unknown> => {
    const { body } = await operate("explainTurn", { params: { id: session, turn } });
    return body.steps.find((step: ExplainedStep) => step.request?.answer?.calls[0])?.request.answer.calls[0].arguments;
  };
  expect(await shown(calls[0])).toBe(`{"path":"${path(500)}"}`);
  expect(await shown(calls[1])).toBe(`{"path":"${"p".repeat(490)}…`);
});

test("facts/turns/MAX_TEXT_CHARS: 4,000 characters of a task and of what came of it are listed", async (t) => {
  const gateway = await startGateway(t);
  for (const chars of [4000, 4001]) {
    gateway.model.replies(
      callsTool("spawn", { task: "t".repeat(chars), wait: true }),
      says("a".repeat(chars)),
      says("done"),
    );
    await gateway.app.agent.send("web:one", "go").finished;
  }
  const { items } = (await operations(gateway)("listTasks")).body;
  const sizes = items.map(({ task, text }: { task: string; text: string }) => [task.length, text.length]);
  expect(sizes).toEqual([
    [4000, 4000],
    [4000, 4000],
  ]);
});

test("heartbeat/routes/MAX_RUNS: the last 20 checks are shown", async (t) => {
  const gateway = await startGateway(t);
  writeFileSync(join(gateway.workspace, "HEARTBEAT.md"), "- [ ] water the plants\n");
  const { signal } = new AbortController();
  const check = async (times: number): Promise<number> => {
    gateway.model.replies(...several(times, () => callsTool("heartbeat", { action: "skip" })));
    for (let n = 0; n < times; n++) await gateway.app.schedule.heartbeat.checkNow(signal);
    return (await operations(gateway)("getHeartbeat")).body.runs.length;
  };
  expect([await check(20), await check(1)]).toEqual([20, 20]);
});

test("stages/MAX_KEPT: eight deliveries of skills wait, of one more the first goes", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  writeFileSync(join(gateway.workspace, "SKILL.md"), "---\nname: workspace\ndescription: Waits\n---\nWait.\n");
  const bring = async (): Promise<string> =>
    (await operate("stageSkills", { query: { source: gateway.workspace } })).body.items[0].id;
  const ids: string[] = [];
  while (ids.length < 10) ids.push(await bring());
  const left = await Promise.all(ids.map(async (id) => (await operate("dropStagedSkill", { params: { id } })).status));
  expect(left).toEqual([404, 404, ...several(8, () => 204)]);
});

test("sign-in/MAX_OPEN: of 20 sign-ins that wait each can be finished, of one more the first not", async (t) => {
  const servers = await oauthServers();
  const gateway = await startGateway(t, {
    config: {
      mcpServers: { private: { url: servers.url } },
      tools: { webFetch: { allowHosts: [servers.authority] } },
    },
  });
  const open = async (): Promise<string> =>
    new URL((await operations(gateway)("startMcpSignIn", { params: { name: "private" } })).body.url).searchParams.get(
      "state",
    ) ?? "";
  const states: string[] = [];
  const finish = async (state = ""): Promise<number> =>
    (await fetch(`${gateway.url}/api/v1/mcp/oauth/callback?code=x&state=${state}`)).status;
  while (states.length < 20) states.push(await open());
  expect(await finish(states[0])).toBe(200); // 19 wait
  states.push(await open(), await open());
  expect([await finish(states[1]), await finish(states[2])]).toEqual([410, 200]);
});

test("reader/MAX_VIEWS, reader/MAX_ITEMS: 24 views are kept, and 100,000 items of them", async () => {
  /** Whether the first of these conversations is still known after the last. */
  const kept = async (...sizes: readonly number[]): Promise<boolean> => {
    const read: SessionId[] = [];
    const reader = createReader({
      hub: createHub({ watch: () => () => {} }),
      clock: fakeClock(),
      async *readCommits(id) {
        read.push(id);
        const notice = { role: "notice", at: 0, kind: "clock", text: "" } as const;
        yield {
          seq: 1 as Seq,
          at: 0,
          records: several(sizes[Number(id)] ?? 0, () => ({ type: "notice.added", notice })),
        };
      },
    });
    for (const n of sizes.keys()) await reader.view(`${n}` as SessionId);
    await reader.view("0" as SessionId);
    return read.length === sizes.length;
  };
  expect([await kept(...several(24, () => 1)), await kept(...several(25, () => 1))]).toEqual([true, false]);
  expect([await kept(60_000, 40_000), await kept(60_000, 40_001)]).toEqual([true, false]);
});
