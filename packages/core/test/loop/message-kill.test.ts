/** `message` to another chat under kills: before or after any commit of either conversation, life after life. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { messageTool } from "../../src/builtin.ts";
import { safeFiles } from "../../src/internal.ts";
import type { CallId } from "../../src/contract/base.ts";
import type { Provider } from "../../src/index.ts";
import { openBlobs } from "../../src/journal/blobs.ts";
import { keptRecords, live, mortalWorld, numbers, type Life, type MortalWorld } from "../support/dying.ts";

const THERE = "chat:2";

/** Ids of replies by chat, as the platform got them. */
type Sent = [chat: string, reply: string][];

for (const when of ["before", "after"] as const)
  test(`PE89 killed ${when} each commit, the message is one row and one reply in the other chat, which has no conversation yet, and opens no turn`, async () => {
    for (let commit = 1; ; commit += 1) {
      const { world, life, sent } = begin();
      if (!(await live(world, life, { commit, when }))) break;
      await live(world, life);
      await check(world, sent, `${when} ${commit}`);
    }
  });

test("PE89 killed fifty times at random, in up to three lives in a row, it is the same count", async () => {
  const random = numbers(89);
  let kills = 0;
  for (let story = 1; kills < 50; story += 1) {
    const { world, life, sent } = begin();
    for (let n = 0; n < 3; n += 1) {
      const when = random() < 0.5 ? "before" : "after";
      if (await live(world, life, { commit: 1 + Math.floor(random() * 12), when })) kills += 1;
    }
    await live(world, life);
    await check(world, sent, `story ${story}`);
  }
});

async function check(world: MortalWorld, sent: Sent, label: string): Promise<void> {
  const there = await keptRecords(world.journals, world.clock, THERE);
  const posted = there.filter(({ type }) => type === "message.posted");
  expect(posted, label).toMatchObject([{ text: "Shall I book the table?", from: { kind: "agent" } }]);
  expect(there.filter(({ type }) => type === "reply.queued").length, label).toBe(1);
  expect(there.filter(({ type }) => type === "turn.started").length, label).toBe(0);
  // At least once from the outbox: the platform's key tells.
  const to = (chat: string): number => new Set(sent.flatMap(([at, reply]) => (at === chat ? [reply] : []))).size;
  expect([to("1"), to("2")], label).toEqual([1, 1]);
}

function begin(): { readonly world: MortalWorld; readonly life: Life; readonly sent: Sent } {
  const world = mortalWorld();
  const sent: Sent = [];
  const life: Life = {
    provider: ASKS_THE_OTHER,
    text: "ask the other chat",
    isContact: (channel, chat) => channel === "chat" && chat === "2",
    tools: (agent) => [
      messageTool({
        send: (request) => agent().queue(request),
        blobs: openBlobs(join(world.home, "blobs")),
        files: safeFiles({ root: join(world.home, "workspace"), restrict: true, protect: [] }),
      }),
    ],
    sent: ({ to, reply }) => sent.push([to.chat, reply.split("#")[0] ?? ""]),
  };
  return { world, life, sent };
}

/** A call of `message`, and after its result a text. */
const ASKS_THE_OTHER: Provider = {
  id: "test",
  stream: async function* ({ messages }) {
    await Promise.resolve();
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
    if (messages.some(({ role }) => role === "tool")) {
      yield { type: "part", index: 0, part: { type: "text", text: "Asked them." } };
      yield { type: "done", finish: "stop", usage };
      return;
    }
    const input = { content: "Shall I book the table?", chat_id: "2" };
    yield { type: "part", index: 0, part: { type: "tool-call", callId: "c1" as CallId, name: "message", input } };
    yield { type: "done", finish: "tool-calls", usage };
  },
};
