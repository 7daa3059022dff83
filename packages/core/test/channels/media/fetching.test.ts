// Files of messages: fetched once a message is accepted, and never in front of it.
import { expect, test } from "vitest";
import type { SentFile } from "../../../src/contract/message.ts";
import { recordingChannel, type RecordingChannel } from "../../../src/testing/recording-channel.ts";
import { says } from "../../../src/testing.ts";
import { raceAbort } from "../../../src/lib/async/abort.ts";
import { ChannelFault } from "../../../src/lib/errors/channel-fault.ts";
import { stalls } from "../../../src/internal-testing.ts";
import { CHAT, ofType, startAgent } from "../../support/agent.ts";

type Fetch = NonNullable<RecordingChannel["fetchMedia"]>;

const CAT: SentFile = { file: "c", name: "../cat.txt", locator: "a cat" };
const DOG: SentFile = { file: "d", name: "dog.txt", locator: "a dog" };

/** Files come when they are let. */
function heldChannel(): RecordingChannel & { readonly asked: Promise<void>; release(): void } {
  const channel = recordingChannel("test");
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const fetchMedia: Fetch = async (file, signal) => {
    asked.resolve();
    await raceAbort(held.promise, signal);
    return channel.fetchMedia!(file, signal);
  };
  return { ...channel, fetchMedia, asked: asked.promise, release: held.resolve };
}

async function rowsOf({ agent }: Awaited<ReturnType<typeof startAgent>>): Promise<readonly (readonly string[])[]> {
  const said = (await agent.sessions.find(CHAT))?.state.messages.filter(({ role }) => role === "user") ?? [];
  return said.map((row) =>
    row.role === "user"
      ? row.parts.map((part) => (part.type === "text" ? part.text : `<${part.name} ${part.mediaType}>`))
      : [],
  );
}

test("CH25 CH76 a message is accepted while its file hangs; its turn waits for it, and what comes behind waits too", async (t) => {
  const channel = heldChannel();
  const started = await startAgent(t, { channels: [channel] });
  const { agent, model } = started;
  model.replies(says("a cat"), says("later"));
  void agent.run(new AbortController().signal);
  expect(await channel.deliver("look", { files: [CAT] })).toMatchObject({ status: "accepted" });
  expect(await channel.deliver("what is it?")).toMatchObject({ status: "accepted" });
  await channel.asked;
  expect(model.requests).toEqual([]);
  channel.release();
  await agent.idle();
  expect((await rowsOf(started))[0]).toEqual(["<cat.txt text/plain>", "look"]);
  expect(JSON.stringify(model.requests[0]?.body)).toContain("cat.txt");
  expect(ofType(await started.records(), "media.fetched")).toMatchObject([{ file: "c", part: { name: "cat.txt" } }]);
});

test("CH25 what was not there when the process ended is fetched by the next one, and nothing that was", async (t) => {
  const channel = heldChannel();
  const started = await startAgent(t, { channels: [channel] });
  void started.agent.run(new AbortController().signal);
  await channel.deliver("look", { files: [CAT] });
  await channel.asked;
  const next = recordingChannel("test");
  const again = await started.restart({ channels: [next] });
  again.model.replies(says("a cat"));
  void again.agent.run(new AbortController().signal);
  await next.received(1);
  await again.agent.idle();
  expect(next.fetched).toEqual(["a cat"]);
  expect(await rowsOf(again)).toEqual([["<cat.txt text/plain>", "look"]]);
  expect(again.model.requests).toHaveLength(1);
  const last = recordingChannel("test");
  const third = await again.restart({ channels: [last] });
  await third.agent.resume();
  await third.agent.idle();
  expect(last.fetched).toEqual([]);
});

test("CH76 what cannot be had is one line; what a later attempt cures is there; the message is never lost", async (t) => {
  const channel = recordingChannel("test");
  const faults = [
    new ChannelFault("again", "the line broke"),
    new ChannelFault("slow-down", "too fast", { retryAfterMs: 10 }),
    new ChannelFault("refused", "the file is not there <|im_start|> sk-secret"),
  ];
  const fetchMedia: Fetch = (file, signal) => {
    const fault = faults.shift();
    return fault === undefined ? channel.fetchMedia!(file, signal) : Promise.reject(fault);
  };
  const started = await startAgent(t, {
    channels: [{ ...channel, fetchMedia }],
    redact: (text) => text.replaceAll("sk-secret", "[redacted]"),
  });
  started.model.replies(says("a dog"));
  void started.agent.run(new AbortController().signal);
  await channel.deliver("", { files: [CAT, { ...DOG, bytes: 26 * 1024 * 1024 }, DOG] });
  for (const ms of [1000, 5000]) {
    await started.clock.waitForSleep(ms);
    await started.clock.advance(ms);
  }
  await channel.received(1);
  expect(await rowsOf(started)).toEqual([
    [
      "<dog.txt text/plain>",
      "",
      "[The file cat.txt was sent and could not be fetched: the file is not there < |im_start| > [redacted]]",
      "[The file dog.txt was sent and could not be fetched: it is larger than 25 MB]",
    ],
  ]);
});

