// Between the first answer of a gateway and its last read journal: who comes then is answered, once, also by the next process.
import { on } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel, type MockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { writeSession } from "../gateway/journals.ts";
import { start, type Running } from "./running.ts";

/** Long enough that a start is seen at it, on a fast machine too. */
const TURNS = 10_000;
const WITHIN = { timeout: 60_000, interval: 10 };

interface Place {
  readonly made: Margay;
  readonly model: MockModel;
  /** Of a short conversation, and of a long one. */
  readonly short: string;
  readonly long: string;
}

/** With `long`, a long conversation whose last message has no answer yet. */
async function place(given: { readonly long: boolean }): Promise<Place> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  model.replies(...Array.from({ length: 8 }, () => says("Here is the answer.")));
  const made = margay();
  made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false } });
  const short = writeSession(made.home, { key: "web:short", turns: 1 });
  const long = given.long ? writeSession(made.home, { key: "web:long", turns: TURNS, unfinished: true }) : "";
  return { made, model, short, long };
}

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

interface Starting extends Running {
  ask(path: string, init?: RequestInit): Promise<Asked>;
  /** Says something in a conversation. The same key: the same message. */
  say(session: string, text: string, key: string): Promise<Asked>;
  ready(): Promise<number>;
  /** Whether it says to pages that it is starting. */
  isStarting(): Promise<boolean>;
  /** Resolves with the first note of the topic `system`. */
  note(): Promise<unknown>;
}

