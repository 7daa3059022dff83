// What people and chats are called, as one channel keeps it: a day, ten thousand, over a restart.
import { onTestFinished, expect, test } from "vitest";
import type { Json } from "../../../src/contract/base.ts";
import type { ChannelState } from "../../../src/contract/channel.ts";
import type { ChannelInbox, InboundMessage } from "../../../src/contract/bus.ts";
import { channelShelf, keepNames, openChannelFolder } from "../../../src/internal.ts";
import { ChannelFault } from "../../../src/lib/errors/channel-fault.ts";
import { fakeClock } from "../../../src/testing.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { collectingLog } from "../../support/log.ts";

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

interface Place {
  readonly names: ReturnType<typeof keepNames>;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly log: ReturnType<typeof collectingLog>;
  /** Whom the platform was asked for. */
  readonly asked: string[];
  readonly taken: InboundMessage[];
  readonly say: (message: Partial<InboundMessage>) => Promise<InboundMessage | undefined>;
  /** The next process. */
  readonly again: () => Place;
}

/** @param memory in place of a disk, where the number of writes would be the test */
async function place(
  answer: (id: string, signal: AbortSignal) => Promise<string | undefined>,
  memory?: Map<string, Json>,
): Promise<Place> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const clock = fakeClock();
  const asked: string[] = [];
  const open = (): Place => {
    const log = collectingLog();
    const names = keepNames({
      ...{
        channel: "talk",
        state: memory === undefined ? openChannelFolder(channelShelf(folder.path, "talk"), clock) : stateIn(memory),
        clock,
        log,
      },
      ask: (id, kind, signal) => {
        asked.push(`${kind} ${id}`);
        return answer(id, signal);
      },
    });
    const taken: InboundMessage[] = [];
    const take = (message: InboundMessage): ReturnType<ChannelInbox["accept"]> => {
      taken.push(message);
      return Promise.resolve({ status: "duplicate" });
    };
    const inbox = names.inbox({ accept: take } as unknown as ChannelInbox); // of which nothing else is called
    const say: Place["say"] = async (message) => {
      const from = { id: "U1", kind: "person" } as const;
      const origin = { channel: "talk", chat: "c" };
      await inbox.accept({
        key: String(taken.length),
        origin,
        from,
        parts: [{ type: "text", text: "hi" }],
        ...message,
      });
      return taken.at(-1);
    };
    return { names, clock, log, asked, taken, say, again: open };
  };
  return open();
}

function stateIn(memory: Map<string, Json>): Pick<ChannelState, "value" | "setValue"> {
  return {
    value: (name) => memory.get(name),
    setValue: async (name, value = null) => {
      await Promise.resolve();
      memory.set(name, value);
    },
  };
}

test("CH86 CH25 a message is taken while nothing is asked; the next one has the name, also in the next process, for a day", async () => {
  const first = await place((id) => Promise.resolve(`name of ${id}`));
  const said = { unnamed: ["U1", "U2"], parts: [{ type: "text", text: "@U2 @U1x" }] } as const;
  expect(await first.say(said)).toMatchObject({ from: { id: "U1" }, unnamed: ["U1", "U2"] });
  expect(await first.names.nameOf("U2", "person", never)).toBe("name of U2");
  const named = { from: { id: "U1", name: "name of U1" }, parts: [{ text: "@name of U2 @U1x" }] };
  expect(await first.say(said)).toMatchObject(named);
  expect(first.taken.at(-1)).not.toHaveProperty("unnamed");
  const next = first.again();
  expect(await next.say(said)).toMatchObject(named);
  expect(next.asked).toEqual(["person U1", "person U2"]);
  await next.clock.advance(24 * HOUR_MS);
  expect(await next.say(said)).toMatchObject(named); // waits for nobody, and is asked anew behind it
  expect(next.asked).toHaveLength(4);
});

