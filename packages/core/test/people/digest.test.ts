// Many questions at once are one message, and those that come at night make no sound: on a platform that can all of it, and on one that can nothing.
import { expect, onTestFinished, test } from "vitest";
import type { Channel, OutboundPiece } from "../../src/contract/channel.ts";
import type { Policy } from "../../src/contract/policy.ts";
import type { PeopleOptions } from "../../src/contract/room.ts";
import { callsTools, type RecordingChannel } from "../../src/internal-testing.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { startAgent, type Started, tool } from "../support/agent.ts";
import { realContext } from "../support/real-context.ts";

const WAIT_MS = 300_000;
const HOUR_MS = 3_600_000;

const ASK: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: ({ name, input }) => ({
    kind: "ask",
    rule: "test",
    prompt: `${name} ${JSON.stringify(input)}`,
    expiresInMs: WAIT_MS,
  }),
};

interface World extends Started {
  readonly channel: RecordingChannel;
  readonly ran: string[];
  readonly writes: (id: string, text: string) => Promise<void>;
  readonly presses: (style: string, from?: OutboundPiece) => ReturnType<RecordingChannel["press"]>;
  /** The next process on the same home. */
  readonly again: () => Promise<World>;
}

let serial = 0;

/** Ada is the owner; anybody else is a guest, whose calls are asked of her. `quiet`: when it begins and ends, in ms from the start. */
async function world(
  can: Partial<Channel["can"]> = { buttons: true, edit: true },
  quiet?: { readonly from: number; readonly to: number },
): Promise<World> {
  const ran: string[] = [];
  const act = (name: string): ReturnType<typeof tool> =>
    tool(name, "write", ({ n }) => {
      ran.push(`${name} ${JSON.stringify(n)}`);
      return "done";
    });
  const tools = createRegistry([act("rm"), act("mail")]);
  const times = { begun: 0 };
  const people: PeopleOptions = {
    speaker: ({ id }) => (id === "ada" ? { role: "operator" } : { role: "guest", audience: "guest" }),
    room: () => ({ tools, context: realContext(tools) }),
    group: () => undefined,
    join: () => true,
    roleOf: (person) => (person === "owner" ? "operator" : undefined),
    isIn: () => false,
    isAlone: () => true,
    persons: () => [],
    contact: (person) => Promise.resolve(person === "owner" ? { channel: "talk", chat: "ada" } : undefined),
    usualAt: () => undefined,
    audienceAt: () => Promise.resolve(undefined),
    asked: {
      quietUntil: (person, at) => {
        if (person !== "owner" || quiet === undefined) return undefined;
        const [from, to] = [times.begun + quiet.from, times.begun + quiet.to];
        return at >= from && at < to ? to : undefined;
      },
      page: () => "https://margay.example/#/approvals",
      unseen: () => {},
    },
  };
  const channel = recordingChannel("talk", can);
  const mayApprove = ({ id }: { readonly id: string }): boolean => id === "ada";
  const started = await startAgent({ onTestFinished }, { people, tools, policy: ASK, mayApprove, channels: [channel] });
  times.begun = started.clock.now();
  return running(started, channel, ran, people);
}

function running(started: Started, channel: RecordingChannel, ran: string[], people: PeopleOptions): World {
  const { agent } = started;
  const stop = new AbortController();
  const work = agent.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error("enough"));
    await work;
  };
  onTestFinished(end);
  return {
    ...started,
    channel,
    ran,
    writes: async (id, text) => {
      await agent.bus.accept({
        key: `k${++serial}`,
        origin: { channel: "talk", chat: id },
        from: { id, kind: "person" },
        parts: [{ type: "text", text }],
        chat: "private",
      });
      await agent.idle();
    },
    presses: async (style, from) => {
      const shown = from ?? channel.sent.findLast(({ to, actions }) => to.chat === "ada" && actions !== undefined);
      const token = shown?.actions?.find((each) => each.style === style)?.token ?? "";
      const pressed = await channel.press(token, {
        key: `p${++serial}`,
        chat: "ada",
        from: { id: "ada", kind: "person" },
      });
      await agent.idle();
      return pressed;
    },
    again: async () => {
      await end();
      const next = recordingChannel("talk", channel.can);
      return running(await started.restart({ channels: [next], people }), next, ran, people);
    },
  };
}

const textOf = ({ parts }: OutboundPiece): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** Questions and digests that stand in Ada's chat. */
function asked({ channel }: Pick<World, "channel">): readonly OutboundPiece[] {
  return channel.sent.filter(({ to, kind }) => to.chat === "ada" && kind === "approval");
}