/** Resolves with the first answer. */
async function begin({ made }: Place): Promise<Starting> {
  const note = join(made.home, "gateway.json");
  rmSync(note, { force: true }); // of the process before
  const running = start(made, {}, "gateway", "--port", "0", "--no-open");
  const noted = (): { readonly url: string; readonly token: string } => {
    try {
      return JSON.parse(readFileSync(note, "utf8")) as { url: string; token: string }; // written by the gateway
    } catch {
      return { url: "", token: "" }; // not yet
    }
  };
  await expect.poll(() => noted().url, WITHIN).not.toBe("");
  const { url, token } = noted();
  const ask = async (path: string, init: RequestInit = {}): Promise<Asked> => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  expect((await ask("/health")).status).toBe(200);
  return {
    ...running,
    ask,
    ready: async () => (await ask("/ready")).status,
    isStarting: async () => {
      const { text } = await ask("/api/v1/system", { headers: { authorization: `Bearer ${token}` } });
      return (JSON.parse(text) as { readonly starting?: true }).starting === true; // as its schema says
    },
    note: async () => {
      const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, "margay.v1", {
        headers: { authorization: `Bearer ${token}` },
      });
      socket.on("open", () => socket.send(JSON.stringify({ id: "1", type: "subscribe", topic: "system" })));
      for await (const [data] of on(socket, "message") as AsyncIterable<[Buffer]>) {
        const frame = JSON.parse(String(data)) as { readonly type: string; readonly data?: unknown };
        if (frame.type !== "topic") continue;
        socket.terminate();
        return frame.data;
      }
      return undefined;
    },
    say: (session, text, key) =>
      ask(`/api/v1/sessions/${session}/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify({ parts: [{ type: "text", text }] }),
      }),
  };
}

async function end(running: Running): Promise<void> {
  running.kill("SIGKILL");
  await running.ended;
}

interface Line {
  readonly type: string;
  readonly message?: { readonly id: string; readonly parts: readonly { readonly text?: string }[] };
  readonly placed?: readonly string[];
}

function recordsOf({ made }: Place, session: string): readonly Line[] {
  const lines = readFileSync(join(made.home, "sessions", `${session}.journal`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.flatMap((line) => (JSON.parse(line) as { readonly records: readonly Line[] }).records); // of a journal
}

/** How often each message of a person was kept, and how often it was put to the model. */
function seen(at: Place, session: string): Readonly<Record<string, readonly [kept: number, asked: number]>> {
  const records = recordsOf(at, session);
  const kept = records.flatMap(({ type, message }) => (type === "message.received" && message ? [message] : []));
  const placed = records.flatMap(({ placed: ids = [] }) => ids);
  const all = kept.map(
    ({ id, parts: [part] }) => [part?.text ?? "", placed.filter((one) => one === id).length] as const,
  );
  return Object.fromEntries(
    all.map(([text, asked]) => [text, [all.filter(([other]) => other === text).length, asked] as const]),
  );
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test("SO3 a start answers before it has read journals, and is ready when it has", { timeout: 240_000 }, async () => {
  const [empty, long] = [await place({ long: false }), await place({ long: true })];
  const took = { empty: [] as number[], long: [] as number[] };
  const ready: number[] = [];
  for (let round = 0; round < 3; round++)
    for (const [name, at] of Object.entries({ empty, long })) {
      const begun = performance.now();
      const running = await begin(at);
      took[name as keyof typeof took].push(performance.now() - begun); // one of these two
      if (at === long) ready.push(await running.ready());
      await end(running);
    }
  expect(ready).toEqual([503, 503, 503]);
  expect(median(took.long)).toBeLessThan(1.6 * median(took.empty));

  const running = await begin(long);
  expect(await running.ready()).toBe(503);
  const noted = running.note();
  expect((await running.ask("/")).status).toBe(200);
  expect(await running.isStarting()).toBe(true);
  // A platform that calls too early comes again: nobody tells it that its channel is gone.
  const call = (): Promise<Asked> => running.ask("/hooks/channel/slack/events", { method: "POST", body: "{}" });
  const early = await call();
  expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(long.model.requests).toHaveLength(0);
  await expect.poll(running.ready, WITHIN).toBe(200);
  expect(await noted).toEqual({ changed: "started" });
  expect(await running.isStarting()).toBe(false);
  expect((await call()).status).toBe(401);
  await long.model.received(1);
});

test(
  "SO3 what is said while a start reads is kept, and answered once, also after kill -9 at that moment",
  { timeout: 240_000 },
  async () => {
    const at = await place({ long: true });
    for (const text of ["one", "two"]) {
      const running = await begin(at);
      expect(await running.ready()).toBe(503);
      expect((await running.say(at.short, text, `key-${text}`)).status).toBe(202);
      await end(running);
    }
    const running = await begin(at);
    expect(await running.ready()).toBe(503);
    expect((await running.say(at.short, "three", "key-three")).status).toBe(202);
    // Who was not told in time sends it again.
    expect((await running.say(at.short, "one", "key-one")).status).toBe(202);
    const once = { one: [1, 1], two: [1, 1], three: [1, 1] };
    await expect.poll(() => seen(at, at.short), WITHIN).toMatchObject(once);
    await expect.poll(running.ready, WITHIN).toBe(200);
    const last = `Question ${TURNS} of web:long`;
    await expect.poll(() => seen(at, at.long)[last], WITHIN).toEqual([1, 1]);
    await expect.poll(() => recordsOf(at, at.long).at(-1)?.type, WITHIN).toBe("reply.delivered");
    await end(running);
    expect(seen(at, at.short)).toMatchObject(once);
  },
);

test("SO3 a command beside a start that is not done waits for it", { timeout: 240_000 }, async () => {
  const at = await place({ long: true });
  const running = await begin(at);
  expect(await running.ready()).toBe(503);
  running.kill("SIGSTOP"); // a slow disk
  const beside = start(at.made, {}, "agent", "-m", "ping");
  await expect.poll(beside.err, WITHIN).toContain("is starting");
  for (const [language, says] of [
    ["en", "It is starting"],
    ["zh-CN", "它正在启动"],
  ] as const) {
    const status = await at.made.run(["gateway", "status", "--lang", language]);
    expect([status.code, status.out]).toEqual([0, expect.stringContaining(says)]);
  }
  running.kill("SIGCONT");
  expect(await beside.ended).toBe(0);
  expect(beside.out()).toContain("Here is the answer.");
  await expect.poll(running.ready, WITHIN).toBe(200);
  const after = start(at.made, {}, "gateway", "status", "--json");
  await after.ended;
  expect(JSON.parse(after.out())).toMatchObject({ running: true, starting: false });
});
