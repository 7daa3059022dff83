// Who is asked, and what an answer brings: when the clock, the disk or the readers of a chat changed meanwhile.
import { expect, test } from "vitest";
import type { CallId } from "../../src/contract/base.ts";
import type { Agent } from "../../src/contract/agent.ts";
import type { Audience } from "../../src/contract/people.ts";
import type { Session } from "../../src/contract/session.ts";
import { createReleases, type Wanted } from "../../src/people/releases.ts";
import { startAgent, type Started } from "../support/agent.ts";

const BOB = { id: "bob", kind: "person" } as const;
const DAY_MS = 24 * 3_600_000;

interface Asked extends Pick<Started, "clock"> {
  readonly bob: Session;
  /** What went out. */
  readonly sent: readonly string[];
  readonly asks: (more?: Partial<Wanted>) => Promise<boolean>;
  readonly allows: (words?: string) => Promise<boolean>;
  readonly isClosed: () => boolean | undefined;
  /** Who reads the chat of Carl from now on. */
  readonly comes: (audience: Audience) => void;
}

/** Bob's chat, in which he is asked whether Carl is told something of his. */
async function chat(
  t: Parameters<typeof startAgent>[0],
  {
    reads = "bob",
    send = () => Promise.resolve(),
  }: { readonly reads?: Audience; readonly send?: () => Promise<void> } = {},
): Promise<Asked> {
  const { agent, clock, log } = await startAgent(t);
  const to = { channel: "talk", chat: "bob" };
  const open: Agent["sessions"]["open"] = (key, origin) => agent.sessions.open(key, origin);
  const bob = await open("talk:bob", to);
  await bob.commit({ type: "audience.set", audience: reads });
  const sent: string[] = [];
  let there: Audience = "carl";
  const releases = createReleases({
    people: { audienceAt: () => Promise.resolve(there), contact: () => Promise.resolve(to), persons: () => [] },
    open,
    send: async (_key, { reply }) => {
      await send();
      sent.push(reply);
    },
    buttons: () => undefined,
    hash: (text) => `${text.length}0123456789`,
    decide: () => Promise.resolve("waits"), // there are no calls here
    language: () => "en",
    clock,
    log,
    closing: new AbortController().signal,
  });
  return {
    ...{ clock, bob, sent },
    asks: async (more = {}) =>
      (await releases.ask({
        ...{ id: "r", session: "talk:carl", to: { channel: "talk", chat: "carl" }, reader: "carl", from: "bob" },
        ...{ marks: {}, parts: [{ type: "text", text: "a kite" }], of: [{ of: "bob", sources: [] }] },
        ...more,
      })) !== undefined,
    allows: (words) => {
      const call = bob.state.releases?.[0]?.code ?? ("" as CallId);
      return releases.answer(bob, "r", { type: "allow", call, ...(words !== undefined && { words }) }, BOB, () => []);
    },
    comes: (audience) => void (there = audience),
    isClosed: () => bob.state.releases?.[0]?.closed,
  };
}

test("PE43 a yes whose text could not be sent yet is carried out as soon as it can be, once, and not at the next start alone", async (t) => {
  let isFull = true;
  const { clock, sent, asks, allows, isClosed } = await chat(t, {
    send: () => (isFull ? Promise.reject(new Error("the disk is full")) : Promise.resolve()),
  });
  expect(await asks()).toBe(true);
  expect(await allows()).toBe(true);
  await clock.advance(60_000);
  expect([sent, isClosed()]).toEqual([[], undefined]);
  isFull = false;
  await clock.advance(60_000);
  await expect.poll(isClosed).toBe(true);
  await clock.advance(600_000);
  expect(sent).toEqual(["r"]);
});

test("PE43 a yes after 24 hours sends nothing, also when the clock has leapt over them and nobody has closed the question", async (t) => {
  const { clock, sent, asks, allows, isClosed } = await chat(t);
  await asks();
  clock.jump(DAY_MS);
  expect(isClosed()).toBeUndefined();
  expect(await allows()).toBe(false);
  expect(sent).toEqual([]);
});

test("PE47 PE43 in a chat that somebody else reads by the time of the question nobody is asked", async (t) => {
  const { bob, asks } = await chat(t, { reads: "guest" });
  expect(await asks()).toBe(false);
  expect([bob.state.releases, bob.state.outbox]).toEqual([undefined, []]);
});

test("PE47 PE43 a yes that could not be carried out sends nothing to who came into the chat meanwhile", async (t) => {
  let isFull = true;
  const { clock, bob, sent, asks, allows, isClosed, comes } = await chat(t, {
    send: () => (isFull ? Promise.reject(new Error("the disk is full")) : Promise.resolve()),
  });
  await asks();
  await allows();
  comes("dora");
  isFull = false;
  await clock.advance(60_000);
  await expect.poll(isClosed).toBe(true);
  expect(sent).toEqual([]);
  expect(bob.state.releases).toMatchObject([{ verdict: "allow" }]);
});

test("PE43 PE44 of a question about which nothing is known a bare yes answers nothing; their own words do", async (t) => {
  const { sent, asks, allows, bob } = await chat(t);
  await asks({ question: "where is the key?", parts: [] });
  expect(await allows()).toBe(false);
  expect(await allows(" ")).toBe(false);
  expect([sent, bob.state.releases?.[0]?.verdict]).toEqual([[], undefined]);
  expect(await allows("under the mat")).toBe(true);
  expect(sent).toEqual(["r"]);
});
