// PE7: guests have budgets of their own, each and together; using them up leaves the operator's day alone.
import type { Budget } from "@margay/core";
import { spendingOf } from "@margay/core/internal";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { running, type Running } from "./running.ts";
import { postSigned } from "./support.ts";

const GUESTS = ["ann", "bob", "cem", "dora", "eve", "fay", "gil"];
const spends = (input: number) => says("a long answer", { usage: { input, output: 500 } });

async function place(budgets: readonly Budget[] = []): Promise<Running> {
  const config = { budgets: budgets.map((budget) => ({ ...budget })) };
  return running({ operators: ["ada"], allowFrom: GUESTS }, { config });
}

let serial = 0;
/** One message in a private chat, and how its turn ended. */
async function write({ app, port }: Running, sender: string): Promise<string | undefined> {
  await postSigned(port, { id: `m${++serial}`, chat: sender, sender, text: "hello" });
  await app.agent.idle();
  const session = await app.agent.sessions.find(`webhook:${sender}`);
  const ends: string[] = [];
  if (session !== undefined)
    for await (const { records } of session.history())
      for (const record of records) if (record.type === "turn.ended") ends.push(record.reason);
  return ends.at(-1);
}

test("PE7 a guest who used up 50,000 tokens of the day is stopped; another guest and the owner go on", async () => {
  const all = await place();
  all.model.replies(spends(48_500), says("hi Bob"), says("hi Ada"));
  expect(await write(all, "ann")).toBe("done");
  expect(await write(all, "ann")).toBe("budget");
  expect(await write(all, "bob")).toBe("done");
  expect(await write(all, "ada")).toBe("done");
  expect(all.model.requests).toHaveLength(3);
  // The journal says whose it was: so it does to the next process.
  const session = await all.app.agent.sessions.find("webhook:ann");
  if (session === undefined) throw new Error("no conversation");
  for await (const { guest } of spendingOf(session.history())) expect(guest).toBe("webhook:ann");
});

test("PE7 all guests together have 300,000: then one who spent nothing is stopped too, and the owner goes on", async () => {
  const all = await place();
  for (const guest of GUESTS.slice(0, 6)) {
    all.model.replies(spends(49_400));
    expect(await write(all, guest)).toBe("done");
  }
  expect(await write(all, "gil")).toBe("budget");
  all.model.replies(says("hi Ada"));
  expect(await write(all, "ada")).toBe("done");
});

test("PE7 what the home says of guests holds in place of that", async () => {
  const all = await place([
    { scope: "guest", tokens: 400_000 },
    { scope: "guests", tokens: 1_000_000 },
  ]);
  all.model.replies(spends(200_000), spends(100_000));
  expect(await write(all, "ann")).toBe("done");
  expect(await write(all, "ann")).toBe("done");
});
