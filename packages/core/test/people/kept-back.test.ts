// What would be said in a chat and is not for who reads there: a sentence in its place, a question to whom it belongs, and the text by their yes alone.
import { expect, onTestFinished, test } from "vitest";
import type { Readers } from "../../src/contract/people.ts";
import type { PeopleOptions } from "../../src/contract/room.ts";
import type { AskedRelease, Session } from "../../src/contract/session.ts";
import type { RecordingChannel } from "../../src/internal-testing.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { cutCommit, exported } from "../../src/view/cut.ts";
import { startAgent, type Started, tool } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

const DAY_MS = 24 * 3_600_000;
const ASKED = "I may not say that here. I have asked.";
const NOT_HERE = "I may not say that here. Its owner must do it.";
const PAULS: Readers = { to: ["paul"], by: "paul" };

interface World extends Started {
  readonly channel: RecordingChannel;
  readonly writes: (id: string, text: string) => Promise<void>;
  /** Who reads a chat now, where that is not who wrote there. */
  readonly moved: Map<string, string>;
  readonly again: () => Promise<World>;
}

interface Options {
  readonly integrity?: "untrusted";
  readonly readers?: readonly Readers[];
}

/** `calendar` is a tool of somebody else's, which says whose it is what it finds. */
async function world({ integrity, readers = [PAULS] }: Options = {}): Promise<World> {
  const calendar = tool("calendar", "read", () => ({
    parts: [{ type: "text", text: "PAUL-DENTIST at three" }],
    readers,
    ...(integrity !== undefined && { integrity }),
  }));
  const tools = createRegistry([calendar]);
  const moved = new Map<string, string>();
  const now: { world?: World } = {};
  const people: PeopleOptions = {
    speaker: ({ id }) => (id === "ada" ? { role: "operator" } : { role: "member", audience: id, name: id }),
    room: () => ({ tools, context: realContext(tools) }),
    group: () => undefined,
    join: () => true,
    roleOf: () => "member",
    isIn: () => false,
    isAlone: () => false,
    persons: () => ["eva", "paul", "bob"].map((person) => ({ person, name: person })),
    contact: (person) => Promise.resolve({ channel: "talk", chat: person === "owner" ? "ada" : person }),
    usualAt: () => undefined,
    audienceAt: async ({ chat }) =>
      moved.get(chat) ?? (await now.world?.agent.sessions.find(`talk:${chat}`))?.state.audience,
  };
  const channel = recordingChannel("talk");
  const started = await startAgent({ onTestFinished }, { people, tools, channels: [channel] });
  const made = (base: Started, shown: RecordingChannel): World => {
    const stop = new AbortController();
    const work = base.agent.run(stop.signal);
    const end = async (): Promise<void> => {
      stop.abort(new Error("enough"));
      await work;
    };
    onTestFinished(end);
    now.world = {
      ...base,
      channel: shown,
      moved,
      writes: async (id, text) => {
        await base.agent.bus.accept({
          key: `k${++serial}`,
          origin: { channel: "talk", chat: id },
          from: { id, kind: "person" },
          parts: [{ type: "text", text }],
          chat: "private",
          attended: true,
        });
        await base.agent.idle();
      },
      again: async () => {
        await end();
        const next = recordingChannel("talk");
        return made(await base.restart({ people, tools, channels: [next] }), next);
      },
    };
    return now.world;
  };
  const place = made(started, channel);
  for (const id of ["ada", "eva", "paul", "bob"]) {
    place.model.replies(says("hello"));
    await place.writes(id, "hi");
  }
  return place;
}

let serial = 0;

function texts({ channel }: World, chat: string): readonly string[] {
  return channel.sent
    .filter(({ to }) => to.chat === chat)
    .map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
}

function code(place: World, chat: string): string {
  return /\/allow ([2-9A-Z]{4})/.exec(texts(place, chat).findLast((text) => text.includes("/allow ")) ?? "")?.[1] ?? "";
}

/** Eva asks, and the model answers with what it found. */
async function answers(place: World, text: string): Promise<void> {
  place.model.replies(callsTool("calendar", {}), says(text));
  await place.writes("eva", "when is it?");
}

async function said(place: World, who: string, text: string): Promise<string> {
  await place.writes(who, text);
  return texts(place, who).at(-1) ?? "";
}

