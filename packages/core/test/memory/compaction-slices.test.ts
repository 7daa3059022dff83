// A long history is compacted beside everything else that the process does: nothing waits for more than a slice of it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { cutByRows, cutByTokens, measure } from "../../src/memory/cut.ts";
import { createTokenCounter } from "../../src/context/tokens.ts";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import type { Message } from "../../src/contract/message.ts";
import { DEFAULT_SETTINGS } from "../../src/loop/settings.ts";
import { endOfTick } from "../../src/machine/files/files.ts";
import { keptRows } from "../../src/session/kept-rows.ts";
import { emptyState, reduce } from "../../src/session/reduce.ts";
import { says } from "../../src/testing.ts";
import { CHAT, ofType, startAgent } from "../support/agent.ts";
import { importRows } from "../support/memory-agent.ts";

/** Milliseconds of processor time that this thread took: other work on the machine is not counted. */
function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The longest time between two turns of the event loop while something went on. */
async function longestSlice(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = worked();
  let done = false;
  const turn = (): void => {
    const now = worked();
    longest = Math.max(longest, now - last);
    last = now;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  done = true;
  return longest;
}

const ROWS = 16_000;
const TEXT =
  " about topics and green tea, 第三条记录, which was bought on the way (see the notes), and what came of it.";

test.for([
  ["kept", "its first turn"],
  ["kept", "a later turn"],
  ["none", "its first turn"],
  ["none", "a later turn"],
] as const)("compaction of a long imported history holds nobody up (memory %s, in %s)", async ([memory, when], t) => {
  const keepsMemory = memory === "kept";
  const settings = { contextWindow: 30_000, ...(!keepsMemory && { memoryWindow: 10 * ROWS }) };
  const started = await startAgent(t, { keepsMemory, settings });
  started.model.replies(...Array.from({ length: 6 }, () => says("ok")));
  if (when === "a later turn") await started.agent.send(CHAT, "hello").finished;
  await importRows(started, ROWS, 0, TEXT);
  const { messages } = (await started.agent.sessions.open(CHAT, { channel: "test", chat: "1" })).state;
  // What it takes to count all of it at once, as was done before: of three, since the first is compiled meanwhile.
  const atOnce = Array.from({ length: 3 }, () => {
    const before = worked();
    createTokenCounter().request(undefined, messages, 1);
    return worked() - before;
  });
  const longest = await longestSlice(() => started.agent.send(CHAT, "and now?").finished);
  expect(ofType(await started.records(), "history.compacted").at(-1)?.rows).toBeGreaterThan(0);
  expect((await started.agent.sessions.find(CHAT))?.state.messages.length).toBeLessThan(ROWS / 2);
  expect(longest / Math.min(...atOnce)).toBeLessThan(0.8); // counted in one slice it takes that once, and more; a collection of garbage is in it
});

const PERSON = { role: "user", id: "m", at: 0, from: { id: "u", kind: "person" } } as const;
const text = fc.string({ maxLength: 60 });
const message = fc.oneof(
  text.map((said): Message => ({ ...PERSON, parts: [{ type: "text", text: said }] })),
  text.map((said): Message => ({ role: "notice", at: 0, kind: "runtime", text: said })),
  text.map((said): Message => ({
    ...{ role: "assistant", at: 0, model: { provider: "p", model: "m" }, finish: "stop" },
    ...{ parts: [{ type: "text", text: said }], usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
  })),
  text.map((said): Message => ({
    ...{ role: "tool", at: 0, callId: "c" as CallId, name: "exec", status: "ok" },
    parts: [{ type: "text", text: said.repeat(20) }],
  })),
);

test("what is kept is as large as was added up for that place, in whichever form it is kept", async () => {
  const counter = createTokenCounter();
  const settings = { ...DEFAULT_SETTINGS, toolResultChars: 100, memoryWindow: 8 };
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 40 }), fc.nat(400), async (messages, target) => {
      const imported = { type: "history.imported", messages, rows: messages.length, consolidated: 0 } as const;
      const state = reduce(emptyState("s-1" as SessionId), imported, 0);
      const measured = await measure(messages, settings, counter, endOfTick);
      const size = (kept: readonly Message[]): number => counter.request(undefined, [...kept], 1);
      for (const cut of [cutByTokens, cutByRows]) {
        const added: number[] = [];
        const { gone, kept: named } = cut(state, settings, measured, (tokens) => {
          added.push(tokens);
          return tokens <= target;
        });
        const kept = keptRows(messages, named);
        expect(gone.length + kept.length).toBe(messages.length);
        const nothingFits = added.every((tokens) => tokens > target);
        expect(nothingFits || (added.includes(size(kept)) && size(kept) <= target)).toBe(true);
      }
    }),
    { seed: 7 },
  );
});

test("one message that is too long to be counted at once is counted in pieces", async () => {
  const counter = createTokenCounter();
  const long: Message = { ...PERSON, parts: [{ type: "text", text: TEXT.repeat(2000) }] };
  let turns = 0;
  await counter.ahead([long], async () => {
    turns += 1;
    await endOfTick();
  });
  expect(turns).toBeGreaterThan((TEXT.length * 2000) / 40_000);
  const known = counter.message(long);
  expect(Math.abs(known / createTokenCounter().message(long) - 1)).toBeLessThan(0.01);
});
