/**
 * The model test of a channel: anything happens in any order, and in the end each message was answered once, in the order of its
 * chat. `MARGAY_CHANNEL_EVENTS=200`: so many in each sequence; `MARGAY_CHANNEL_RUNS=20`: so many sequences;
 * `MARGAY_CHANNEL_SEED=N`: others.
 */
import fc from "fast-check";
import { expect } from "vitest";
import { defineTool } from "../../src/tools/define.ts";
import type { JsonObject } from "../../src/contract/base.ts";
import type { Channel } from "../../src/contract/channel.ts";
import type { Policy } from "../../src/contract/policy.ts";
import type { Tool } from "../../src/contract/tool.ts";
import type { RecordedRequest } from "../../src/testing/mock-llm/request.ts";
import { callsTool, says } from "../../src/testing/mock-llm/script.ts";
import type { Register } from "../../src/testing/conformance.ts";
import { always, eventually, openHouse, type House, type Margay } from "../../src/testing/channel/house.ts";
import type { ChannelSuite, PeerFault } from "../../src/testing/channel/peer.ts";

const EVENTS = Number(process.env["MARGAY_CHANNEL_EVENTS"] ?? 20);
const RUNS = Number(process.env["MARGAY_CHANNEL_RUNS"] ?? 1);
const SEED = Number(process.env["MARGAY_CHANNEL_SEED"] ?? 20_260_301);
const GUESTS = 3;
const FAULTS = ["before", "lost", "half", "garbage", "error", "slow"] as const satisfies readonly PeerFault[];
/** After these nobody knows whether it left. */
const UNCERTAIN: readonly PeerFault[] = ["lost", "half", "garbage"];

type Event =
  | { readonly type: "write"; readonly by: number }
  | { readonly type: "again" | "edit"; readonly which: number }
  /** What has to be asked about before it is done, and is answered by a button where there are any. */
  | { readonly type: "ask" | "press"; readonly by: number }
  | { readonly type: "fault"; readonly how: (typeof FAULTS)[number] }
  | { readonly type: "break" | "restart" | "kill" };

const EVENT: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("write" as const), by: fc.nat(GUESTS - 1) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom("again" as const, "edit" as const), which: fc.nat(1000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom("ask" as const, "press" as const), by: fc.nat(GUESTS - 1) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("fault" as const), how: fc.constantFrom(...FAULTS) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("break" as const, "restart" as const, "kill" as const) }) },
);

export function channelModel(register: Register, suite: ChannelSuite): void {
  register(
    `channel: the model: whatever happens in any order, each message is answered once, in the order of its chat (seed ${SEED})`,
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(EVENT, { minLength: EVENTS, maxLength: EVENTS }), fc.boolean(), (events, isLive) =>
          happens(suite, events, isLive),
        ),
        { seed: SEED, numRuns: RUNS, endOnFailure: true },
      ),
  );
}

const PRESS_MS = 100;

function withoutLive(channel: Channel): Channel {
  const { live: _live, ...can } = channel.can;
  return { ...channel, can };
}

/** What is written with NOTE is noted first, after a question; then all is answered that nobody has answered. */
function noting({ messages }: RecordedRequest): ReturnType<typeof says> {
  const behind = (last: (message: RecordedRequest["messages"][number]) => boolean): string =>
    JSON.stringify(messages.slice(messages.findLastIndex(last) + 1).flatMap(({ parts }) => parts));
  if (behind(({ role }) => role === "assistant").includes("NOTE")) return callsTool("note", {});
  const open = behind(({ role, parts }) => role === "assistant" && JSON.stringify(parts).includes("Answer to"));
  const names = new Set([...open.matchAll(/\bto (\d+)\b/g)].map(([, name = ""]) => name));
  return says([...names].map((name) => `Answer to ${name}.`).join(" "));
}

function noteInto(noted: unknown[]): Tool {
  return defineTool<JsonObject>({
    name: "note",
    description: "Writes something down.",
    input: { type: "object", properties: {} },
    effect: "write",
    execute: (input) => {
      noted.push(input);
      return Promise.resolve("It is written down.");
    },
  });
}

const ASKS: Policy = {
  admit: () => Promise.resolve({ ok: true }),
  judge: () => Promise.resolve({ kind: "ask", rule: "test", prompt: "Write it down?", expiresInMs: 1e9 }),
};

