// Who is asked, and what an answer brings: when the clock, the disk or the readers of a chat changed meanwhile.
import { expect, test } from "vitest";
import type { CallId } from "../../src/contract/base.ts";
import type { Agent } from "../../src/contract/agent.ts";
import type { Audience } from "../../src/contract/people.ts";
import type { Session } from "../../src/contract/session.ts";
import { createReleases, type Releases } from "../../src/people/releases.ts";
import { audienceSet } from "../../src/session/set-audience.ts";
import { startAgent, type Started } from "../support/agent.ts";

const BOB = { id: "bob", kind: "person" } as const;
const DAY_MS = 24 * 3_600_000;

interface Asked extends Pick<Started, "clock"> {
  readonly releases: Releases;
  readonly bob: Session;
  /** What went out. */
  readonly sent: readonly string[];
  readonly asks: () => Promise<boolean>;
  readonly allows: () => Promise<boolean>;
  readonly isClosed: () => boolean | undefined;
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
  await bob.commit(...audienceSet(reads));
  const sent: string[] = [];
  const releases = createReleases({
    people: { audienceAt: () => Promise.resolve("carl"), contact: () => Promise.resolve(to), persons: () => [] },
    open,
    send: async (_key, { reply }) => {
      await send();
      sent.push(reply);
    },
    buttons: () => undefined,
    hash: (text) => `${text.length}0123456789`,
    language: () => "en",
    clock,
    log,
    closing: new AbortController().signal,
  });
  return {
    ...{ clock, releases, bob, sent },
    asks: () =>
      releases.ask({
        ...{ id: "r", session: "talk:carl", to: { channel: "talk", chat: "carl" }, reader: "carl", from: "bob" },
        ...{ marks: {}, parts: [{ type: "text", text: "a kite" }], of: [{ of: "bob", sources: [] }] },
      }),
    allows: () => {
      const call = bob.state.releases?.[0]?.code ?? ("" as CallId);
      return releases.answer(bob, "r", { type: "allow", call }, BOB, () => []);
    },
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