test("CH86 who presses a button is called what they are known to be called", async () => {
  const { names } = await place((id) => Promise.resolve(`name of ${id}`));
  const pressed: Parameters<ChannelInbox["press"]>[0][] = [];
  const press: ChannelInbox["press"] = (one) => {
    pressed.push(one);
    return Promise.resolve({ status: "done", text: "" });
  };
  const inbox = names.inbox({ press } as unknown as ChannelInbox); // of which nothing else is called
  const by = {
    key: "k",
    token: "t",
    from: { id: "U1", kind: "person" },
    origin: { channel: "talk", chat: "c" },
  } as const;
  await inbox.press(by);
  await names.nameOf("U1", "person", never);
  await inbox.press(by);
  expect(pressed.map(({ from }) => from.name)).toEqual([undefined, "name of U1"]);
});

test("CH86 a group is called by its name as soon as that is known", async () => {
  const wanted = Promise.withResolvers<void>();
  const { say, names, asked } = await place((id) => {
    wanted.resolve();
    return Promise.resolve(`room ${id}`);
  });
  expect(await say({ chat: "group" })).not.toHaveProperty("title");
  await wanted.promise;
  await names.nameOf("c", "chat", never);
  expect(await say({ chat: "group" })).toMatchObject({ title: "room c" });
  expect(await say({ chat: "group", title: "own" })).toMatchObject({ title: "own" });
  await say({ chat: "private" });
  expect(asked).toEqual(["chat c"]);
});

test("CH86 kept-names/MAX_IN_SHARD kept-names/MAX_ID_CHARS names/words/MAX_CHARS of more than ten thousand the oldest go, and an id that is a page is none", async () => {
  const memory = new Map<string, Json>();
  const { names, asked } = await place((id) => Promise.resolve(`${"名".repeat(99)}${id}`), memory);
  const ids = Array.from({ length: 12_000 }, (_, n) => `U${n}`);
  for (const id of ids) await names.nameOf(id, "person", never);
  const kept = [...memory.values()].flat().length;
  expect([kept > 9900, kept <= 10_000]).toEqual([true, true]);
  expect(Math.max(...[...memory.values()].map((value) => Buffer.byteLength(JSON.stringify(value))))).toBeLessThan(
    65_536,
  );
  asked.length = 0;
  expect(await names.nameOf("U11999", "person", never)).toBe("名".repeat(80));
  expect(asked).toEqual([]);
  await names.nameOf("U0", "person", never);
  await names.nameOf("x".repeat(257), "person", never);
  expect(asked).toEqual(["person U0"]);
});

test("CH86 many who wait for one name ask once, and a platform that hangs is let go", async () => {
  const { names, say, asked, clock, log } = await place(() => new Promise(() => {}));
  const all = [names.nameOf("U1", "person", never), names.nameOf("U1", "person", never)];
  expect(await say({ unnamed: ["U1"] })).toMatchObject({ unnamed: ["U1"] });
  await clock.waitForSleep(10_000, 10_000);
  await clock.advance(10_000);
  expect(await Promise.all(all)).toEqual([undefined, undefined]);
  expect(asked).toEqual(["person U1"]);
  expect(log.lines).toMatchObject([{ event: "channel.name-unknown" }]);
  expect(await say({ unnamed: ["U1"] })).not.toHaveProperty("unnamed"); // nobody waits for it again, for an hour
  await clock.advance(HOUR_MS);
  expect(await say({ unnamed: ["U1"] })).toMatchObject({ unnamed: ["U1"] });
});

test("CH86 a permission that is missing is asked for once an hour, whoever writes", async () => {
  const { names, asked, clock } = await place(() => Promise.reject(new ChannelFault("config", "no scope")));
  for (const id of ["U1", "U2", "U3"]) expect(await names.nameOf(id, "person", never)).toBeUndefined();
  expect(asked).toEqual(["person U1"]);
  await clock.advance(HOUR_MS);
  await names.nameOf("U2", "person", never);
  expect(asked).toEqual(["person U1", "person U2"]);
});

test("CH86 kept-names/MAX_PAUSED of ten thousand that could not be had nobody is asked for again; of more they are", async () => {
  const { names, asked } = await place(() => Promise.reject(new Error("not now")));
  for (let n = 0; n < 10_000; n++) await names.nameOf(`U${n}`, "person", never);
  await names.nameOf("U0", "person", never);
  expect(asked).toHaveLength(10_000);
  for (const id of ["U10000", "U0"]) await names.nameOf(id, "person", never);
  expect(asked.slice(-2)).toEqual(["person U10000", "person U0"]);
});