function digestOf(place: Pick<World, "channel">): OutboundPiece | undefined {
  return asked(place).find((piece) => textOf(piece).includes("/allow next"));
}

/** Somebody has calls that ask. */
async function asks(place: World, who: string, names: readonly string[], from = 1): Promise<void> {
  const { model, writes } = place;
  model.replies(callsTools(names.map((name, at) => ({ name, args: { n: from + at } }))));
  await writes(who, "do it");
}

async function greeted(place: World): Promise<void> {
  place.model.replies(says("hello"));
  await place.writes("ada", "hi");
}

const FIVE = ["rm", "rm", "rm", "rm", "rm"];

test("PE97 channels/questions/digest/MAX_AT_ONCE the fourth question in ten minutes and all behind it are one message, edited as their number changes; one by one asks them", async () => {
  const place = await world();
  const { channel, presses } = place;
  await greeted(place);
  await asks(place, "tom", ["rm", "rm", "rm", "rm", "mail"]);
  const digest = digestOf(place);
  expect(asked(place).map(textOf)).toHaveLength(4); // three questions and one digest
  expect(textOf(asked(place)[3]!)).toContain("4 questions wait for you: 4 rm.");
  expect(textOf(channel.edits.at(-1)!.message)).toContain("5 questions wait for you: 4 rm, 1 mail.");
  expect(textOf(digest!)).toContain("https://margay.example/#/approvals");
  expect(digest?.actions?.map(({ label }) => label)).toEqual(["One by one", "Deny all"]);
  await asks(place, "eve", ["mail", "mail"]);
  expect(asked(place)).toHaveLength(4);
  expect(textOf(channel.edits.at(-1)!.message)).toContain("7 questions wait for you: 4 rm, 3 mail.");
  expect(channel.edits.at(-1)?.message.actions).toEqual(digest?.actions);
  // One by one: the first of those that were not asked, with buttons of its own; its answer brings the next.
  expect(await presses("plain", digest)).toMatchObject({ status: "done" });
  expect(asked(place)).toHaveLength(5);
  expect(textOf(asked(place)[4]!)).toContain('rm {"n":4}');
  expect(place.ran).toEqual([]);
  expect(await presses("allow", asked(place)[4])).toMatchObject({ status: "done" });
  expect(asked(place)).toHaveLength(6);
  expect(textOf(asked(place)[5]!)).toContain('mail {"n":5}');
  expect(textOf(channel.edits.at(-1)!.message)).toContain("6 questions wait for you");
  place.model.replies(says("well"), says("well"));
  // No to all, also to those that stand there.
  expect(await presses("deny", digest)).toMatchObject({ status: "done", text: "6 denied." });
  expect(place.ran).toEqual(["rm 4"]);
  expect(channel.edits.some(({ message }) => /^This list is over since \d\d:\d\d\.$/.test(textOf(message)))).toBe(true);
  expect(await presses("plain", digest)).toMatchObject({ status: "expired" });
  expect(asked(place)).toHaveLength(6);
});

test("PE97 a hundred questions are the first three and one message, and a no to all of them ends them all", async () => {
  const place = await world();
  await greeted(place);
  for (let n = 0; n < 20; n++) await asks(place, `guest${n}`, FIVE, n * 5);
  expect(asked(place)).toHaveLength(4);
  expect(textOf(place.channel.edits.at(-1)!.message)).toContain("100 questions wait for you: 100 rm.");
  place.model.replies(...Array.from({ length: 20 }, () => says("well")));
  expect(await place.presses("deny", digestOf(place))).toMatchObject({ text: "100 denied." });
  expect(await place.agent.approvals()).toEqual([]);
  expect(place.ran).toEqual([]);
});

test("PE97 calls of one turn in the own chat are asked in the same way", async () => {
  const place = await world();
  await asks(place, "ada", ["rm", "rm", "rm", "rm", "rm", "mail"]);
  expect(asked(place)).toHaveLength(4);
  expect(textOf(asked(place)[3]!)).toContain("6 questions wait for you: 5 rm, 1 mail.");
  for (let n = 0; n < 3; n++) await place.presses("plain", digestOf(place));
  expect(asked(place)).toHaveLength(7);
  expect(await place.presses("plain", digestOf(place))).toMatchObject({ status: "already" });
  place.model.replies(says("well"));
  await place.clock.advance(WAIT_MS); // nobody answers, and the turn goes on
  await place.agent.idle();
  expect(place.channel.texts("reply")).toEqual(["well"]);
  expect(place.ran).toEqual([]);
});

