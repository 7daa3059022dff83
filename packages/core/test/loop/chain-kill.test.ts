/** A model that never has enough of subagents, under kills: before or after any commit of the parent or a child. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { spawnTool } from "../../src/builtin.ts";
import type { CallId } from "../../src/contract/base.ts";
import type { Provider } from "../../src/index.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { keptRecords, live, mortalWorld, numbers, type Life, type MortalWorld } from "../support/dying.ts";
import { realChildren } from "../support/real-context.ts";

test("PE80 killed fifty times at random, in up to five lives in a row, it is six turns and seven messages", async () => {
  const random = numbers(80);
  let kills = 0;
  for (let story = 1; kills < 50; story += 1) {
    const world = mortalWorld();
    /** By reply id: what arrived again has the same. */
    const sent = new Map<string, string>();
    const life = spawning(world, sent);
    for (let n = 0; n < 5; n += 1) {
      const when = random() < 0.5 ? "before" : "after";
      if (await live(world, life, { commit: 1 + Math.floor(random() * 40), when })) kills += 1;
    }
    await live(world, life);
    const records = await keptRecords(world.journals, world.clock, "chat:1");
    expect(records.filter(({ type }) => type === "turn.started").length, `story ${story}`).toBe(6);
    expect([...sent.values()], `story ${story}`).toEqual([
      ...Array.from({ length: 6 }, () => "on it"),
      expect.stringContaining("answer to go on"),
    ]);
  }
});

function spawning({ home, clock }: MortalWorld, sent: Map<string, string>): Life {
  return {
    provider: INSATIABLE,
    text: "go",
    tools: (agent) => [spawnTool((request) => agent().spawn(request))],
    subagents: realChildren(createRegistry([]), { workspace: join(home, "workspace"), clock }),
    sent: ({ kind, reply, parts }) => {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      if (kind !== "progress") sent.set(reply, text);
    },
  };
}

/** A child says that it is done; the parent answers each result with another child. */
const INSATIABLE: Provider = {
  id: "test",
  stream: async function* ({ id, messages, prefix }) {
    await Promise.resolve();
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
    const isChild = prefix.tools.length === 0;
    if (isChild || messages.at(-1)?.role === "tool") {
      yield { type: "part", index: 0, part: { type: "text", text: isChild ? "CHILD is done" : "on it" } };
      yield { type: "done", finish: "stop", usage };
      return;
    }
    const callId = `c-${id}` as CallId;
    yield { type: "part", index: 0, part: { type: "tool-call", callId, name: "spawn", input: { task: "more" } } };
    yield { type: "done", finish: "tool-calls", usage };
  },
};
