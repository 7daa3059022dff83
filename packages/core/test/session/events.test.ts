// The event stream of a session: what every client shows is made of it.
import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/index.ts";
import type { Journals, Seq } from "../../src/internal.ts";
import { openSessions, RuntimeError } from "../../src/index.ts";
import { openJournalDirectory } from "../../src/internal.ts";
import { eachCommit } from "../support/each-commit.ts";
import { callsTool, fails, fakeClock, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, eventsOf, startAgent, tool } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";

const isDurable = (event: AgentEvent): event is AgentEvent & { readonly seq: Seq } => "seq" in event;

test("R272 durable events have a seq, live ones have none; any seq replays what follows, without gap or duplicate, and goes on", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("note")] });
  model.replies(callsTool("note", {}, { text: "Looking." }), says("Found it."), says("Again."));
  const turn = await eventsOf(agent.send(CHAT, "look"));
  expect(turn.some((event) => event.type === "text.delta" && !isDurable(event))).toBe(true);
  const session = (await agent.sessions.find(CHAT))!;
  const end = session.state.seq;
  const all = await upTo(session.events(0 as Seq, t.signal), end);
  expect(all.every(isDurable)).toBe(true);
  for (let after = 0; after < end; after++)
    expect(await upTo(session.events(after as Seq, t.signal), end)).toEqual(
      all.filter((event) => isDurable(event) && event.seq > after),
    );
  const reading = new AbortController();
  const rest: AgentEvent[] = [];
  const follow = (async () => {
    for await (const event of session.events(end, reading.signal)) {
      rest.push(event);
      if (event.type === "turn.ended") break;
    }
  })();
  await agent.send(CHAT, "again").finished;
  await follow;
  const seqs = rest.filter(isDurable).map(({ seq }) => seq);
  expect(seqs[0]).toBe(end + 1);
  expect(new Set(seqs).size).toBe(seqs.at(-1)! - end);
  expect(rest.some((event) => event.type === "text.delta" && event.text.length > 0)).toBe(true);
});

test("DF1 a journal that cannot be opened is a fault of the disk until it can", async () => {
  await using folder = await temporaryFolder();
  const disk = openJournalDirectory(folder.at("sessions"));
  let broken = true;
  const open: Journals["open"] = (id) => {
    if (broken) throw new RuntimeError("journal.failed", "The disk is gone. Bring it back.");
    return disk.open(id);
  };
  await using sessions = openSessions({ journals: { ...disk, open }, clock: fakeClock() });
  const opening = () => sessions.open(CHAT, { channel: "test", chat: "1" });
  await expect(opening()).rejects.toMatchObject({ code: "journal.failed" });
  expect(sessions.fault?.()).toMatchObject({ code: "journal.failed" });
  broken = false;
  await opening();
  expect(sessions.fault?.()).toBeUndefined();
});

test("R273 nothing is published when the disk fails: neither to listeners nor to streams nor in the state kept", async (t) => {
  await using folder = await temporaryFolder();
  const journals = openJournalDirectory(folder.at("sessions"));
  let broken = false;
  const failing = eachCommit(journals, (_commit, store) =>
    broken ? Promise.reject(new RuntimeError("journal.failed", "No space is left.")) : store(),
  );
  await using sessions = openSessions({ journals: failing, clock: fakeClock() });
  const session = await sessions.open(CHAT, { channel: "test", chat: "1" });
  const heard: AgentEvent[] = [];
  session.subscribe((event) => heard.push(event));
  const before = session.state.seq;
  broken = true;
  await expect(
    session.commit({ type: "command.handled", key: "k", text: "/help", by: { id: "p", kind: "person" } }),
  ).rejects.toMatchObject({ code: "journal.failed" });
  expect(heard).toEqual([]);
  expect(session.state.seq).toBe(before);
  broken = false;
  await expect(
    session.commit({ type: "command.handled", key: "l", text: "/help", by: { id: "p", kind: "person" } }),
  ).rejects.toMatchObject({ code: "journal.failed" });
  await using again = openSessions({ journals, clock: fakeClock() });
  const reopened = (await again.find(CHAT))!;
  expect(reopened.state.seq).toBe(before);
  expect(await upTo(reopened.events(0 as Seq, t.signal), before)).toHaveLength(1);
});

test("R275 a reader that leaves at any event does not end the turn; only stop does", async (t) => {
  const { agent, model } = await startAgent(t, { tools: [tool("note")] });
  model.route(() => true, callsTool("note", { n: 0 }), says("Done."));
  const length = (await eventsOf(agent.send("test:whole", "go"))).length;
  expect(length).toBeGreaterThan(5);
  for (let leave = 1; leave <= length; leave++) {
    const key = `test:${leave}`;
    model.route(
      (request) => request.texts("user").some((text) => text.includes(`go ${leave}.`)),
      callsTool("note", { n: leave }),
      says("Done."),
    );
    const session = await agent.sessions.open(key, { channel: "test", chat: String(leave) });
    const reading = new AbortController();
    const left = (async () => {
      let seen = 0;
      for await (const _ of session.events(0 as Seq, reading.signal)) if (++seen === leave) break;
    })();
    expect((await agent.send(key, `go ${leave}.`).finished).reason).toBe("done");
    reading.abort(new Error("gone"));
    await left.catch(() => {}); // it may have been waiting for an event that never came
  }
});

test("R276 turn.ended is the last event of a turn, once, whether it was answered, failed, stopped or cut", async (t) => {
  const { agent, model } = await startAgent(t, {
    tools: [tool("note")],
    settings: { maxIterations: 1, requestAttempts: 1 },
  });
  const ended = async (key: string, text: string): Promise<readonly [string | undefined, number]> => {
    const events = await eventsOf(agent.send(key, text));
    const own = events.filter(({ type }) => !type.startsWith("reply."));
    const last = own.at(-1);
    return [
      last?.type === "turn.ended" ? last.reason : last?.type,
      own.filter(({ type }) => type === "turn.ended").length,
    ];
  };
  model.replies(says("ok"));
  expect(await ended("test:done", "a")).toEqual(["done", 1]);
  model.replies(fails(401));
  expect(await ended("test:failed", "b")).toEqual(["failed", 1]);
  model.replies(callsTool("note"));
  expect(await ended("test:limit", "c")).toEqual(["limit", 1]);
  model.replies(stalls({ after: "Half" }));
  const stopping = ended("test:stopped", "d");
  await model.received(4);
  await agent.control("test:stopped", { type: "stop", withdraw: true }, { id: "p", kind: "person" });
  expect(await stopping).toEqual(["cancelled", 1]);
});

async function upTo(events: AsyncIterable<AgentEvent>, seq: number): Promise<readonly AgentEvent[]> {
  const read: AgentEvent[] = [];
  const all = events[Symbol.asyncIterator]();
  // A commit may hold several events: as many as the journal has up to that seq.
  for (;;) {
    const next = await Promise.race([all.next(), settled()]);
    if (next === undefined || next.done === true) break;
    if ("seq" in next.value && next.value.seq > seq) break;
    read.push(next.value);
  }
  await Promise.race([all.return?.(undefined), settled()]);
  return read;
}

/** After everything that is ready now. */
async function settled(): Promise<undefined> {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
  return undefined;
}
