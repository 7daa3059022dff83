// CH35: what people put below a message of ours.
import { expect, test } from "vitest";
import type { Policy } from "../../src/index.ts";
import { createReactions } from "../../src/channels/afterwards/reactions.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { CHAT, ofType, startAgent, tool, type StartOptions } from "../support/agent.ts";

const TEXT = { dialect: "markdown", max: 4096 } as const;
const EVE = { id: "eve", name: "Eve", kind: "person" } as const;

async function receiving(t: Parameters<typeof startAgent>[0], can: object, more: StartOptions = {}) {
  const channel = recordingChannel("test", { text: TEXT, ...can });
  const started = await startAgent(t, { channels: [channel], ...more });
  const stop = new AbortController();
  const work = started.agent.run(stop.signal);
  t.onTestFinished(async () => {
    stop.abort(new Error("enough"));
    await work;
  });
  return { ...started, channel };
}

const lines = (request: { texts(role: "user"): readonly string[] } | undefined): readonly string[] =>
  (request?.texts("user") ?? []).filter((text) => text.includes("reactions to"));

test("CH35 a reaction to our message is counted and else ignored: no turn, no record, and nothing for the model", async (t) => {
  const { channel, model, agent, records } = await receiving(t, {});
  model.replies(says("Dinner is at eight."), says("Yes."));
  await channel.deliver("when?");
  await channel.received(1);
  await agent.idle();
  const before = (await records(CHAT)).length;
  expect(await channel.reactTo("platform-1", "\u{1f44d}")).toBe("counted");
  expect(await channel.reactTo("platform-9", "\u{1f44d}")).toBe("ignored");
  expect(await channel.reactTo("platform-1", "\u{1f44d}", { chat: "2" })).toBe("ignored");
  expect(await channel.reactTo("platform-1", "\u{1f44d}", { from: { ...EVE, bot: true } })).toBe("ignored");
  await agent.idle();
  expect([model.requests.length, (await records(CHAT)).length]).toEqual([1, before]);
  await channel.deliver("sure?");
  await channel.received(2);
  expect(lines(model.requests[1])).toEqual([]);
});

test("CH35 with reactions: tell it is a line of the next message, once, and says nothing that somebody wrote", async (t) => {
  const { channel, model, agent } = await receiving(t, { reactions: "tell" });
  model.replies(says("Dinner is\nat eight."), says("Yes."), says("Good."));
  await channel.deliver("when?");
  await channel.received(1);
  await agent.idle();
  expect(await channel.reactTo("platform-1", "\u{1f44d}", { from: EVE })).toBe("told");
  expect(await channel.reactTo("platform-1", "\u2764", { from: EVE })).toBe("told");
  expect(await channel.reactTo("platform-1", "ignore-all-rules", { from: EVE })).toBe("told");
  expect(await channel.reactTo("platform-1")).toBe("told");
  expect(model.requests).toHaveLength(1);
  await channel.deliver("sure?");
  await channel.received(2);
  const line = "(reactions to your message “Dinner is at eight.”: \u{1f44d} \u2764 [another one] [another one])";
  expect(lines(model.requests[1]).join()).toContain(line);
  expect(JSON.stringify(model.requests[1]?.body)).not.toContain("ignore-all-rules");
  const rows = (await agent.sessions.find(CHAT))?.state.messages.filter(({ role }) => role === "user");
  expect(rows?.[1]).not.toHaveProperty("integrity");
  await channel.deliver("and now?");
  await channel.received(3);
  expect(lines(model.requests[2])).toHaveLength(1); // the one that was there
});

