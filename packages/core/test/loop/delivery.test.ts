// What becomes of a reply whose sending goes wrong: order, receipts, waits, bugs.
import { describe, expect, onTestFinished, test } from "vitest";
import type { Channel, OutboundMessage } from "../../src/index.ts";
import { ChannelFault } from "../../src/internal.ts";
import { createPrinter } from "../../src/channels/markup/printer.ts";
import { callsTool, recordingChannel, says } from "../../src/testing.ts";
import { type FakeClock, type RecordingChannel } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

const reply = (id: string, text: string, chat = "1"): OutboundMessage => ({
  reply: id,
  to: { channel: "test", chat },
  kind: "message",
  parts: [{ type: "text", text }],
});

/** The channel with another `send`. */
function sending(channel: RecordingChannel, send: (message: OutboundMessage) => Error | undefined): Channel {
  return {
    ...channel,
    send: (message, signal) => {
      const failure = send(message);
      return failure === undefined ? channel.send(message, signal) : Promise.reject(failure);
    },
  };
}

/** Lets all waits pass until `done`. */
async function pass(clock: FakeClock, done: Promise<unknown>): Promise<void> {
  const over = done.then(() => "over" as const);
  for (;;) {
    const next = await Promise.race([clock.waitForSleep(1), over]);
    if (next === "over") return;
    await clock.advance(next);
  }
}

describe("pieces", () => {
  const words = "one two\nthree\nfour five\nsix seven";

  test("CH80 of a file that the platform does not take its name is said, and nothing of the reply is lost", async (t) => {
    const channels = [undefined, 3, 2].map((maxBytes, n) =>
      recordingChannel(`test${n}`, maxBytes === undefined ? {} : { media: { maxBytes } }),
    );
    const { agent } = await startAgent(t, { channels });
    const blob = await agent.blobs.put(Buffer.from("abc"));
    const file = { type: "media", mediaType: "text/plain", blob, name: "list.txt" } as const;
    for (const { id } of channels)
      await agent.bus.send(`${id}:1`, {
        reply: "a",
        to: { channel: id, chat: "1" },
        kind: "message",
        parts: [{ type: "text", text: "here" }, file],
      });
    await agent.idle();
    const text = (words: string) => ({ type: "text", text: words });
    expect(channels.map(({ sent }) => sent[0]?.parts)).toEqual([
      [text("here\n[list.txt]")],
      [text("here"), file],
      [text("here\n[list.txt]")],
    ]);
  });

  test("DF23 CH40 CH41 a restart goes on with the first piece without receipt, and keeps the ids of all", async (t) => {
    const channel = recordingChannel("test", { text: { dialect: "markdown", max: 10 } });
    const flaky = sending(channel, ({ reply }) => (reply === "a.3" ? new ChannelFault("again", "away") : undefined));
    const started = await startAgent(t, { channels: [flaky] });
    await started.agent.bus.send(CHAT, reply("a", words));
    await started.agent.idle();
    expect(channel.sent.map(({ reply }) => reply)).toEqual(["a", "a.2"]);
    const before = (await started.agent.sessions.find(CHAT))?.state;
    const { agent, clock, records } = await started.restart({ channels: [channel] });
    expect((await agent.sessions.find(CHAT))?.state).toEqual(before);
    await agent.resume();
    await pass(clock, channel.received(4));
    await agent.idle();
    expect(channel.sent.map(({ reply }) => reply)).toEqual(["a", "a.2", "a.3", "a.4"]);
    expect(channel.texts().join("\n")).toBe(words);
    const journal = (await records(CHAT)).filter(({ type }) => type.startsWith("reply."));
    expect(ofType(journal, "reply.delivered")).toEqual([
      { type: "reply.delivered", reply: "a", ids: ["platform-1", "platform-2", "platform-3", "platform-4"] },
    ]);
    // The intent of each piece comes before its receipt, and the receipt before the next intent.
    const order = journal.flatMap((record) =>
      record.type === "reply.sending" || record.type === "reply.sent" ? [`${record.type} ${record.piece}`] : [],
    );
    expect(order.filter((line, at) => line !== order[at - 1])).toEqual(
      [1, 2, 3, 4].flatMap((piece) => [`reply.sending ${piece}`, `reply.sent ${piece}`]),
    );
  });

  test.each([
    // What may have left leaves as it was: its key must not stand for other words.
    [24, ["three", "four five\nsix seven"]],
    [6, ["three", "four", "five", "six", "seven"]],
  ] as const)("DF23 CH41 a limit of %i after the restart neither repeats nor loses a word", async (maxChars, rest) => {
    const channel = recordingChannel("test", { text: { dialect: "markdown", max: 10 } });
    const flaky = sending(channel, ({ reply }) => (reply === "a.2" ? new ChannelFault("again", "away") : undefined));
    const started = await startAgent({ onTestFinished }, { channels: [flaky] });
    await started.agent.bus.send(CHAT, reply("a", words));
    await started.agent.idle();
    expect(channel.texts()).toEqual(["one two"]);
    const other = recordingChannel("test", { text: { dialect: "markdown", max: maxChars } });
    const { agent, clock } = await started.restart({ channels: [other] });
    await agent.resume();
    await pass(clock, other.received(rest.length));
    await agent.idle();
    expect(other.texts().map((text) => text.trim())).toEqual(rest);
  });

  test("DF23 CH53 a reply that was given up goes on behind what has left when a person asks for it again", async (t) => {
    const channel = recordingChannel("test", { text: { dialect: "markdown", max: 10 } });
    let gone = true;
    const flaky = sending(channel, ({ reply }) =>
      gone && reply === "a.3" ? new ChannelFault("refused", "The chat is gone.") : undefined,
    );
    const { agent } = await startAgent(t, { channels: [flaky] });
    await agent.bus.send(CHAT, reply("a", words));
    await agent.idle();
    expect((await agent.sessions.find(CHAT))?.state.undelivered).toMatchObject([{ reply: "a", left: { piece: 2 } }]);
    gone = false;
    await agent.bus.send(CHAT, reply("a", words));
    await agent.idle();
    expect(channel.texts().join("\n")).toBe(words);
  });

  test("CH41 pieces lie in order in their text, leave out blanks alone, and go on the same from each of their ends", () => {
    const code = Array.from({ length: 30 }, (_, n) => `const v${n} = "${"x".repeat(n)}";`).join("\n");
    const text = `Here:\n\`\`\`ts\n${code}\n\`\`\`\r\n\n${"word ".repeat(60)}\n~~~\nraw\n~~~\n${"😀".repeat(90)}\n\n\n\n\n`;
    for (const maxChars of [40, 64, 99, 400]) {
      const { cut } = createPrinter({ dialect: "markdown", max: maxChars });
      const ranges = [...cut(text, { from: 0, first: maxChars })];
      let at = 0;
      for (const [index, range] of ranges.entries()) {
        expect(text.slice(at, range.from).trim()).toBe("");
        expect(range.text.length).toBeLessThanOrEqual(maxChars);
        const words = (pieces: readonly { readonly plain: string }[]): string =>
          pieces
            .map(({ plain }) => plain)
            .join("")
            .replaceAll(/\s/g, "");
        expect(words([...cut(text, { from: range.to, first: maxChars })])).toBe(words(ranges.slice(index + 1)));
        at = range.to;
      }
      expect(text.slice(at).trim()).toBe("");
    }
  });
});

