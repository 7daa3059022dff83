// PE8: whoever has used up their share of a day is told once, in one sentence, where they alone read; others go on.
import type { JsonObject } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running, startedAgain } from "./running.ts";
import { postSigned } from "./support.ts";

const DAY_MS = 86_400_000;
const TOLD = "What you may use of me today is used up; I answer again tomorrow.";
/** Room for one question and an answer. */
const SHARE = 20_000;
const spends = says("a long answer", { usage: { input: SHARE, output: 1 } });

async function house(config: JsonObject = {}) {
  let ahead = 0;
  const clock = { ...systemClock(), now: () => Date.now() + ahead };
  const place = await running(
    { operators: ["ada"], allowFrom: ["ann"], groups: "all", chats: { club: {} } },
    {
      config: {
        people: {
          eva: { ids: ["webhook:eva", "webhook:eva2"], tokensPerDay: SHARE },
          bob: { ids: ["webhook:bob"], tokensPerDay: SHARE },
        },
        ...config,
      },
      clock,
    },
  );
  return { place, tomorrow: () => (ahead += DAY_MS), late: () => -Math.floor(ahead / 1000) };
}

let serial = 0;
/** One message. @returns everything that was said to anybody before it was quiet again. */
async function write(
  { app, port, receiver }: Running,
  sender: string,
  { late = 0, ...more }: { readonly late?: number; readonly [field: string]: unknown } = {},
): Promise<readonly unknown[]> {
  const before = receiver.received.length;
  const body = { id: `u${++serial}`, chat: sender, sender, text: "hello", private: true, ...more };
  expect((await postSigned(port, body, { late })).status).toBe(202);
  await app.agent.idle();
  return receiver.received.slice(before).map(({ body: sent }) => [sent["chat"], sent["text"]]);
}

const inGroup = { chat: "club", private: false, group: true };

test("PE8 a member whose day is used up is told once in one sentence, and the next day goes on; others never wait", async () => {
  const { place, tomorrow, late } = await house();
  place.model.replies(spends);
  expect(await write(place, "eva")).toEqual([["eva", "a long answer"]]);
  expect(await write(place, "eva")).toEqual([["eva", TOLD]]);
  expect(await write(place, "eva")).toEqual([]);
  expect(await write(place, "eva2")).toEqual([]); // the same person, who was told
  place.model.replies(says("hi Bob"), says("hi Ada"));
  expect(await write(place, "bob")).toEqual([["bob", "hi Bob"]]);
  expect(await write(place, "ada")).toEqual([["ada", "hi Ada"]]);
  expect(place.model.requests).toHaveLength(3);
  tomorrow();
  place.model.replies(says("good morning"), spends);
  expect(await write(place, "eva", { late: late() })).toEqual([["eva", "good morning"]]);
  expect(await write(place, "eva", { late: late() })).toEqual([["eva", "a long answer"]]);
  expect(await write(place, "eva", { late: late() })).toEqual([["eva", TOLD]]);
  expect(await write(place, "eva", { late: late() })).toEqual([]);
});

test("PE8 who was told is not told again by the next process", async () => {
  const { place: first } = await house();
  first.model.replies(spends);
  await write(first, "eva");
  expect(await write(first, "eva")).toEqual([["eva", TOLD]]);
  const place = await startedAgain(first);
  expect(await write(place, "eva")).toEqual([]);
  expect(await write(place, "eva", { text: "/new" })).toHaveLength(1);
  expect(await write(place, "eva")).toEqual([]);
  const session = await place.app.agent.sessions.find("webhook:eva");
  const ends: unknown[] = [];
  if (session !== undefined)
    for await (const { records } of session.history())
      for (const record of records) if (record.type === "turn.ended") ends.push([record.reason, record.text]);
  // The page shows why nothing was said.
  expect(ends.slice(1)).toEqual([
    ["budget", TOLD],
    ["budget", ""],
    ["budget", ""],
  ]);
});

test("PE8 a guest is told once, of their own share and of that of all guests", async () => {
  const { place } = await house({
    budgets: [
      { scope: "guest", tokens: SHARE },
      { scope: "guests", tokens: 2 * SHARE },
    ],
  });
  place.model.replies(spends);
  await write(place, "ann");
  expect(await write(place, "ann")).toEqual([["ann", TOLD]]);
  expect(await write(place, "ann")).toEqual([]);
  // Another chat of hers is another guest's: the share is each chat's, and so is the sentence.
  place.model.replies(spends);
  await write(place, "ann", { chat: "ann2" });
  expect(await write(place, "ann", { chat: "ann2" })).toEqual([["ann2", TOLD]]);
  expect(await write(place, "ann", { chat: "ann3" })).toContainEqual(["ann3", TOLD]);
});

test("PE8 whose chat it becomes was told nothing yet", async () => {
  const { place } = await house({ budgets: [{ scope: "guest", tokens: SHARE }] });
  const { app } = place;
  place.model.replies(spends);
  await write(place, "ann");
  expect(await write(place, "ann")).toEqual([["ann", TOLD]]);
  const { config } = app.loaded;
  const people = { ...config.people, cara: { role: "member", ids: ["webhook:ann"], tokensPerDay: 1 } } as const;
  app.configure({ ...app.loaded, config: { ...config, people } });
  const said = await write(place, "ann");
  expect(said).toEqual([
    ["ann", expect.stringContaining("Somebody else reads this chat now")],
    ["ann", TOLD],
  ]);
  expect(await write(place, "ann")).toEqual([]);
});

test("PE8 in a group nothing is said of it, and the private chat still is told", async () => {
  const { place } = await house();
  place.model.replies(spends);
  expect(await write(place, "eva", inGroup)).toEqual([["club", "a long answer"]]);
  expect(await write(place, "eva", inGroup)).toEqual([]);
  expect(await write(place, "eva")).toEqual([["eva", TOLD]]);
  place.model.replies(says("hi Bob"));
  expect(await write(place, "bob", inGroup)).toEqual([["club", "hi Bob"]]);
});

test("PE8 the owner's own budget speaks as before, at each message", async () => {
  const { place } = await house({ budgets: [{ scope: "day", tokens: SHARE }] });
  place.model.replies(spends);
  await write(place, "ada");
  for (const _each of [1, 2])
    expect(await write(place, "ada")).toEqual([["ada", expect.stringContaining("raise it in the settings")]]);
});
