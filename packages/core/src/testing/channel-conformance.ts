// What every channel must do, asked of the real channel against a fake platform that speaks the platform's protocol.
import assert from "node:assert/strict";
import { never } from "../lib/async/never.ts";
import { createPrinter } from "../channels/markup/printer.ts";
import type { Accepted, ChannelInbox, InboundMessage, OutboundMessage } from "../contract/bus.ts";
import type { Seq, SessionId } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";
import { agentCases, registerGap } from "./channel/suite.ts";
import type { ChannelGap, ChannelSuite } from "./channel/peer.ts";
import type { ChannelPlace, GivenPlace } from "./channel/channel-place.ts";
import { hosted, placeOf } from "./channel/place.ts";
import type { Register } from "./conformance.ts";

type ChannelTest = (name: string, body: (place: ChannelPlace) => Promise<void>, needs?: ChannelGap) => void;

/**
 * Registers the tests. With a suite they are asked of the channel in a real agent as well, in front of a platform that can be told
 * to misbehave.
 */
export function channelConformance(register: Register, given: (() => Promise<GivenPlace>) | ChannelSuite): void {
  const create = typeof given === "function" ? () => hosted(given) : () => placeOf(given);
  if (typeof given !== "function") agentCases(register, given);
  const test: ChannelTest = (name, body, needs) => {
    if (typeof given !== "function" && needs !== undefined && given.gaps[needs] !== undefined)
      return registerGap(register, name, [needs], given);
    register(`channel: ${name}`, async () => {
      const place = await create();
      try {
        await body(place);
      } finally {
        await place[Symbol.asyncDispose]?.();
      }
    });
  };
  namesItself(test);
  sends(test);
  longTexts(test);
  receives(test);
  answers(test);
}

function namesItself(test: ChannelTest): void {
  test("it names itself and its limit", (place) => {
    const { id, can } = place.channel;
    assert.match(id, /^[a-z][a-z0-9_-]*$/);
    assert.ok(can.text.max >= 1);
    assert.ok((can.live ?? can.edit) === undefined || place.channel.edit !== undefined, "who can edit has edit()");
    assert.ok(can.once !== "lookup" || place.channel.findSent !== undefined, "what looks up has findSent()");
    assert.equal(place.chat.channel, id);
    return Promise.resolve();
  });

  test("run ends when it is told to", async (place) => {
    const over = new AbortController();
    const ended = place.channel.run(recordingInbox(), over.signal);
    over.abort(new Error("enough"));
    await ended.catch((error: unknown) => assert.equal(error, over.signal.reason));
  });
}

function sends(test: ChannelTest): void {
  test("a text is shown once, as written, in order", async (place) => {
    await running(place, async () => {
      const texts = [
        "one",
        "two lines\nhere",
        "\u4f60\u597d \u{1f600} é",
        'a < b && "c" > d_e_f *g* [h](i) `j` 1. # k',
      ];
      for (const [index, text] of texts.entries())
        await place.channel.send(outbound(`r${index}`, place.chat, text), never());
      assert.deepEqual((await seen(place)).map(squeeze), texts.map(squeeze));
    });
  });

  test("a reply goes to the chat it is for", async (place) => {
    const { other } = place;
    if (other === undefined) return;
    await running(place, async () => {
      await place.channel.send(outbound("r1", other, "for the other"), never());
      await place.channel.send(outbound("r2", place.chat, "for the first"), never());
      assert.deepEqual([await seen(place), await seen(place, other)], [["for the first"], ["for the other"]]);
    });
  });

  test("CH7 a send that the platform refuses throws, and a later one arrives", async (place) => {
    if (place.refuse === undefined) return;
    const refuse = place.refuse.bind(place);
    await running(place, async () => {
      refuse(1);
      await assert.rejects(place.channel.send(outbound("r1", place.chat, "lost"), never()));
      assert.deepEqual(await seen(place), []);
      await place.channel.send(outbound("r1", place.chat, "found"), never());
      assert.deepEqual(await seen(place), ["found"]);
    });
  });

  test("a send that is aborted ends and shows nothing", async (place) => {
    await running(place, async () => {
      await assert.rejects(
        place.channel.send(outbound("r1", place.chat, "late"), AbortSignal.abort(new Error("stop"))),
      );
      assert.deepEqual(await seen(place), []);
    });
  });
}