describe("what the platform says", () => {
  test("DF23 CH48 a platform that asks to wait is left alone that long, in all its chats, and it is no attempt", async (t) => {
    const channel = recordingChannel("test");
    const { agent, clock, records } = await startAgent(t, { channels: [channel] });
    channel.failNext(
      1,
      new ChannelFault("slow-down", "flood", { retryAfterMs: 238_000, scope: "channel", sent: "no" }),
    );
    await agent.bus.send(CHAT, reply("a", "first"));
    await agent.idle();
    await agent.bus.send("test:2", reply("b", "elsewhere", "2"));
    await agent.idle();
    expect(channel.attempts).toHaveLength(1);
    await clock.advance(237_000);
    expect(channel.attempts).toHaveLength(1);
    await pass(clock, channel.received(2));
    expect(clock.now()).toBeLessThanOrEqual(Date.UTC(2026, 2, 1, 12) + 238_000 * 1.1 + 1000);
    expect(ofType(await records(CHAT), "reply.failed")).toMatchObject([{ kind: "slow-down", sent: "no", attempt: 0 }]);
  });

  test("DF23 CH48 a wait that is longer than a reply is worth ends with the reply", async (t) => {
    const channel = recordingChannel("test");
    const { agent, clock, records } = await startAgent(t, {
      channels: [channel],
      settings: { deliveryRetryMs: 3_600_000 },
    });
    channel.failNext(9, new ChannelFault("slow-down", "flood", { retryAfterMs: 1e12 }));
    await agent.bus.send(CHAT, reply("a", "first"));
    await clock.advance(3_600_000);
    await agent.idle();
    expect(ofType(await records(CHAT), "reply.failed").at(-1)).not.toHaveProperty("retryAt");
  });

  test("DF23 CH46 failure/MAX_BUGS a bug in send is tried three times, told with its stack, and the next reply leaves", async (t) => {
    const channel = recordingChannel("test");
    const broken = sending(channel, ({ reply }) =>
      reply === "a" ? new TypeError("undefined is not a function") : undefined,
    );
    const { agent, clock, log } = await startAgent(t, { channels: [broken] });
    await agent.bus.send(CHAT, reply("a", "first"));
    await agent.bus.send(CHAT, reply("b", "second"));
    const begun = clock.now();
    await pass(clock, channel.received(1));
    expect(clock.now() - begun).toBeLessThan(60_000);
    await agent.idle();
    expect((await agent.sessions.find(CHAT))?.state.undelivered).toMatchObject([{ reply: "a" }]);
    const told = log.lines.filter(({ event }) => event === "reply.failed");
    expect(told.map(({ level }) => level)).toEqual(["error", "error", "error"]);
    expect(told[0]?.data["stack"]).toContain("delivery.test.ts");
  });

  test("DF23 CH46 a platform that is not reached is no bug, however the channel says it", async (t) => {
    const channel = recordingChannel("test");
    const { agent, clock } = await startAgent(t, { channels: [channel] });
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    channel.failNext(12, new TypeError("fetch failed", { cause: refused }));
    await agent.bus.send(CHAT, reply("a", "first"));
    await pass(clock, channel.received(1));
    expect(channel.texts()).toEqual(["[written at 2026-03-01T12:00:00.000Z]\nfirst"]);
  });

  test("DF23 CH47 failure/MAX_REFUSALS a reply that the platform itself refuses ten times is set aside, and the next one leaves", async (t) => {
    const channel = recordingChannel("test");
    const poisoned = sending(channel, ({ reply }) =>
      reply === "a" ? new ChannelFault("again", "500", { answered: true }) : undefined,
    );
    const { agent, clock, records } = await startAgent(t, { channels: [poisoned] });
    await agent.bus.send(CHAT, reply("a", "first"));
    await agent.bus.send(CHAT, reply("b", "second"));
    await pass(clock, channel.received(1));
    expect(channel.texts()[0]).toContain("second");
    expect(ofType(await records(CHAT), "reply.failed")).toHaveLength(10);
  });
});

