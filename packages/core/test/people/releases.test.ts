// What somebody else would be told, below buttons: who may press, what the message says afterwards; and the bounds of it all.
import { expect, onTestFinished, test } from "vitest";
import { messageTool } from "../../src/builtin/message.ts";
import type { Agent } from "../../src/contract/agent.ts";
import type { CallId, SessionId } from "../../src/contract/base.ts";
import type { Release } from "../../src/contract/grant.ts";
import type { AssistantMessage, ToolCallPart } from "../../src/contract/message.ts";
import type { PeopleOptions } from "../../src/contract/room.ts";
import type { AskedRelease } from "../../src/contract/session.ts";
import { answeredRelease, askedRelease, closedRelease } from "../../src/lib/approval-choices.ts";
import { NO_USAGE } from "../../src/lib/usage.ts";
import { safeFiles } from "../../src/machine/files/safe-files.ts";
import { type LookUp, lookUp } from "../../src/people/look-up.ts";
import { askedInOrder, type Members } from "../../src/people/readers.ts";
import { codeOf } from "../../src/people/release-code.ts";
import { sourcesOf } from "../../src/people/sources.ts";
import { asCopy, isSettled } from "../../src/session/left-to-do.ts";
import { emptyState } from "../../src/session/reduce.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { startAgent } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

const MEMBERS: Members = { roleOf: () => "member", isIn: () => false };

test("PE91 PE93 PE94 a question on a platform with buttons: only its owner presses, once; the message says what became of it", async () => {
  const channel = recordingChannel("talk", { buttons: true, edit: true });
  const named: Agent[] = [];
  const agentNow = (): Agent => named[0] ?? started.agent;
  const tools = createRegistry([
    messageTool({
      send: (message) => agentNow().queue(message),
      files: safeFiles({ root: "/", restrict: true, protect: [] }),
      blobs: undefined as never,
    }), // no files are sent
  ]);
  const people: PeopleOptions = {
    speaker: ({ id }) => (id === "ada" ? { role: "operator" } : { role: "member", audience: id, name: id }),
    room: () => ({ tools, context: realContext(tools) }),
    group: () => undefined,
    join: () => true,
    roleOf: () => "member",
    isIn: () => false,
    isAlone: () => false,
    persons: () => ["eva", "bob", "carl"].map((person) => ({ person, name: person })),
    contact: (person) => Promise.resolve({ channel: "talk", chat: person }),
    usualAt: () => undefined,
    audienceAt: async ({ chat }) => (await agentNow().sessions.find(`talk:${chat}`))?.state.audience,
  };
  const started = await startAgent({ onTestFinished }, { people, tools, channels: [channel] });
  const { agent, model } = started;
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  onTestFinished(async () => {
    stop.abort(new Error("enough"));
    await work;
  });
  let key = 0;
  const writes = async (id: string, text: string): Promise<void> => {
    const origin = { channel: "talk", chat: id };
    const from = { id, kind: "person" } as const;
    await agent.bus.accept({ key: `${++key}`, origin, from, parts: [{ type: "text", text }], chat: "private" });
    await agent.idle();
  };
  for (const id of ["eva", "bob", "carl"]) {
    model.replies(says("hello"));
    await writes(id, "hi");
  }
  for (const [id, chat_id] of [
    ["eva", "bob"],
    ["bob", "carl"],
  ] as const) {
    model.replies(callsTool("message", { channel: "talk", chat_id, content: "a kite" }), says("did it"));
    await writes(id, `tell ${chat_id}`);
  }
  const shown = channel.sent.findLast(({ actions }) => actions !== undefined);
  expect(shown).toMatchObject({ to: { chat: "bob" }, kind: "approval" });
  const token = shown?.actions?.find(({ style }) => style === "allow")?.token ?? "";
  const press = (id: string, chat: string): ReturnType<typeof channel.press> =>
    channel.press(token, { key: `p${++key}`, chat, from: { id, kind: "person" } });
  for (const [id, chat] of [
    ["eva", "bob"],
    ["ada", "bob"],
    ["carl", "carl"],
  ] as const)
    expect((await press(id, chat)).status).not.toBe("done");
  expect(channel.sent.some(({ to, kind }) => to.chat === "eva" && kind === "approval")).toBe(false);
  expect((await press("bob", "bob")).status).toBe("done");
  expect((await press("bob", "bob")).status).toBe("already");
  await agent.idle();
  expect(channel.edits.at(-1)?.message.parts).toMatchObject([
    { text: expect.stringMatching(/Allowed once by bob, \d\d:\d\d\.$/) },
  ]);
  // Then Eva: her no ends it.
  const next = channel.sent.findLast(({ to, actions }) => to.chat === "eva" && actions !== undefined);
  const no = next?.actions?.find(({ style }) => style === "deny")?.token ?? "";
  expect(await channel.press(no, { key: "no", chat: "eva", from: { id: "eva", kind: "person" } })).toMatchObject({
    status: "done",
  });
  await agent.idle();
  expect(channel.texts("message")).toEqual(["a kite"]);
});

