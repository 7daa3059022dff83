// What people do to a message after they sent it: before the model saw it, and after; alone and in a group.
import { expect, test } from "vitest";
import type { ChannelInbox, InboundMessage } from "../../src/contract/bus.ts";
import type { ContentPart, Sender } from "../../src/contract/message.ts";
import type { PeopleOptions } from "../../src/contract/room.ts";
import type { SessionId } from "../../src/contract/base.ts";
import { createPromptHash } from "../../src/context/project.ts";
import { allOf } from "../../src/lib/by-kind.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { emptyState, fold } from "../../src/session/reduce.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { stalls, type RecordingChannel } from "../../src/internal-testing.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { groupOf } from "../../src/lib/audience.ts";
import { CHAT, ofType, startAgent, tool, type StartOptions, type Started } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";
import { note, testVoice } from "./voice/support.ts";

const EVA: Sender = { id: "eva", name: "Eva", kind: "person" };
const TOM: Sender = { id: "tom", name: "Tom", kind: "person" };
const GROUP = { chat: "-100", group: true } as const;
const IN_GROUP = "test:-100";

interface Talk extends Started {
  readonly channel: RecordingChannel;
  /** Ends the turn that runs: what was written meanwhile waited. */
  readonly release: () => void;
}

/** A turn runs, and what is written waits. */
async function busy(t: Parameters<typeof startAgent>[0], options: StartOptions = {}): Promise<Talk> {
  const channel = recordingChannel("test");
  const started = await startAgent(t, { ...options, channels: [channel] });
  const first = stalls({ rest: says("one moment") });
  started.model.replies(first, says("here"), says("and here"));
  void started.agent.run(new AbortController().signal);
  await channel.deliver("begin", { key: "0" });
  await started.model.received(1);
  return { ...started, channel, release: first.release };
}

/** The last thing that people said to the model. */
function lastAsked({ model }: Pick<Started, "model">): readonly string[] {
  return (model.requests.at(-1)?.texts("user") ?? []).filter((text) => !text.startsWith("<runtime_context>"));
}

const textOf = (parts: readonly ContentPart[] = []): string =>
  parts.map((part) => (part.type === "text" ? part.text : `<${part.mediaType}>`)).join("|");

const tools = createRegistry([]);
/** Everybody in the group is a guest; it is called in, and answers who means it. */
const people: PeopleOptions = {
  speaker: () => ({ role: "guest", audience: "guest" }),
  room: () => ({ tools, context: realContext(tools) }),
  roleOf: () => undefined,
  isIn: () => true,
  isAlone: () => false,
  audienceAt: (to) => Promise.resolve(to.chat === GROUP.chat ? groupOf(to) : undefined),
  usualAt: () => undefined,
  persons: () => [],
  contact: () => Promise.resolve(undefined),
  group: () => ({ mode: "named", names: ["margay"], follow: false, bots: "heard" }),
  join: () => true,
};

test("CH34 CH125 an edit of a message that waits replaces it, also when it is told twice and after a restart", async (t) => {
  const talk = await busy(t);
  const { channel, agent } = talk;
  await channel.deliver("at five", { key: "1" });
  expect(await channel.change("1", "at six", { key: "1e" })).toEqual({ status: "replaced" });
  expect(await channel.change("1", "at six", { key: "1e" })).toEqual({ status: "replaced" });
  expect(ofType(await talk.records(), "message.edited")).toHaveLength(1);
  const again = recordingChannel("test");
  const restarted = await talk.restart({ channels: [again] });
  talk.release();
  const waiting = (await restarted.agent.sessions.find(CHAT))?.state.pending.at(-1);
  expect([waiting?.key, textOf(waiting?.message.parts)]).toEqual(["1", "at six"]);
  void restarted.agent.run(new AbortController().signal);
  await again.received(1);
  await restarted.agent.idle();
  expect(JSON.stringify(restarted.model.requests.at(-1)?.body)).toContain("at six");
  expect(restarted.model.requests.map(({ body }) => JSON.stringify(body)).join("")).not.toContain("at five");
  expect(agent).not.toBe(restarted.agent);
});