function longTexts(test: ChannelTest): void {
  test("R259 a long reply arrives in pieces the platform takes, characters and code fences whole", async (place) => {
    await running(place, async () => {
      const limit = Math.min(place.channel.can.text.max, 100_000);
      const words = Array.from({ length: Math.ceil((limit * 2.5) / 8) }, (_, index) => `w${index}\u{1f600}<&`);
      const lines = words.map((word, index) => (index % 12 === 11 ? `${word}\n` : `${word} `)).join("");
      const text = `Before.\n\`\`\`js\n${lines}\n\`\`\`\nAfter.`;
      const { dialect, max } = place.channel.can.text;
      const cut = createPrinter(place.channel.can.text).cut(text, { from: 0, first: max });
      for (const [index, piece] of [...cut].entries()) {
        const key = index === 0 ? "r1" : `r1.${index + 1}`;
        const said = dialect === "markdown" ? piece.text : piece.plain;
        await place.channel.send({ ...outbound(key, place.chat, said), rendered: piece }, never());
      }
      const pieces = await seen(place);
      for (const piece of pieces) {
        assert.ok(piece.length <= (place.limit ?? place.channel.can.text.max), `a piece of ${piece.length} characters`);
        assert.ok(piece.isWellFormed(), "a character was cut in half");
        assert.equal((piece.match(/^```/gm) ?? []).length % 2, 0, "a code fence was left open");
      }
      const all = pieces.join(" ");
      assert.deepEqual(
        all.match(/w\d+\u{1f600}/gu),
        words.map((word) => word.slice(0, -2)),
      );
      assert.ok(all.startsWith("Before.") && all.trimEnd().endsWith("After."));
    });
  });

  test(
    "an edit changes the message it names and adds none",
    async (place) => {
      const { channel } = place;
      if (channel.can.edit === undefined || channel.edit === undefined) return;
      const edit = channel.edit.bind(channel);
      await running(place, async () => {
        const id = await channel.send(outbound("r1", place.chat, "draft"), never());
        assert.ok(id !== undefined, "a channel that can edit names its messages");
        await channel.send(outbound("r2", place.chat, "next"), never());
        await edit(id, outbound("r1", place.chat, "final"), never());
        await edit(id, outbound("r1", place.chat, "final"), never()); // the same text again is no error
        assert.deepEqual(await seen(place), ["final", "next"]);
      });
    },
    "edits",
  );
}

function receives(test: ChannelTest): void {
  test("R253 what a person writes is accepted with its chat, sender and text", async (place) => {
    if (place.write === undefined) return;
    const write = place.write.bind(place);
    await running(place, async (inbox) => {
      await write(1, "hello\nworld \u{1f600}");
      await inbox.received(1);
      const message = inbox.messages[0];
      assert.deepEqual(message?.origin, place.chat);
      assert.deepEqual(message?.parts, [{ type: "text", text: "hello\nworld \u{1f600}" }]);
      assert.equal(message?.from.kind, "person");
      assert.ok(message.key !== "" && message.from.id !== "");
    });
  });

  test("R256 a redelivered message has the key it had, another one has another", async (place) => {
    if (place.write === undefined) return;
    const write = place.write.bind(place);
    const keys: string[] = [];
    for (const ids of [[1, 2], [1]])
      await running(place, async (inbox) => {
        for (const id of ids) await write(id, `message ${id}`);
        await inbox.received(ids.length);
        keys.push(...inbox.messages.map((message) => message.key));
      });
    assert.equal(new Set(keys).size, 2);
  });
}

function answers(test: ChannelTest): void {
  test(
    "CH1 the platform is told only when the message cannot be lost",
    async (place) => {
      if (place.write === undefined || place.acknowledged === undefined) return;
      const write = place.write.bind(place);
      const acknowledged = place.acknowledged.bind(place);
      const hold = Promise.withResolvers<void>();
      await running(
        place,
        async (inbox) => {
          let told = false;
          const telling = acknowledged(1).then(() => (told = true));
          await write(1, "hello");
          await inbox.received(1);
          assert.equal(told, false);
          hold.resolve();
          await telling;
        },
        async () => {
          await hold.promise;
          return ACCEPTED;
        },
      );
    },
    "acknowledges",
  );

  test("a duplicate and a refused message do not stop the next", async (place) => {
    if (place.write === undefined) return;
    const write = place.write.bind(place);
    const answers: Accepted[] = [{ status: "duplicate" }, { status: "refused", reason: "no" }, ACCEPTED];
    await running(
      place,
      async (inbox) => {
        for (const id of [1, 2, 3]) await write(id, `message ${id}`);
        await inbox.received(3);
      },
      () => Promise.resolve(answers.shift() ?? ACCEPTED),
    );
  });
}

async function seen(place: ChannelPlace, to: Address = place.chat): Promise<readonly string[]> {
  return (await place.shown())
    .filter((message) => message.to.chat === to.chat && message.to.thread === to.thread)
    .map((message) => message.text);
}

const ACCEPTED: Accepted = {
  status: "accepted",
  session: "session-1" as SessionId,
  sessionKey: "s",
  seq: 1 as Seq,
  message: "m",
}; // what a session would mint

interface RecordingInbox extends ChannelInbox {
  readonly messages: readonly InboundMessage[];
  received(count: number): Promise<void>;
}

type Answer = (message: InboundMessage) => Promise<Accepted>;
function recordingInbox(answer: Answer = () => Promise.resolve(ACCEPTED)): RecordingInbox {
  const messages: InboundMessage[] = [];
  const watchers = new Set<() => void>();
  const ignored = (): Promise<"ignored"> => Promise.resolve("ignored");
  return {
    messages,
    accept(message) {
      messages.push(message);
      for (const watcher of watchers) watcher();
      return answer(message);
    },
    press: () => Promise.resolve({ status: "unknown", text: "No question belongs to this button." }),
    admits: () => Promise.resolve(true),
    edited: () => Promise.resolve({ status: "ignored", why: "seen" }),
    ...{ reacted: ignored, removed: ignored, undelivered: ignored },
    received: (count) =>
      new Promise((resolve) => {
        const check = (): unknown => messages.length >= count && resolve();
        watchers.add(check);
        check();
      }),
  };
}

/** Runs the channel around `body`. A channel that stops by itself fails the test. */
async function running(
  place: ChannelPlace,
  body: (inbox: RecordingInbox) => Promise<void>,
  answer?: (message: InboundMessage) => Promise<Accepted>,
): Promise<void> {
  const controller = new AbortController();
  const inbox = recordingInbox(answer);
  let over = false;
  const run = place.channel.run(inbox, controller.signal).then(() => {
    if (!over) throw new Error("run() ended although nobody asked.");
  });
  try {
    await Promise.race([body(inbox), run]);
  } finally {
    over = true;
    controller.abort(new Error("the test is over"));
    await run.catch((error: unknown) => assert.equal(error, controller.signal.reason));
  }
}

function outbound(reply: string, to: Address, text: string): OutboundMessage {
  return { reply, to, kind: "reply", parts: [{ type: "text", text }] };
}

// Platforms may show runs of blanks differently.
function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
