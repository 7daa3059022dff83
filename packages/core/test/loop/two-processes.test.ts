// Several agents on one store, as several processes share a database: a message is taken once, a session is driven by one of them, and
// what one of them had in hand goes on with another.
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Channel } from "../../src/contract/channel.ts";
import { createAgent, type Agent } from "../../src/index.ts";
import { stalls } from "../../src/internal-testing.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { fakeClock, says, startMockModel, type MockModel } from "../../src/testing.ts";
import { texts } from "../../src/testing/session-scenes.ts";
import { memoryCluster, type MemoryNode } from "../../src/testing/memory-store.ts";
import { uneven } from "../support/each-commit.ts";
import { temporaryFolder } from "../support/folder.ts";
import { chatProvider } from "../support/wires.ts";

interface World {
  readonly model: MockModel;
  readonly sent: { readonly chat: string; readonly text: string }[];
  /** How many are at the platform just now, and how many ever were. */
  readonly platform: { now: number; most: number; ever: number };
  start(isAtPlatform?: boolean): { readonly agent: Agent; readonly node: MemoryNode };
}
interface Scope {
  onTestFinished(cleanup: () => Promise<void>): void;
}

async function world(t: Scope): Promise<World> {
  const folder = await temporaryFolder();
  const model = await startMockModel();
  t.onTestFinished(async () => {
    await model.close();
    await folder[Symbol.asyncDispose]();
  });
  const clock = systemClock();
  const cluster = memoryCluster({ now: clock.now, away: uneven() });
  const sent: { readonly chat: string; readonly text: string }[] = [];
  const platform = { now: 0, most: 0, ever: 0 };
  const channel: Channel = {
    id: "chat",
    can: { once: "no", text: { dialect: "markdown", max: 100_000 } },
    run: async (_inbox, signal) => {
      platform.now += 1;
      platform.ever += 1;
      platform.most = Math.max(platform.most, platform.now);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      platform.now -= 1;
    },
    send: ({ to, parts }) => {
      sent.push({ chat: to.chat, text: parts.map((part) => (part.type === "text" ? part.text : "")).join("") });
      return Promise.resolve(undefined);
    },
  };
  let started = 0;
  return {
    model,
    sent,
    platform,
    start: (isAtPlatform = true) => {
      const node = cluster.node();
      const agent = createAgent({
        directory: folder.at(`node-${(started += 1)}`),
        workspace: folder.at("workspace"),
        provider: chatProvider(model, fakeClock()),
        model: { provider: "mock", model: "m" },
        policy: {
          admit: () => Promise.resolve({ ok: true }),
          judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
        },
        store: node,
        channels: isAtPlatform ? [channel] : [],
      });
      t.onTestFinished(async () => agent[Symbol.asyncDispose]());
      return { agent, node };
    },
  };
}

function say(agent: Agent, chat: string, text: string): ReturnType<Agent["bus"]["accept"]> {
  return agent.bus.accept({
    key: `${chat}-${text}`,
    origin: { channel: "chat", chat },
    from: { id: "ann", kind: "person" },
    parts: [{ type: "text", text }],
    mode: "queue",
    fromPlatform: true,
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate();
}

test("SO7 a message that comes to two processes at once is taken once, and each is answered once, in the order of its chat", async (t) => {
  const { model, sent, start } = await world(t);
  const [one, other] = [start(), start(false)];
  model.route(() => true, ...Array.from({ length: 24 }, () => says("ok")));
  const chats = ["1", "2", "3", "4"];
  for (const text of ["a", "b", "c", "d", "e", "f"])
    for (const chat of chats) {
      const taken = await Promise.all([one, other].map(({ agent }) => say(agent, chat, text)));
      expect(taken.map(({ status }) => status).toSorted()).toEqual(["accepted", "duplicate"]);
    }
  await until(() => sent.length >= 24);
  await Promise.all([one.agent.idle(), other.agent.idle()]);
  expect([sent.length, model.requests.length]).toEqual([24, 24]);
  const keys = new Set<string>();
  for (const chat of chats) {
    const session = await other.agent.sessions.find(`chat:${chat}`);
    await session?.catchUp();
    expect(session?.state).toMatchObject({ pending: [], outbox: [] });
    expect([session?.state.turn, texts(session)]).toEqual([undefined, ["a", "b", "c", "d", "e", "f"]]);
    for (const { key } of await one.agent.sessions.list()) keys.add(key);
  }
  expect([...keys].toSorted()).toEqual(chats.map((chat) => `chat:${chat}`));
});

test("SO6 what a process had in hand when it was lost goes on with another, and it stores nothing more", async (t) => {
  const { model, sent, start } = await world(t);
  const first = start();
  model.replies(stalls(), says("answered"));
  await say(first.agent, "1", "hi");
  await model.received(1);
  const session = await first.agent.sessions.find("chat:1");
  const second = start();
  const begun = second.agent.run(t.signal);
  first.node.fail();
  await until(() => sent.length > 0);
  expect(sent).toEqual([{ chat: "1", text: "answered" }]);
  await expect(
    session?.commit({ type: "skill.requested", name: "x", by: { id: "ann", kind: "person" } }),
  ).rejects.toMatchObject({
    code: "session.fenced",
  });
  await second.agent[Symbol.asyncDispose]();
  await begun;
});

test("SO13 of several processes one is at a platform, and another when that one is gone", async (t) => {
  const { platform, start } = await world(t);
  const [one, other] = [start(), start()];
  const [ending, end] = [new AbortController(), new AbortController()];
  const runs = [one.agent.run(ending.signal), other.agent.run(end.signal)];
  await until(() => platform.now === 1);
  ending.abort(new Error("it ends"));
  await until(() => platform.ever === 2 && platform.now === 1);
  expect(platform.most).toBe(1);
  end.abort(new Error("it ends"));
  await Promise.allSettled(runs);
});
