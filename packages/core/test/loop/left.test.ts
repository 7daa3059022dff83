// A start looks first at what the last process may have left, and at all other journals when it has begun.
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { openJournalDirectory } from "../../src/journal/directory.ts";
import { says } from "../../src/testing.ts";
import { CHAT, ofType, startAgent, type Started } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";

const LEFT = "sessions/left.cache";

/** As an agent begins: what it had opened and said by then. */
async function begin({ agent, log, model }: Started, key = CHAT) {
  const ended = new AbortController();
  const seen = Promise.withResolvers<{ readonly isOpen: boolean; readonly said: readonly string[] }>();
  const running = agent.run(ended.signal, () =>
    seen.resolve({ isOpen: agent.sessions.peek?.(key) !== undefined, said: log.lines.map(({ event }) => event) }),
  );
  const begun = await seen.promise;
  await agent.idle();
  ended.abort();
  await running;
  return { ...begun, requests: model.requests.length, after: log.lines.map(({ event }) => event) };
}

/** One message, its answer and the delivery of that: no channel does it here. */
async function answered({ agent }: Started, key: string, text: string): Promise<void> {
  await agent.send(key, text).finished;
  const session = await agent.sessions.find(key);
  for (const { reply } of session?.state.outbox ?? []) await session?.commit({ type: "reply.delivered", reply });
}

/** Two conversations that were answered, in a home that was left in order. */
async function home(t: TestContext): Promise<Started> {
  const started = await startAgent(t);
  for (const key of [CHAT, "test:2"]) await answered(started, key, "hello");
  const next = await started.restart();
  await begin(next);
  await next.agent[Symbol.asyncDispose]();
  return next;
}

/** The home as a process leaves it that is killed while it waits for the model. */
async function killed(before: Started, key = CHAT): Promise<Started> {
  const started = await before.restart();
  const { agent, model } = started;
  const copy = `${started.home}-killed`;
  const off = model.on("request", () => cpSync(started.home, copy, { recursive: true }));
  await agent.send(key, "and now?").finished;
  off();
  await agent[Symbol.asyncDispose]();
  rmSync(started.home, { recursive: true });
  cpSync(copy, started.home, { recursive: true });
  model.replies(says("asked again"));
  return started.restart();
}

const journalOf = ({ home: at }: Started, key: string): string =>
  join(
    at,
    "sessions",
    readdirSync(join(at, "sessions")).find(
      (name) => name.startsWith(key.replace(":", "-")) && name.endsWith(".journal"),
    ) ?? "",
  );

test("what has nothing to do is not looked at before the agent has begun, and is then", async (t) => {
  const before = await home(t);
  const path = journalOf(before, "test:2");
  writeFileSync(path, readFileSync(path, "utf8").replace('"crc":"', '"crc":"x'));
  const { said, after } = await begin(await before.restart());
  expect([said, after].map((lines) => lines.includes("session.unreadable"))).toEqual([false, true]);
});

test("what a killed process left goes on before the agent has begun, and once", async (t) => {
  const started = await killed(await home(t));
  const sent = started.model.requests.length;
  const { isOpen, requests } = await begin(started);
  expect([isOpen, requests - sent]).toEqual([true, 1]);
  expect(ofType(await started.records(), "turn.ended").at(-1)?.text).toBe("asked again");
});

test.for([
  ["was removed", (path: string) => rmSync(path)],
  ["is of another version", (path: string) => writeFileSync(path, "left 0\n")],
  ["is cut", (path: string) => writeFileSync(path, "le")],
] as const)("where the note of it %s, all are looked at first", async ([_how, change], t) => {
  const started = await killed(await home(t));
  change(join(started.home, LEFT));
  expect((await begin(started)).isOpen).toBe(true);
});

test("where it names others, what was left is found behind the beginning", async (t) => {
  const started = await killed(await home(t));
  writeFileSync(join(started.home, LEFT), "left 1\nnobody:1\n");
  const { isOpen, requests } = await begin(started);
  expect([isOpen, requests]).toEqual([false, started.model.requests.length]);
  expect(ofType(await started.records(), "turn.ended").at(-1)?.text).toBe("asked again");
});

test("a process that looked at one conversation alone leaves no other one out", async (t) => {
  const started = await killed(await home(t));
  await answered(started, "test:2", "one more");
  await started.agent[Symbol.asyncDispose]();
  expect(readFileSync(join(started.home, LEFT), "utf8")).toBe(`left 1\n${CHAT}\n`);
  const next = await started.restart();
  expect((await begin(next)).isOpen).toBe(true);
  await answered(next, CHAT, "good");
  await next.agent[Symbol.asyncDispose]();
  expect(readFileSync(join(started.home, LEFT), "utf8")).toBe("left 1\n");
});

test("directory/MAX_LEFT: of more than 200 all are looked at", async () => {
  await using folder = await temporaryFolder();
  const keys = Array.from({ length: 201 }, (_, at) => `test:${at}`);
  openJournalDirectory(folder.path).left?.write(keys.slice(1));
  expect(openJournalDirectory(folder.path).left?.read()).toEqual(keys.slice(1));
  openJournalDirectory(folder.path).left?.note("test:0");
  expect(openJournalDirectory(folder.path).left?.read()).toBeUndefined();
  expect(existsSync(folder.at("left.cache"))).toBe(true);
});
