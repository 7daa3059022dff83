/** The loop killed before and after every commit, and in the middle of every tool: in memory, so that pairs of kills fit. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type {
  Agent,
  Commit,
  JournalRecord,
  ModelEvent,
  ModelRequest,
  Policy,
  Provider,
  SessionStore,
  Tool,
} from "../../src/index.ts";
import { createAgent, defineTool, RuntimeError } from "../../src/index.ts";
import type { Journals } from "../../src/contract/store.ts";
import { memoryJournals } from "../../src/testing/memory-journals.ts";
import { eachCommit } from "../support/each-commit.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { systemClock } from "../../src/machine/system/clock.ts";

const WHENS = ["before", "after", "during"] as const;
type When = (typeof WHENS)[number];
interface Kill {
  readonly commit: number;
  readonly when: When;
}
interface World {
  readonly lines: Commit[];
  readonly paid: string[];
  readonly delivered: string[];
  readonly prompts: string[];
}

const KEY = "chat:1";

test("LP3 R75 R76 a turn killed at any commit ends with one reply, one result per call and no write call twice", async () => {
  const clean = await live([]);
  const commits = clean.lines.length;
  expect(commits).toBeGreaterThan(12);
  for (let commit = 1; commit <= commits; commit++)
    for (const when of WHENS) check(await live([{ commit, when }]), { commit, when });
});

test("LP2 a turn survives being killed at every pair of commits", async () => {
  const { lines } = await live([]);
  const every = lines.flatMap((_, first) =>
    lines.slice(first).map((__, more) => [first + 1, first + 1 + more] as const),
  );
  expect(every).toHaveLength((lines.length * (lines.length + 1)) / 2);
  // All nine ways to die at each pair take half a minute: they take turns.
  for (const [turn, [first, second]] of every.entries()) {
    const kills = [
      { commit: first, when: WHENS[turn % 3]! },
      { commit: second, when: WHENS[Math.floor(turn / 3) % 3]! },
    ];
    check(await live(kills), kills);
  }
});

function check(world: World, kill: unknown): void {
  const records = world.lines.flatMap((line): readonly JournalRecord[] => line.records);
  const calls = records.flatMap((record) =>
    record.type === "model.responded"
      ? record.message.parts.filter((part) => part.type === "tool-call").map((part) => part.callId)
      : [],
  );
  const results = records.flatMap((record) => (record.type === "tool.finished" ? [record.message.callId] : []));
  const label = JSON.stringify(kill);
  expect(results.toSorted(), `one result per call, ${label}`).toEqual(calls.toSorted());
  expect(world.paid.length, `no write twice, ${label}`).toBe(new Set(world.paid).size);
  expect(
    records.filter((record) => record.type === "turn.ended").map((record) => record.reason),
    label,
  ).toEqual(["done"]);
  expect(
    records.filter((record) => record.type === "reply.queued" && record.kind === "reply"),
    label,
  ).toHaveLength(1);
  expect(new Set(world.delivered), label).toEqual(new Set([...world.delivered.slice(0, 1)]));
  expect(world.delivered.length, `delivered, ${label}`).toBeGreaterThan(0);
  world.prompts.reduce((before, prompt) => {
    expect(prompt.startsWith(before) || prompt === before, `every prompt extends the one before, ${label}`).toBe(true);
    return prompt;
  });
}

/** Starts over after each kill until the turn rests; the message is sent again as a platform would. */
async function live(kills: readonly Kill[]): Promise<World> {
  const world: World = { lines: [], paid: [], delivered: [], prompts: [] };
  const base = memoryJournals();
  const home = mkdtempSync(join(tmpdir(), "margay-crash-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (let life = 0; life <= kills.length + 2; life++) {
    const dead = Promise.withResolvers<void>();
    const agent = start(home, base, world, kills[life], () => dead.resolve());
    const done = (async () => {
      await agent.bus.accept({
        key: "881",
        origin: { channel: "chat", chat: "1" },
        from: { id: "ann", kind: "person" },
        parts: [{ type: "text", text: "pay both" }],
      });
      await agent.resume();
      await agent.idle();
    })();
    await Promise.race([done.catch(() => {}), dead.promise]);
    await Promise.resolve(agent[Symbol.asyncDispose]()).catch(() => {});
    const session = await openSessions({ journals: base, clock: systemClock() }).find(KEY);
    if (
      session !== undefined &&
      session.state.seq > 3 &&
      session.state.turn === undefined &&
      session.state.pending.length === 0 &&
      session.state.outbox.length === 0
    )
      break;
  }
  const [id] = await base.list();
  if (id !== undefined) for await (const commit of base.read(id)) world.lines.push(commit);
  return world;
}

function start(home: string, base: Journals, world: World, kill: Kill | undefined, died: () => void): Agent {
  let dead = false;
  const die = (): never => {
    dead = true;
    died();
    throw new RuntimeError("journal.failed", "killed");
  };
  const journals = eachCommit(base, async ({ seq }, store) => {
    if (dead || (kill?.commit === seq && kill.when === "before")) die();
    await store();
    if (kill?.commit === seq && kill.when === "after") die();
  });
  const sessions: SessionStore = openSessions({ journals, clock: systemClock() });
  /** The tool that runs right after the given commit dies after its effect. */
  const duringEffect = async (): Promise<void> => {
    const session = await sessions.find(KEY);
    if (kill?.when === "during" && session !== undefined && session.state.seq >= kill.commit && !dead) die();
  };
  const tool = (name: string, effect: Tool["effect"], act: (id: string) => void): Tool =>
    defineTool<{ id: string }>({
      name,
      description: name,
      effect,
      input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      execute: async ({ id }) => {
        if (dead) return new Promise(() => {}); // a dead process does nothing more
        act(id);
        await duringEffect();
        return `${name} ${id}`;
      },
    });
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: true }),
    judge: (call) => Promise.resolve({ kind: "allow", rule: `test ${call.name}` }),
  };
  return createAgent({
    directory: join(home, "state"),
    workspace: join(home, "workspace"),
    provider: scripted(world.prompts),
    model: { provider: "scripted", model: "m" },
    tools: [
      tool("look", "read", () => {}),
      tool("note", "idempotent", () => {}),
      tool("pay", "write", (id) => void world.paid.push(id)),
    ],
    policy,
    sessions,
    settings: { retryDelayMs: 1 },
    channels: [
      {
        id: "chat",
        can: { once: "no", text: { dialect: "markdown", max: 4000 } },
        run: () => Promise.resolve(),
        send: (message) => {
          if (!dead && message.kind === "reply") world.delivered.push(message.reply);
          return Promise.resolve(undefined);
        },
      },
    ],
  });
}

/** Two rounds of calls, then an answer: a function of the prompt alone. */
function scripted(prompts: string[]): Provider {
  return {
    id: "scripted",
    async *stream(request: ModelRequest): AsyncIterable<ModelEvent> {
      await Promise.resolve();
      prompts.push(JSON.stringify(request.messages).slice(0, -1));
      const rounds = request.messages.filter((message) => message.role === "assistant").length;
      const calls = rounds === 0 ? ["look", "look", "pay", "note", "look"] : rounds === 1 ? ["pay"] : [];
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
      for (const [index, name] of calls.entries())
        yield {
          type: "part",
          index,
          part: {
            type: "tool-call",
            callId: `${request.id}-${index + 1}` as never,
            name,
            input: { id: `${rounds}-${index}` },
          },
        };
      if (calls.length === 0) {
        yield { type: "text.delta", index: 0, text: "paid" };
        yield { type: "part", index: 0, part: { type: "text", text: "paid" } };
      }
      yield { type: "done", finish: calls.length > 0 ? "tool-calls" : "stop", usage };
    },
  };
}