const RELEASE: Release = {
  ...{
    id: "r",
    of: "eva",
    sources: [],
    next: [],
    code: "AAAA" as CallId,
    hash: "h",
    expiresAt: 1,
    session: "talk:carl",
  },
  ...{ to: { channel: "talk", chat: "carl" }, reader: "carl", parts: [], marks: {}, from: "bob" },
};

test("PE43 PE97 lib/approval-choices/MAX_RELEASES lib/approval-choices/MAX_WAITING the last 50 that are over are kept, and the last 200 that wait; the first answer of each counts", () => {
  const of = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, n) => `r${from + n}`);
  let all: readonly AskedRelease[] = [];
  const ask = (n: number): void => {
    all = askedRelease(all, { type: "release.asked", ...RELEASE, id: `r${n}` }, n);
  };
  for (let n = 0; n < 201; n++) ask(n);
  expect(all.map(({ id }) => id)).toEqual(of(1, 201));
  const answer = { type: "release.answered", release: "r1", hash: "h", by: "eva" } as const;
  all = answeredRelease(all, { ...answer, verdict: "deny" });
  all = answeredRelease(all, { ...answer, verdict: "allow" });
  expect(all[0]).toMatchObject({ verdict: "deny" });
  all = closedRelease(all, { type: "release.closed", release: "r2", because: "over" });
  all = answeredRelease(all, { ...answer, release: "r2", verdict: "allow" });
  expect(all[1]).not.toHaveProperty("verdict");
  for (let n = 3; n < 60; n++) all = closedRelease(all, { type: "release.closed", release: `r${n}`, because: "over" });
  ask(201);
  expect(all.map(({ id }) => id)).toEqual(of(10, 202));
});

test("PE43 a conversation with an open question is looked at by the next process; a fork of it asks nothing", () => {
  const state = { ...emptyState("s" as SessionId), releases: [{ ...RELEASE, askedAt: 0 }] };
  expect(isSettled(state)).toBe(false);
  expect(isSettled({ ...state, releases: [{ ...RELEASE, askedAt: 0, verdict: "allow" }] })).toBe(false);
  expect(isSettled({ ...state, releases: [{ ...RELEASE, askedAt: 0, verdict: "deny" }] })).toBe(true);
  expect(isSettled({ ...state, releases: [{ ...RELEASE, askedAt: 0, verdict: "allow", closed: true }] })).toBe(true);
  expect(asCopy(state)).not.toHaveProperty("releases");
});

test("PE92 PE43 a code is four letters that nobody mixes up, and no other that waits there", () => {
  const hash = "0123456789abcdef".repeat(4);
  const codes: CallId[] = [];
  for (let n = 0; n < 12; n++)
    codes.push(
      codeOf(
        hash,
        codes.map((code) => ({ ...RELEASE, code, askedAt: 0 })),
      ),
    );
  expect(new Set(codes).size).toBe(12);
  for (const code of codes) expect(code).toMatch(/^[2-9A-HJKMNP-Z]{4}$/);
});

test.for([
  // What it needs, who reads, who let theirs go already; whose word it needs then, in order.
  [[["bob", "bob"]], "carl", ["bob"], []],
  [[["bob", "bob"]], "carl", [], ["bob"]],
  [
    [
      ["bob", "bob"],
      ["bob+eva", "eva"],
    ],
    "carl",
    ["bob"],
    ["eva"],
  ],
  [
    [
      ["bob", "bob"],
      ["bob+eva", "eva"],
    ],
    "carl",
    [],
    ["bob", "eva"],
  ], // she does not see his before he lets it go
  [
    [
      ["bob", "bob"],
      ["bob+eva", "eva"],
    ],
    "eva",
    [],
    ["bob"],
  ],
  [
    [
      ["bob+eva", "eva"],
      ["bob+dora", "dora"],
    ],
    "carl",
    ["bob"],
    undefined,
  ], // neither may see the other's first
  [
    [
      ["bob+carl", "dora"],
      ["bob+eva", "eva"],
    ],
    "carl",
    ["bob"],
    undefined,
  ], // she would see what is not hers
  [[["", "owner"]], "carl", ["bob"], undefined],
] as const)("PE43 PE46 of %j for %s, with %j let go, these are asked: %j", ([sets, reader, agreed, expected]) => {
  const all = sets.map(([to, by]) => ({ to: to === "" ? [] : to.split("+"), by }));
  expect(askedInOrder(all, reader, agreed, MEMBERS)).toEqual(expected);
});