test("PE97 where nothing can be edited and there are no buttons: one message without a number, and words", async () => {
  const place = await world({});
  const { writes, agent } = place;
  await greeted(place);
  await asks(place, "tom", FIVE);
  await asks(place, "eve", FIVE, 6);
  expect(asked(place)).toHaveLength(4);
  expect(textOf(asked(place)[3]!)).toMatch(/^More questions wait for you than I ask at once\./);
  // Nobody says yes to what they have not seen.
  const answers = (): readonly string[] =>
    place.channel.sent.filter(({ to, kind }) => to.chat === "ada" && kind === "command").map(textOf);
  place.model.replies(says("well"), says("well"));
  await writes("ada", "/deny all");
  expect(answers()).toEqual(["10 denied."]);
  await place.clock.advance(600_000);
  await asks(place, "tom", FIVE);
  await agent.idle();
  expect(asked(place)).toHaveLength(8); // three more, and a digest of their own
  for (const { code } of (await agent.sessions.find("talk:ada"))?.state.releases?.slice(-5, -2) ?? [])
    await writes("ada", `/deny ${code}`);
  await writes("ada", "/allow");
  expect(answers().at(-1)).toBe("Say which one: next");
  expect(place.ran).toEqual([]);
  await writes("ada", "/allow next");
  expect(answers().at(-1)).toBe("The next one stands below.");
  expect(textOf(asked(place)[8]!)).toContain('rm {"n":4}');
  await writes("ada", "/allow");
  expect(place.ran).toEqual(["rm 4"]);
  expect(textOf(asked(place)[9]!)).toContain('rm {"n":5}');
});

test("PE97 the next process goes on with the digest: the number, one by one, and what was over meanwhile", async () => {
  const first = await world();
  await greeted(first);
  await asks(first, "tom", FIVE);
  const digest = digestOf(first);
  await first.presses("plain", digest);
  expect(asked(first)).toHaveLength(5);
  const place = await first.again();
  await place.agent.idle();
  expect(asked(place)).toEqual([]);
  expect(await place.presses("allow", asked(first)[4])).toMatchObject({ status: "done" });
  expect(asked(place).map(textOf)).toEqual([expect.stringContaining('rm {"n":5}')]);
  expect(textOf(place.channel.edits.find(({ message }) => message.reply === digest?.reply)!.message)).toContain(
    "questions wait for you",
  );
  place.model.replies(says("well"));
  expect(await place.presses("deny", digest)).toMatchObject({ text: "4 denied." });
  expect(place.ran).toEqual(["rm 4"]);
});

test("PE98 at night questions make no sound, and in the morning one message says what waits; a turn that was just begun is heard", async () => {
  const place = await world({ buttons: true, edit: true }, { from: 0, to: 8 * HOUR_MS });
  const { clock } = place;
  await greeted(place);
  await asks(place, "tom", ["rm", "mail"]);
  expect(asked(place).map(({ silent }) => silent)).toEqual([true, true]);
  // Her own turn, which waits for her.
  await asks(place, "ada", ["rm"]);
  expect(asked(place)[2]).not.toHaveProperty("silent");
  place.model.replies(says("well"), says("well"));
  await place.presses("deny", asked(place)[2]);
  await clock.advance(7 * HOUR_MS);
  await place.agent.idle();
  expect(asked(place)).toHaveLength(3);
  await clock.advance(HOUR_MS);
  await place.agent.idle();
  expect(asked(place)).toHaveLength(4);
  expect(asked(place)[3]).not.toHaveProperty("silent");
  expect(textOf(asked(place)[3]!)).toContain("2 questions wait for you: 1 rm, 1 mail.");
  // Once, and what comes by day is heard.
  await clock.advance(HOUR_MS);
  await asks(place, "eve", ["rm"]);
  expect(asked(place)).toHaveLength(5);
  expect(asked(place)[4]).not.toHaveProperty("silent");
});

test("PE98 a process that begins after the night says what waits, once; nothing is said of what was answered", async () => {
  const first = await world({ buttons: true, edit: true }, { from: 0, to: 8 * HOUR_MS });
  await greeted(first);
  await asks(first, "tom", ["rm", "rm", "rm"]);
  await first.presses("deny", asked(first)[0]);
  first.model.replies(says("well"));
  await first.clock.advance(7 * HOUR_MS);
  let place = await first.again();
  await place.agent.idle();
  expect(asked(place)).toEqual([]);
  await place.clock.advance(2 * HOUR_MS);
  place = await place.again();
  await place.agent.idle();
  const all = (): readonly string[] => asked(place).map(textOf);
  expect(all().length).toBeLessThanOrEqual(1);
  place = await place.again();
  await place.agent.idle();
  expect(asked(place)).toEqual([]);
});