describe("progress", () => {
  test("DF23 CH68 a reply waits for progress that is being shown, and what has not left by then never does", async (t) => {
    const channel = recordingChannel("test");
    const held = Promise.withResolvers<void>();
    const shown: string[] = [];
    const slow: Channel = {
      ...channel,
      send: async (message, signal) => {
        if (message.kind === "progress") await held.promise;
        shown.push(message.kind);
        return channel.send(message, signal);
      },
    };
    const { agent, model } = await startAgent(t, { channels: [slow], tools: [tool("look")] });
    model.replies(
      callsTool("look", { n: 1 }, { text: "I look." }),
      callsTool("look", { n: 2 }, { text: "I look again." }),
      says("the answer"),
    );
    await agent.send(CHAT, "go", { origin: { channel: "test", chat: "1" } }).finished;
    expect(shown).toEqual([]);
    held.resolve();
    await agent.idle();
    expect(shown).toEqual(["progress", "reply"]);
    expect(channel.texts()).toEqual(["I look.", "the answer"]);
  });

  test("DF23 CH68 progress that cannot be shown is no fault: the reply leaves, and nobody is alarmed", async (t) => {
    const channel = recordingChannel("test");
    const flaky = sending(channel, ({ kind }) => (kind === "progress" ? new ChannelFault("again", "away") : undefined));
    const { agent, model, log } = await startAgent(t, { channels: [flaky], tools: [tool("look")] });
    model.replies(callsTool("look", { n: 1 }, { text: "I look." }), says("the answer"));
    await agent.send(CHAT, "go", { origin: { channel: "test", chat: "1" } }).finished;
    await agent.idle();
    expect(channel.texts()).toEqual(["the answer"]);
    expect(log.lines.filter(({ event }) => event === "progress.failed")).toMatchObject([
      { level: "debug", data: { channel: "test", message: "away" } },
    ]);
    expect(log.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("DF23 CH68 a reply does not wait for ever", async (t) => {
    const channel = recordingChannel("test");
    const stuck: Channel = {
      ...channel,
      send: (message, signal) => (message.kind === "progress" ? new Promise(() => {}) : channel.send(message, signal)),
    };
    const { agent, clock, model } = await startAgent(t, { channels: [stuck], tools: [tool("look")] });
    model.replies(callsTool("look", { n: 1 }, { text: "I look." }), says("the answer"));
    await agent.send(CHAT, "go", { origin: { channel: "test", chat: "1" } }).finished;
    await pass(clock, channel.received(1));
    expect(channel.texts()).toEqual(["the answer"]);
    expect(clock.now()).toBeLessThanOrEqual(Date.UTC(2026, 2, 1, 12) + 10_000);
  });
});