test("CH34 CH125 of a message that the model has seen an edit and a deletion change nothing, and start nothing", async (t) => {
  const talk = await busy(t);
  const { channel, agent, model } = talk;
  expect(await channel.change("0", "begin again")).toEqual({ status: "ignored", why: "seen" });
  expect(await channel.erase("0")).toBe("ignored");
  expect(await channel.change("of nobody", "what?")).toEqual({ status: "ignored", why: "seen" });
  expect(await channel.erase("of nobody")).toBe("ignored");
  talk.release();
  await agent.idle();
  expect(await channel.change("0", "begin again")).toEqual({ status: "ignored", why: "seen" });
  await agent.idle();
  expect(model.requests).toHaveLength(1);
});

test("CH34 CH125 a deletion takes a waiting message back; when nothing else waits, nothing is asked", async (t) => {
  const talk = await busy(t);
  const { channel, agent, model } = talk;
  await channel.deliver("never mind", { key: "1" });
  expect(await channel.erase("1", { from: TOM })).toBe("ignored");
  expect(await channel.erase("1")).toBe("withdrawn");
  expect(await channel.erase("1")).toBe("ignored");
  talk.release();
  await agent.idle();
  expect(model.requests).toHaveLength(1);
  expect(ofType(await talk.records(), "messages.withdrawn")).toHaveLength(1);
});

test("CH34 only its author changes a message, nobody gives a command by it, and secrets stay out", async (t) => {
  const talk = await busy(t, { redact: (text) => text.replaceAll("sk-secret", "[redacted]") });
  const { channel, agent } = talk;
  await channel.deliver("mine", { key: "1", from: EVA });
  expect(await channel.change("1", "yours", { from: TOM })).toEqual({ status: "ignored", why: "seen" });
  expect(await channel.change("1", "/new", { from: EVA })).toEqual({ status: "ignored", why: "seen" });
  expect(await channel.change("1", "mine: sk-secret", { from: EVA })).toEqual({ status: "replaced" });
  talk.release();
  await agent.idle();
  expect(lastAsked(talk).at(-1)).toBe("mine: [redacted]");
});

test("CH34 who may not write any more changes nothing", async (t) => {
  let isIn = true;
  const policy = {
    admit: () => Promise.resolve(isIn ? ({ ok: true } as const) : ({ ok: false, reason: "gone" } as const)),
    judge: () => Promise.resolve({ kind: "allow", rule: "test" } as const),
  };
  const talk = await busy(t, { policy });
  await talk.channel.deliver("one", { key: "1" });
  isIn = false;
  expect(await talk.channel.change("1", "two")).toEqual({ status: "ignored", why: "seen" });
  talk.release();
});

test("CH34 what was written down of a voice note stays with it when its caption is changed, and goes with another note", async (t) => {
  const voice = testVoice({ transcribe: (bytes) => `what ${bytes} says` });
  const channel = recordingChannel("test");
  const look = tool("look");
  const { agent, model } = await startAgent(t, {
    voice,
    channels: [channel],
    tools: createRegistry([look]),
    settings: { steering: false },
  });
  const [first, second] = [stalls({ rest: callsTool("look", {}) }), stalls({ rest: says("looked") })];
  model.replies(first, second, says("here"));
  void agent.run(new AbortController().signal);
  await channel.deliver("look", { key: "0" });
  await model.received(1);
  const sound = await note(agent.blobs, "one");
  await channel.deliver([sound, { type: "text", text: "caption" }], { key: "1" });
  first.release();
  await model.received(2);
  const waiting = async (): Promise<string> =>
    textOf((await agent.sessions.find(CHAT))?.state.pending.at(-1)?.message.parts);
  expect(await waiting()).toBe("<audio/ogg>|caption|[voice note] what one says");
  await channel.change("1", [sound, { type: "text", text: "title" }]);
  expect(await waiting()).toBe("<audio/ogg>|title|[voice note] what one says");
  await channel.change("1", [await note(agent.blobs, "two"), { type: "text", text: "title" }]);
  expect(await waiting()).toBe("<audio/ogg>|title");
  second.release();
  await agent.idle();
  expect(voice.heard).toEqual(["one", "two"]);
});