test("CH76 download/MAX_FILE_BYTES a stream that does not end is let go, and is said", async (t) => {
  const channel = recordingChannel("test");
  const part = Buffer.alloc(1024 * 1024);
  const fetchMedia: Fetch = () =>
    Promise.resolve(
      (async function* () {
        for (;;) yield part;
      })(),
    );
  const started = await startAgent(t, { channels: [{ ...channel, fetchMedia }] });
  started.model.replies(says("too much"));
  void started.agent.run(new AbortController().signal);
  await channel.deliver("look", { files: [CAT] });
  await channel.received(1);
  expect((await rowsOf(started))[0]?.[1]).toMatch(/could not be fetched: it is larger than 25 MB/);
});

test("CH76 keep-file/MAX_WAIT_MS a platform that asks for more than a minute is not waited for", async (t) => {
  const channel = recordingChannel("test");
  const fetchMedia: Fetch = () => Promise.reject(new ChannelFault("slow-down", "too fast", { retryAfterMs: 60_001 }));
  const started = await startAgent(t, { channels: [{ ...channel, fetchMedia }] });
  started.model.replies(says("a pity"));
  void started.agent.run(new AbortController().signal);
  await channel.deliver("look", { files: [CAT] });
  await channel.received(1);
  expect((await rowsOf(started))[0]?.[1]).toMatch(/could not be fetched: too fast/);
});

test("CH25 a message that is taken back is fetched no longer", async (t) => {
  const channel = heldChannel();
  const started = await startAgent(t, { channels: [channel] });
  void started.agent.run(new AbortController().signal);
  await channel.deliver("look", { key: "1", files: [CAT] });
  await channel.asked;
  expect(await channel.erase("1")).toBe("withdrawn");
  await started.agent.idle(); // nothing waits for a file that nobody sends any more
  expect(channel.fetched).toEqual([]);
  expect(started.model.requests).toEqual([]);
});

test("CH25 a running turn does not wait for a file of what is said meanwhile", async (t) => {
  const channel = heldChannel();
  const started = await startAgent(t, { channels: [channel], settings: { steering: true } });
  const { agent, model } = started;
  const first = stalls({ rest: says("hello") });
  model.replies(first, says("a cat"));
  void agent.run(new AbortController().signal);
  await channel.deliver("hi");
  await model.received(1);
  await channel.deliver("look", { files: [CAT] });
  await channel.asked;
  first.release();
  await channel.received(1);
  channel.release();
  await channel.received(2);
  expect(channel.texts()).toEqual(["hello", "a cat"]);
});

test("CH34 an edit fetches what is new in it, and keeps what it still has", async (t) => {
  const channel = recordingChannel("test");
  const started = await startAgent(t, { channels: [channel] });
  const { agent, model } = started;
  const first = stalls({ rest: says("one moment") });
  model.replies(first, says("both"));
  void agent.run(new AbortController().signal);
  await channel.deliver("begin");
  await model.received(1);
  await channel.deliver("look", { key: "m", files: [CAT] });
  const there = async (count: number): Promise<void> => {
    const session = await agent.sessions.find(CHAT);
    const isThere = (): boolean =>
      session!.state.pending[0]?.message.parts.filter(({ type }) => type === "media").length === count;
    if (!isThere())
      await new Promise<void>((resolve) => {
        const end = session!.subscribe(() => {
          if (!isThere()) return;
          end();
          resolve();
        });
      });
  };
  await there(1);
  expect(await channel.change("m", "look at both", { files: [{ ...CAT, locator: "signed anew" }, DOG] })).toEqual({
    status: "replaced",
  });
  await there(2);
  expect(channel.fetched).toEqual(["a cat", "a dog"]);
  expect(await channel.change("m", "look at the dog", { files: [DOG] })).toEqual({ status: "replaced" });
  expect(await channel.change("m", "see the dog", { media: "kept" })).toEqual({ status: "replaced" });
  first.release();
  await agent.idle();
  expect(channel.fetched).toEqual(["a cat", "a dog"]);
  expect((await rowsOf(started))[1]).toEqual(["<dog.txt text/plain>", "see the dog"]);
});

test("PE59 CH25 of a stranger nothing is fetched", async (t) => {
  const channel = recordingChannel("test");
  const started = await startAgent(t, {
    channels: [channel],
    policy: {
      admit: () => Promise.resolve({ ok: false, reason: "who?" }),
      judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
    },
  });
  void started.agent.run(new AbortController().signal);
  expect(await channel.deliver("look", { files: [CAT] })).toMatchObject({ status: "refused" });
  await started.agent.idle();
  expect(channel.fetched).toEqual([]);
});

test("CH81 a file of ten megabytes is kept with at most two more in memory than without", async (t) => {
  const channel = recordingChannel("test");
  const part = Buffer.alloc(65_536, "margay ");
  let peak = 0;
  const before = process.memoryUsage().arrayBuffers;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  };
  const fetchMedia: Fetch = () =>
    Promise.resolve(
      (async function* () {
        for (let sent = 0; sent < 10 * 1024 * 1024; sent += part.length) {
          yield part;
          look();
        }
      })(),
    );
  const started = await startAgent(t, { channels: [{ ...channel, fetchMedia }] });
  started.model.replies(says("kept"));
  void started.agent.run(new AbortController().signal);
  const session = await started.agent.sessions.open(CHAT, { channel: "test", chat: "1" });
  session.subscribe(look);
  await channel.deliver("look", { files: [CAT] });
  await channel.received(1);
  expect(await rowsOf(started)).toEqual([["<cat.txt text/plain>", "look"]]);
  expect(peak).toBeLessThan(2 * 1024 * 1024);
});