const look = (calls: number): readonly ToolCallPart[] =>
  Array.from({ length: calls }, (_, n) => ({
    ...{ type: "tool-call", callId: `c${n}` as CallId, name: "recall", input: { query: "key" } },
  }));

async function looks(given: Pick<LookUp, "think"> & Partial<LookUp>): ReturnType<typeof lookUp> {
  const found = { text: "memory:1: the key\n", readers: [] };
  return lookUp({
    question: "?",
    from: "Eva",
    name: "Paul",
    language: "en",
    look: () => Promise.resolve(found),
    ...given,
  });
}

test("PE43 people/look-up/MAX_STEPS people/look-up/MAX_LOOKS five steps of three looks, and the last one looks at nothing more", async () => {
  const lasts: boolean[] = [];
  let looked = 0;
  const found = await looks({
    think: (_system, _text, last) => {
      lasts.push(last);
      return Promise.resolve(look(4));
    },
    look: () => {
      looked += 1;
      return Promise.resolve({ text: "", readers: [] });
    },
  });
  expect(lasts).toEqual([false, false, false, false, true]);
  expect(looked).toBe(15);
  expect(found).toEqual({ text: "", readers: [], sources: [] });
  expect((await looks({ think: () => Promise.resolve(undefined) })).text).toBe("");
});

test("PE43 people/look-up/MAX_SOURCES people/sources/MAX_SOURCES ten places of a search are named, and five texts of a conversation", async () => {
  let step = 0;
  const lines = Array.from({ length: 11 }, (_, n) => `memory:${n + 1}: x${n}`).join("\n");
  const found = await looks({
    think: () => Promise.resolve(++step === 1 ? look(1) : [{ type: "text", text: "there" }]),
    look: () => Promise.resolve({ text: lines, readers: [], given: true }),
  });
  expect(found.sources).toEqual(Array.from({ length: 10 }, (_, n) => `memory:${n + 1} x${n}`));
  expect(found).not.toHaveProperty("seen"); // of more no yes for always is asked
  const told = (n: number, provider = "margay"): AssistantMessage => ({
    ...{ role: "assistant", at: 0, model: { provider, model: "x" }, finish: "stop", usage: NO_USAGE },
    parts: [{ type: "text", text: `told ${n}` }],
    readers: [{ to: ["bob", "eva"], by: "eva" }],
  });
  const messages = [...Array.from({ length: 6 }, (_, n) => told(n)), told(9, "openai")];
  const at = { audience: "bob", origin: { channel: "talk", chat: "bob" } };
  expect(sourcesOf({ ...at, messages }, "eva", "en")).toEqual({
    sources: [1, 2, 3, 4, 5].map((n) => `earlier: told ${n}`), // of six no yes for always is asked
  });
  expect(sourcesOf({ ...at, messages: messages.slice(1) }, "eva", "en")).toMatchObject({
    told: [1, 2, 3, 4, 5].map((n) => `told ${n}`),
  });
  expect(sourcesOf({ ...at, messages }, "bob", "en")).toEqual({ sources: [] });
  // In a conversation of their own anything may be theirs.
  const own = { ...told(1), readers: [{ to: ["bob", "eva"], by: "bob" }] };
  expect(sourcesOf({ ...at, messages: [own] }, "bob", "en")).toEqual({ sources: ["earlier: told 1"] });
  // What belongs to another too is not quoted.
  const shared = { ...told(1), readers: [...(told(1).readers ?? []), { to: ["bob", "dora"], by: "dora" }] };
  expect(sourcesOf({ ...at, messages: [told(2), shared] }, "eva", "en")).toEqual({
    sources: ["earlier: told 2", "something earlier there"],
  });
});