interface Said {
  readonly by: number;
  readonly message: unknown;
}

async function happens(suite: ChannelSuite, events: readonly Event[], isLive: boolean): Promise<void> {
  await using house = await openHouse(suite);
  const { peer, model } = house;
  model.replies(...always(noting, 5000));
  const noted: unknown[] = [];
  const guests = await Promise.all(Array.from({ length: GUESTS }, () => house.guest()));
  const start = (): Promise<Margay> =>
    house.start({
      agent: { policy: ASKS, tools: [noteInto(noted)], mayApprove: () => true },
      ...(!isLive && { channel: withoutLive }),
    });
  let margay = await start();
  const said: Said[] = [];
  let doubts = 0;
  let asks = 0;
  const write = async (by: number, more = ""): Promise<void> => {
    const { person, chat } = guests[by % GUESTS] ?? fail();
    said.push({ by, message: await house.write(person, chat, `to ${said.length + 1}${more}`) });
  };
  // A channel asks for what it missed in chats that it knows.
  for (const by of guests.keys()) await write(by);
  await answered(house, guests, said, margay);
  for (const event of events)
    switch (event.type) {
      case "write":
        await write(event.by);
        break;
      case "again":
        if (suite.gaps.again === undefined) await peer.again?.(said[event.which % said.length]?.message, margay.host);
        break;
      case "edit": {
        const { by, message } = said[event.which % said.length] ?? fail();
        const { person } = guests[by % GUESTS] ?? fail();
        await peer.edit?.(person, message, `to ${(event.which % said.length) + 1}, in other words`);
        break;
      }
      case "ask":
        if (suite.gaps.buttons !== undefined) break;
        asks += 1;
        await write(event.by, " NOTE");
        break;
      case "press": {
        const { person, chat } = guests[event.by % GUESTS] ?? fail();
        await peer.press?.(person, chat);
        break;
      }
      case "fault":
        if (peer.faultless?.includes(event.how) === true) break;
        peer.fault(event.how, 1);
        if (UNCERTAIN.includes(event.how)) doubts += 1;
        break;
      case "break":
        if (suite.gaps.reconnects === undefined) await peer.break?.("cut");
        break;
      case "restart":
      case "kill":
        await (event.type === "restart" ? margay.stop() : margay.end());
        doubts += 1;
        margay = await start();
        await margay.agent.resume();
        break;
    }
  await answered(house, guests, said, margay);
  expect(noted.length).toBeLessThanOrEqual(asks);
  // Of the first words of a running answer nothing is written down before they leave: a crash may leave them above it.
  // A key that is known for a while is none after it, and time leaps here.
  const { once: known, onceMs } = margay.channel.can;
  const most = known === "no" || onceMs !== undefined || isLive ? 1 + doubts : 1;
  for (const [by, { chat }] of guests.entries()) {
    const found = await answersIn(house, chat);
    const own = said.flatMap((one, index) => (one.by % GUESTS === by ? [index + 1] : []));
    const once = [...new Set(found)];
    expect(once).toEqual(own);
    for (const number of own) expect(found.filter((one) => one === number).length).toBeLessThanOrEqual(most);
  }
}

type Guests = readonly Awaited<ReturnType<House["guest"]>>[];

async function answered(house: House, guests: Guests, said: readonly Said[], { agent }: Margay): Promise<void> {
  const all = async (): Promise<boolean> => {
    const found = await Promise.all(guests.map(({ chat }) => answersIn(house, chat)));
    return new Set(found.flat()).size >= said.length;
  };
  // Whoever is asked presses, and presses again: once is enough.
  let pressedAt = 0;
  const pressed = async (): Promise<boolean> => {
    if (Date.now() - pressedAt > PRESS_MS) {
      pressedAt = Date.now();
      for (const { person, chat } of guests) await house.peer.press?.(person, chat);
    }
    return all();
  };
  await eventually(`${said.length} answers`, pressed, 60_000).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${house.troubles()}`, { cause: error });
  });
  await agent.idle();
}

async function answersIn(house: House, chat: Parameters<House["shown"]>[0]): Promise<readonly number[]> {
  const texts = (await house.shown(chat)).map(({ text }) => text);
  return texts.flatMap((text) => [...text.matchAll(/Answer to (\d+)\./g)].map(([, number]) => Number(number)));
}

function fail(): never {
  throw new Error("there is no such guest");
}