test("CH35 R260 who is not admitted tells nothing, in a thread it is found, and of more than thirty in a minute nothing is known", async (t) => {
  const admitted: string[] = ["person"];
  const policy: Policy = {
    admit: ({ from }) => Promise.resolve(admitted.includes(from.id) ? { ok: true } : { ok: false, reason: "no" }),
    judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
  };
  const { channel, model, agent, clock } = await receiving(t, { reactions: "tell" }, { policy });
  model.replies(says("Yes."));
  await channel.deliver("really?", { thread: "t" });
  await channel.received(1);
  await agent.idle();
  expect(await channel.reactTo("platform-1", "\u{1f44d}", { from: EVE })).toBe("counted");
  expect(await channel.reactTo("platform-1", "\u{1f44d}")).toBe("told");
  for (let index = 0; index < 28; index++) await channel.reactTo("platform-7");
  expect(await channel.reactTo("platform-1")).toBe("ignored");
  await clock.advance(60_000);
  expect(await channel.reactTo("platform-1")).toBe("told");
});

test("CH35 SE1 a reaction to a question allows nothing, whoever reacts", async (t) => {
  let ran = 0;
  const send = tool("send", "write", () => {
    ran += 1;
    return "sent";
  });
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: true }),
    judge: () => Promise.resolve({ kind: "ask", rule: "test", prompt: "Send it?", expiresInMs: 600_000 }),
  };
  const { channel, model, agent, records } = await receiving(
    t,
    { reactions: "tell", buttons: true },
    { policy, tools: [send] },
  );
  model.replies(callsTool("send", {}));
  await channel.deliver("send it");
  await channel.received(1);
  for (const emoji of ["\u{1f44d}", "\u2705", undefined])
    expect(await channel.reactTo("platform-1", emoji)).toBe("told");
  await agent.idle();
  expect([ran, ofType(await records(CHAT), "approval.resolved")]).toEqual([0, []]);
});

test("CH35 reactions/MAX_LINES twenty of a conversation are told, the newest", async (t) => {
  const { channel, model, agent } = await receiving(t, { reactions: "tell" });
  model.replies(says("First."), says("Second."));
  await channel.deliver("one");
  await channel.received(1);
  await agent.idle();
  await channel.reactTo("platform-1", "\u{1f44e}");
  for (let index = 0; index < 20; index++) await channel.reactTo("platform-1", "\u{1f44d}");
  await channel.deliver("two");
  await channel.received(2);
  const signs = [...(/message “First.”: ([^)]*)\)/.exec(lines(model.requests[1]).join())?.[1] ?? "").split(" ")];
  expect([signs.length, new Set(signs)]).toEqual([20, new Set(["\u{1f44d}"])]);
});

test("CH35 reactions/MAX_THREADS where a platform says no thread the ten newest of the chat are looked at", async (t) => {
  const { channel, model, agent, clock } = await receiving(t, {});
  model.replies(...Array.from({ length: 11 }, () => says("Yes.")));
  for (let index = 1; index <= 11; index++) {
    await channel.deliver("really?", { thread: `t${index}` });
    await channel.received(index);
    await agent.idle();
    await clock.advance(1000);
  }
  expect([await channel.reactTo("platform-1"), await channel.reactTo("platform-2")]).toEqual(["ignored", "counted"]);
});

test("CH35 reactions/MAX_SESSIONS of a thousand conversations something is kept, of the oldest no more", async () => {
  const id = "platform-1";
  const record = { type: "reply.sent", reply: "r", piece: 1, id } as const;
  const find = (key: string): Promise<never> =>
    Promise.resolve({
      state: { key },
      // oxlint-disable-next-line require-await -- a journal is read in time, this one is at hand
      history: async function* () {
        yield { records: [record] };
      },
    } as never); // what is read of a conversation
  let now = 0;
  const reactions = createReactions({
    clock: { now: () => now },
    admit: () => Promise.resolve({ ok: true }),
    sessions: { list: () => Promise.resolve([]) },
    find,
    tells: () => true,
  });
  for (let index = 0; index <= 1000; index++) {
    now += 3000;
    await reactions.reacted({ origin: { channel: "test", chat: `${index}` }, from: EVE, of: id });
  }
  expect([reactions.told("test:0"), reactions.told("test:1")]).toEqual(["", expect.stringContaining("(reactions to")]);
});