async function releases({ agent }: World, who: string): Promise<readonly AskedRelease[]> {
  return (await agent.sessions.find(`talk:${who}`))?.state.releases ?? [];
}

/** What a model would see of Eva's conversation, and what was said there. */
async function conversation(place: World): Promise<string> {
  const session = await place.agent.sessions.find("talk:eva");
  const rows = session?.state.messages.map((row) => ("parts" in row ? [row.role, row.parts] : [row.role, row.text]));
  return JSON.stringify([rows, texts(place, "eva")]).replaceAll(/"callId":"[^"]+"/g, "");
}

/** What travels of a conversation to a browser, and into an export. */
async function onPages(session: Session | undefined): Promise<string> {
  const commits: unknown[] = [];
  if (session !== undefined)
    for await (const commit of session.history()) commits.push(cutCommit(session.state.id, commit), exported(commit));
  return JSON.stringify(commits);
}

const TEXT = "PAUL-DENTIST is at three";

test("PE43 PE46 an answer that is not for who asks: its owner reads the exact words, and by their yes they are said there, once", async () => {
  const place = await world();
  await answers(place, TEXT);
  expect(texts(place, "eva").at(-1)).toBe(ASKED);
  const question = texts(place, "paul").at(-1) ?? "";
  for (const part of [
    "In the conversation of eva (talk:eva) I would have answered this",
    `\`\`\`\n${TEXT}\n\`\`\``,
    "Only eva would read it",
    "found by calendar",
  ])
    expect(question).toContain(part);
  const { agent, model } = place;
  const session = await agent.sessions.find("talk:eva");
  expect(JSON.stringify(session?.state.messages.at(-1))).toContain("Its owner was asked");
  expect(await said(place, "paul", `/allow ${code(place, "paul")}`)).toBe("Allowed, once.");
  expect(texts(place, "eva").at(-1)).toBe(TEXT);
  // It is in the conversation, for the two of them, and what is made of it stays with them: said here it is asked about anew.
  expect(session?.state.messages.at(-1)).toMatchObject({ readers: [{ to: ["eva", "paul"], by: "paul" }] });
  model.replies(says("so, at three"));
  expect(await said(place, "eva", "really?")).toBe(ASKED);
  expect(texts(place, "paul").at(-1)).toContain("so, at three");
  expect(texts(place, "eva").filter((text) => text === TEXT)).toHaveLength(1);
});

test("PE43 who asked is asked first, without the words, where a stranger's text is in view: what is theirs would be read", async () => {
  const place = await world({ integrity: "untrusted" });
  await answers(place, `${TEXT}, EVA-DIARY`);
  expect(texts(place, "eva")).toContain(ASKED);
  const blind = texts(place, "eva").find((text) => text.includes("/allow")) ?? "";
  expect(blind).toContain("I can ask paul, who would read all of it");
  expect(texts(place, "eva").join()).not.toMatch(/PAUL-DENTIST|EVA-DIARY/);
  expect(texts(place, "paul").join()).not.toContain("EVA-DIARY");
  // Words of her own are none of Paul's, and she may not write to herself in his name.
  const word = code(place, "eva");
  await said(place, "eva", `/allow ${word} it is at four`);
  expect((await releases(place, "eva"))[0]).not.toHaveProperty("verdict");
  await said(place, "eva", `/allow ${word}`);
  expect(texts(place, "paul").at(-1)).toContain(`${TEXT}, EVA-DIARY`);
  expect(texts(place, "eva").join()).not.toMatch(/PAUL-DENTIST/);
  await said(place, "paul", `/allow ${code(place, "paul")}`);
  expect(texts(place, "eva").at(-1)).toBe(`${TEXT}, EVA-DIARY`);
});