test("CH34 CH78 a voice note that is changed while it is written down: the old words go nowhere, and the new note is written down", async (t) => {
  const begun = Promise.withResolvers<void>();
  const written = Promise.withResolvers<string>();
  const voice = testVoice({
    transcribe: (bytes) => {
      begun.resolve();
      return bytes === "one" ? written.promise : `what ${bytes} says`;
    },
  });
  const channel = recordingChannel("test");
  const { agent, model, records } = await startAgent(t, { people, voice, channels: [channel] });
  model.replies(says("here"));
  void agent.run(new AbortController().signal);
  const said = { ...GROUP, from: EVA, addressed: "named" } as const;
  await channel.deliver([await note(agent.blobs, "one")], { ...said, key: "1" });
  await begun.promise;
  expect(await channel.change("1", [await note(agent.blobs, "two")], said)).toEqual({ status: "replaced" });
  written.resolve("a secret");
  await model.received(1);
  await agent.idle();
  const all = await records(IN_GROUP);
  expect(voice.heard).toEqual(["one", "two"]);
  expect(JSON.stringify(all)).not.toContain("a secret");
  expect(JSON.stringify(model.requests[0]?.body)).toContain("[voice note] what two says");
  expect(ofType(all, "usage.counted")).toMatchObject([{ purpose: "transcription", speaker: "guest" }]); // the first was paid for
});

test("CH34 an edit that comes while its turn is being opened is what the model reads", async (t) => {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const context = realContext({ list: () => [] });
  const channel = recordingChannel("test");
  const { agent, model } = await startAgent(t, {
    channels: [channel],
    context: {
      ...context,
      before: async () => {
        begun.resolve();
        await released.promise;
        return [];
      },
    },
  });
  model.replies(says("at six then"));
  void agent.run(new AbortController().signal);
  await channel.deliver("at five", { key: "1" });
  await begun.promise;
  expect(await channel.change("1", "at six")).toEqual({ status: "replaced" });
  released.resolve();
  await agent.idle();
  expect(model.requests.map((request) => request.texts("user").at(-1))).toEqual(["at six"]);
  // What was asked is what the journal says.
  const promptHash = createPromptHash(sha256);
  const hashes: (readonly [string, string])[] = [];
  let state = emptyState("replayed" as SessionId); // never stored
  for await (const commit of (await agent.sessions.find(CHAT))?.history() ?? []) {
    state = fold(state, commit);
    for (const record of allOf(commit.records, "model.requested")) hashes.push([record.promptHash, promptHash(state)]);
  }
  expect(hashes.map(([said, is]) => said === is)).toEqual([true]);
});

test("CH34 CH27 a message that waited on its platform keeps the time when it was written", async (t) => {
  const talk = await busy(t);
  const { channel, clock } = talk;
  const sentAt = clock.now() - 3_600_000;
  await channel.deliver("an hour ago", { key: "1", sentAt });
  await channel.change("1", "an hour and more ago", { sentAt: clock.now() });
  const waiting = (await talk.agent.sessions.find(CHAT))?.state.pending.at(-1);
  expect(textOf(waiting?.message.parts)).toBe(`an hour and more ago|(written at ${new Date(sentAt).toISOString()})`);
  talk.release();
});

test("CH34 a caption that is changed below a picture leaves the picture where it is, and the message a stranger's", async (t) => {
  const { channel, agent, release } = await busy(t);
  const blob = await agent.blobs.put(Buffer.from("a picture"));
  const picture = { type: "media", mediaType: "image/png", blob } as const;
  await channel.deliver([picture, { type: "text", text: "caption" }], { key: "1" });
  expect(await channel.change("1", "title", { media: "kept" })).toEqual({ status: "replaced" });
  const waiting = (await agent.sessions.find(CHAT))?.state.pending.at(-1)?.message;
  expect([textOf(waiting?.parts), waiting?.integrity]).toEqual(["<image/png>|title", "untrusted"]);
  release();
});

