import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { writeSession } from "./journals.ts";
import { keptMs, stretchesOf } from "./stretch.ts";
import { startGateway } from "./support.ts";

/** Milliseconds of this thread: other programs take none of them. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

test("10,000 messages: a page of 50 is quick, cold and warm, keeps nothing up, and the next turn begins at once", async (t) => {
  let id = "";
  const gateway = await startGateway(t, {
    prepare: ({ home }) => {
      writeSession(home, { key: "web:short", turns: 300 });
      id = writeSession(home, {
        key: "web:long",
        turns: 5_000,
        answer: (turn) => `Answer ${turn}: ${"word ".repeat(40)}`,
      });
    },
  });
  const { items } = (await gateway.api("/sessions")).body; // the list has been read: what follows is the page
  const short = items.find(({ key }: { key: string }) => key === "web:short").id as string;
  const page = async (session: string): Promise<void> => {
    expect((await gateway.api(`/sessions/${session}/messages?limit=50`)).body.items).toHaveLength(50);
  };
  const say = async (session: string): Promise<void> => {
    gateway.model.replies(says("Still here."));
    const body = { parts: [{ type: "text", text: "and now?" }] };
    expect((await gateway.api(`/sessions/${session}/messages`, { method: "POST", body })).status).toBe(202);
    await gateway.app.agent.idle();
  };
  await page(short);
  await say(short); // V8 has compiled what follows
  let cold = 0;
  const { longestMs } = await stretchesOf(async () => {
    cold = await cpuOf(() => page(id));
  });
  const slower = keptMs() / 40; // of a machine that others work on
  expect(longestMs).toBeLessThan(keptMs());
  expect(cold).toBeLessThan(300 * slower);
  const warm: number[] = [];
  for (let n = 0; n < 12; n++) warm.push(await cpuOf(() => page(id)));
  expect(warm.toSorted((a, b) => a - b)[6]).toBeLessThan(50 * slower);
  // Its journal is read, folded and asked about: some 30,000 commits.
  expect(await cpuOf(() => say(id))).toBeLessThan(1500 * slower);
  expect(await cpuOf(() => say(id))).toBeLessThan(300 * slower);
}, 60_000);