test("PE43 an answer is let go once, by whom it belongs to, in a day, as it was written, for who read there", async () => {
  const place = await world();
  const { clock, moved, writes } = place;
  await answers(place, TEXT);
  const word = code(place, "paul");
  for (const who of ["eva", "bob", "ada"]) await said(place, who, `/allow ${word}`);
  for (const text of ["/allow AAAA", "yes"]) await said(place, "paul", text);
  expect((await releases(place, "paul"))[0]).not.toHaveProperty("verdict");
  // The same words are not asked about again; others are another question.
  await answers(place, TEXT);
  expect(await releases(place, "paul")).toHaveLength(1);
  await answers(place, `${TEXT}!`);
  expect(await releases(place, "paul")).toHaveLength(2);
  // A no sends nothing, and neither does what comes after it.
  await writes("paul", `/deny ${word}`);
  expect(await said(place, "paul", `/allow ${word}`)).toContain("Nothing waits for approval");
  // Somebody else reads there by the time of the yes.
  moved.set("eva", "bob");
  await writes("paul", `/allow ${code(place, "paul")}`);
  moved.delete("eva");
  expect((await releases(place, "paul"))[1]).toMatchObject({ closed: true });
  // A day later it is over.
  await clock.advance(60_000);
  await answers(place, `${TEXT}?`);
  const late = code(place, "paul");
  await clock.advance(DAY_MS);
  await expect.poll(async () => (await releases(place, "paul")).at(-1)?.closed).toBe(true);
  expect(await said(place, "paul", `/allow ${late}`)).toContain("Nothing waits for approval");
  expect(texts(place, "eva").join()).not.toContain("PAUL-DENTIST");
});

test("PE94 PE43 an answer whose yes was written down when the process died is said by the next one, once", async () => {
  let place = await world();
  await answers(place, TEXT);
  const [{ id, hash } = { id: "", hash: "" }] = await releases(place, "paul");
  const paul = await place.agent.sessions.find("talk:paul");
  await paul?.commit({ type: "release.answered", release: id, hash, verdict: "allow", by: "paul" });
  place = await place.again();
  await expect.poll(() => texts(place, "eva")).toEqual([TEXT]);
  place = await place.again();
  await place.agent.idle();
  expect(texts(place, "eva")).toEqual([]);
});

test("PE44 whether its owner says no or nothing, the conversation of who asked is the same to the byte", async () => {
  const seen: string[] = [];
  for (const answer of ["/deny", undefined]) {
    const place = await world();
    await answers(place, TEXT);
    if (answer !== undefined) await said(place, "paul", `${answer} ${code(place, "paul")}`);
    expect(texts(place, "eva").at(-1)).toBe(ASKED);
    seen.push(await conversation(place));
  }
  expect(new Set(seen).size).toBe(1);
});

test("PE43 what belongs to nobody who can be asked is withheld as it was, and nobody is asked", async () => {
  const place = await world({ readers: [{ to: [], by: "owner" }] });
  await answers(place, TEXT);
  expect(texts(place, "eva").at(-1)).toBe(NOT_HERE);
  expect(await Promise.all(["ada", "paul", "eva"].map((who) => releases(place, who)))).toEqual([[], [], []]);
});

test("PE47 PE43 what a job or a webhook sends is looked at when it is sent: not for who reads there, its owner is asked, and no row tells it", async () => {
  const place = await world();
  const { agent } = place;
  const to = { channel: "talk", chat: "eva" };
  const from = { id: "cron", name: "job 1", kind: "schedule" } as const;
  const send = (reply: string, readers: readonly Readers[]): Promise<void> =>
    agent.bus.send("talk:eva", {
      ...{ reply, to, from, kind: "message", parts: [{ type: "text", text: TEXT }] },
      marks: { readers },
    });
  for (const _again of [1, 2]) await send("cron:1:1", [PAULS]); // a process that died before it knew sends again
  await agent.idle();
  expect(texts(place, "eva").filter((text) => text === ASKED)).toHaveLength(1);
  const session = await agent.sessions.find("talk:eva");
  expect(session?.state.label.readers).toBeUndefined();
  expect(await conversation(place)).not.toContain("PAUL-DENTIST");
  // Nor do her pages get it, before Paul has said yes.
  expect(await onPages(session)).toContain('"release.asked"');
  expect(await onPages(session)).not.toContain("PAUL-DENTIST");
  // A job's words are nobody's wish: she is asked first whether Paul may read them.
  for (const who of ["eva", "paul"]) await said(place, who, `/allow ${code(place, who)}`);
  expect(texts(place, "eva").at(-1)).toBe(TEXT);
  expect(session?.state.label.readers).toEqual([{ to: ["eva", "paul"], by: "paul" }]);
  // What she may read is sent as it is.
  await send("cron:1:2", [{ to: ["eva", "paul"], by: "paul" }]);
  await agent.idle();
  expect(texts(place, "eva").filter((text) => text === TEXT)).toHaveLength(2);
});