test("CH34 a deletion of which the platform does not say the topic finds the message that waits there", async (t) => {
  const { channel, agent, release } = await busy(t, { settings: { concurrency: 1 } });
  await channel.deliver("never mind", { key: "1", thread: "topic" });
  expect(await channel.erase("1")).toBe("withdrawn");
  expect((await agent.sessions.find(`${CHAT}:topic`))?.state.pending).toEqual([]);
  release();
});

/** In a group that it was called into. */
async function inGroup(
  t: Parameters<typeof startAgent>[0],
  can: Parameters<typeof recordingChannel>[1] = {},
): Promise<Started & Pick<Talk, "channel">> {
  const channel = recordingChannel("test", can);
  const started = await startAgent(t, { people, channels: [channel] });
  void started.agent.run(new AbortController().signal);
  return { ...started, channel };
}

test("CH34 PE51 in a group an edit of a heard line replaces it and a deletion takes it away, for its author alone", async (t) => {
  const { channel, agent, model, clock } = await inGroup(t);
  const heard = { status: "ignored", why: "heard" };
  model.replies(says("dinner at six"));
  expect(await channel.deliver("dinner at five", { ...GROUP, key: "1", from: EVA })).toEqual(heard);
  expect(await channel.deliver("a secret", { ...GROUP, key: "2", from: EVA })).toEqual(heard);
  expect(await channel.deliver("see you", { ...GROUP, key: "3", from: TOM })).toEqual(heard);
  expect(await channel.change("1", "dinner at six", { ...GROUP, from: EVA })).toEqual({ status: "replaced" });
  expect(await channel.change("1", "no dinner", { ...GROUP, from: TOM })).toEqual({ status: "ignored", why: "seen" });
  expect(await channel.erase("3", { ...GROUP, from: EVA })).toBe("ignored");
  expect(await channel.erase("2", GROUP)).toBe("withdrawn");
  expect(await channel.change("2", "a secret again", { ...GROUP, from: EVA })).toMatchObject({ status: "ignored" });
  await agent.idle();
  expect(model.requests).toEqual([]);
  await clock.advance(1000);
  await channel.deliver("what was said?", { ...GROUP, key: "4", from: TOM, addressed: "named" });
  await agent.idle();
  const [before = "", asked] = lastAsked({ model }).slice(-2);
  expect(before).toContain("[guest Eva] dinner at six\n[guest Tom] see you");
  expect(before).not.toContain("secret");
  expect(asked).toBe("[guest Tom] what was said?");
});

test("CH34 PE51 an edit that adds the mention is a message for us, once, and is not shown as a heard line beside it", async (t) => {
  const { channel, agent, model, clock } = await inGroup(t);
  model.replies(says("noon"), says("Thursday"));
  await channel.deliver("what time is it?", { ...GROUP, key: "1", from: EVA });
  const mention = { ...GROUP, key: "1e", from: EVA, addressed: "named" } as const;
  expect(await channel.change("1", "@margay what time is it?", { ...mention, from: TOM })).toMatchObject({
    why: "seen",
  });
  expect(await channel.change("1", "@margay what time is it?", mention)).toMatchObject({ status: "accepted" });
  await agent.idle();
  expect(await channel.change("1", "@margay what time is it?", mention)).toMatchObject({ why: "seen" });
  expect(lastAsked({ model })).toEqual(["[guest Eva] @margay what time is it?"]);
  await clock.advance(1000);
  await channel.deliver("and the day?", { ...GROUP, key: "2", from: EVA, addressed: "reply" });
  await agent.idle();
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(model.requests[1]?.body).match(/what time is it/g)).toHaveLength(1);
});

test("CH34 PE54 an edit that adds the mention, cut off before its heard line went: told again by the platform, the line is said once", async (t) => {
  const { channel, agent, model, clock } = await inGroup(t);
  model.replies(says("noon"), says("Thursday"));
  await channel.deliver("what time is it?", { ...GROUP, key: "1", from: EVA });
  const mention = { ...GROUP, key: "1e", from: EVA, addressed: "named" } as const;
  // What a process leaves that dies behind the message.
  await agent.bus.accept({
    ...{ key: "1e", edits: "1", from: EVA, chat: "group", addressed: "named", fromPlatform: true },
    origin: { channel: "test", chat: GROUP.chat },
    parts: [{ type: "text", text: "@margay what time is it?" }],
  });
  await agent.idle();
  expect(await channel.change("1", "@margay what time is it?", mention)).toEqual({ status: "duplicate" });
  await clock.advance(1000);
  await channel.deliver("and the day?", { ...GROUP, key: "2", from: EVA, addressed: "reply" });
  await agent.idle();
  expect(model.requests).toHaveLength(2);
  expect(JSON.stringify(model.requests[1]?.body).match(/what time is it/g)).toHaveLength(1);
});

test("CH34 CH44 an edit that is a message for us opens what a message opens: its answer leaves", async (t) => {
  const window = { ms: 3_600_000, unsolicited: false };
  const { channel, agent, model } = await inGroup(t, { window });
  model.replies(says("noon"));
  await channel.deliver("what time is it?", { ...GROUP, key: "1", from: EVA });
  const mention = { ...GROUP, key: "1e", from: EVA, addressed: "named" } as const;
  expect(await channel.change("1", "@margay what time is it?", mention)).toMatchObject({ status: "accepted" });
  await agent.idle();
  expect(channel.texts()).toEqual(["noon"]);
});

test("CH34 in a group a waiting message is replaced and taken back as elsewhere", async (t) => {
  const { channel, agent, model } = await inGroup(t);
  const first = stalls({ rest: says("one moment") });
  model.replies(first, says("done"));
  await channel.deliver("begin", { ...GROUP, key: "0", from: EVA, addressed: "named" });
  await model.received(1);
  await channel.deliver("at five", { ...GROUP, key: "1", from: TOM, addressed: "named" });
  await channel.deliver("at seven", { ...GROUP, key: "2", from: TOM, addressed: "named" });
  expect(await channel.change("1", "at six", { ...GROUP, from: TOM })).toEqual({ status: "replaced" });
  expect(await channel.erase("2", GROUP)).toBe("withdrawn");
  first.release();
  await agent.idle();
  expect(lastAsked({ model }).at(-1)).toBe("[guest Tom] at six");
  expect((await agent.sessions.find(IN_GROUP))?.state.pending).toEqual([]);
});

test("PE59 files are wanted of what means us, and of nobody else's and nothing else that a group says", async (t) => {
  const channel = recordingChannel("test");
  const inboxes = Promise.withResolvers<ChannelInbox>();
  const run: typeof channel.run = (inbox, signal) => {
    inboxes.resolve(inbox);
    return channel.run(inbox, signal);
  };
  let isKnown = true;
  const policy = {
    admit: () => Promise.resolve(isKnown ? ({ ok: true } as const) : ({ ok: false, reason: "who?" } as const)),
    judge: () => Promise.resolve({ kind: "allow", rule: "test" } as const),
  };
  const { agent } = await startAgent(t, { people, policy, channels: [{ ...channel, run }] });
  void agent.run(new AbortController().signal);
  const inbox = await inboxes.promise;
  const wants = (more: Partial<InboundMessage>): Promise<boolean> =>
    inbox.admits({ from: EVA, origin: { channel: "test", chat: "-100" }, chat: "group", ...more });
  const text = (words: string): Partial<InboundMessage> => ({ parts: [{ type: "text", text: words }] });
  expect(await wants(text("look at that"))).toBe(false);
  expect(await wants({ ...text("look at that"), addressed: "other" })).toBe(false);
  expect(await wants({ ...text("look at that"), addressed: "named" })).toBe(true);
  expect(await wants(text("Margay, look at that"))).toBe(true);
  expect(await wants({ ...text("look at that"), chat: "private" })).toBe(true);
  isKnown = false;
  expect(await wants({ ...text("look at that"), addressed: "named" })).toBe(false);
  expect(await wants({ ...text("look at that"), chat: "private" })).toBe(false);
});
