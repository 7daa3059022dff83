/** What people write: as written, once, in order, and nothing else is taken for a message. */
import assert from "node:assert/strict";
import type { Channel } from "../../contract/channel.ts";
import type { Address } from "../../contract/message.ts";
import { says } from "../mock-llm/script.ts";
import type { Case } from "./cases.ts";
import { always, answering, eventually, heard, type House, wordsOf } from "./house.ts";

/** `MARGAY_CHANNEL_MESSAGES=100`: so many of each of two people. */
const MESSAGES = Number(process.env["MARGAY_CHANNEL_MESSAGES"] ?? 0);

const BURST_MS = 2000;

const TEXTS: readonly string[] = [
  "two lines\nand\n\na gap",
  "emoji \u{1f600} \u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466} \u{1f1e9}\u{1f1ea} in the middle",
  "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 abc",
  "e\u0301 n\u0303 \u0e01\u0e33 \u4f60\u597d",
  'a < b && "c" > d; *e* _f_ `g` [h](i) & <j@k.example>',
];

export function inbound(test: Case): void {
  test("CH110 what a person writes arrives as written: lines, emoji, right to left, marks, and as much as they can write", async (house) => {
    const { peer, model } = house;
    const margay = await house.start();
    model.replies(...always(says("yes")));
    const { person, chat } = await house.guest();
    const long = "wörd ".repeat(1000).slice(0, (peer.longest ?? 4000) - 1);
    const texts = [...TEXTS, `${long}.`];
    for (const text of texts) await house.write(person, chat, text);
    await eventually("all are heard", async () => (await heard(margay, chat)).length === texts.length);
    const said = (await heard(margay, chat)).map(wordsOf);
    assert.deepEqual(said.map(trimmed), texts.map(trimmed));
  });

  test("CH112 CH23 two messages of one text at one moment are two", async (house) => {
    const margay = await house.start();
    const { person, chat } = await house.guest();
    await Promise.all([house.write(person, chat, "the same"), house.write(person, chat, "the same")]);
    await eventually("both are heard", async () => (await heard(margay, chat)).length === 2);
    await margay.agent.idle();
    assert.deepEqual((await heard(margay, chat)).map(wordsOf), ["the same", "the same"]);
  });

  test("CH113 what two write at once is heard in its order in each chat, and nothing is lost", async (house) => {
    const { model } = house;
    model.replies(...always(answering));
    const margay = await house.start();
    const guests = [await house.guest(), await house.guest()];
    const numbers = Array.from({ length: MESSAGES > 0 ? MESSAGES : (house.peer.few ?? 10) }, (_, index) => index + 1);
    for (const number of numbers)
      for (const { person, chat } of guests) await house.write(person, chat, `to ${number}`);
    for (const { chat } of guests) await allAnswered(house, chat, numbers);
    await margay.agent.idle();
    for (const { chat } of guests)
      assert.deepEqual(
        (await heard(margay, chat)).map(wordsOf),
        numbers.map((number) => `to ${number}`),
      );
  });

  missed(test);
  noise(test);
  again(test);
  threads(test);
}

function missed(test: Case): void {
  test("CH117 CH22 what is written while nobody listens is answered afterwards, once", async (house) => {
    const { model } = house;
    model.replies(...always(answering));
    const { person, chat } = await house.guest();
    const first = await house.start();
    await house.write(person, chat, "to 1");
    await allAnswered(house, chat, [1]);
    await first.stop();
    for (const number of [2, 3, 4]) await house.write(person, chat, `to ${number}`);
    await house.start();
    await allAnswered(house, chat, [1, 2, 3, 4]);
  });

  test("CH114 CH52 what was missed, and what is written while it is asked for, is answered in the order in which it was written", async (house) => {
    const { model } = house;
    model.replies(...always(answering));
    const { person, chat } = await house.guest();
    const first = await house.start();
    await house.write(person, chat, "to 1");
    await allAnswered(house, chat, [1]);
    await first.stop();
    for (const number of [2, 3]) await house.write(person, chat, `to ${number}`, { untold: true });
    const second = await house.start({ waits: false });
    for (const number of [4, 5]) await house.write(person, chat, `to ${number}`);
    await allAnswered(house, chat, [1, 2, 3, 4, 5]);
    assert.equal((await heard(second, chat)).length, 5);
  });

  test("CH126 CH77 five lines that somebody writes in two seconds are one turn, in their order", async (house) => {
    const { model } = house;
    model.replies(...always(answering));
    const channel = (one: Channel): Channel => ({ ...one, can: { ...one.can, burstMs: BURST_MS } });
    await house.start({ channel, time: "lasting" });
    const { person, chat } = await house.guest();
    for (const number of [1, 2, 3, 4, 5]) await house.write(person, chat, `to ${number}`);
    await allAnswered(house, chat, [1, 2, 3, 4, 5]);
    assert.equal(model.requests.length, 1);
  });
}

function again(test: Case): void {
  const words =
    "CH111 CH22 CH23 a message that is told again, at once, later, after a restart and over another connection, is one";
  test(
    words,
    async (house) => {
      const { peer, model } = house;
      model.replies(...always(answering));
      const { person, chat } = await house.guest();
      const first = await house.start();
      const message = await house.write(person, chat, "to 1");
      await peer.again?.(message, first.host);
      await allAnswered(house, chat, [1]);
      await peer.again?.(message, first.host);
      await house.write(person, chat, "to 2");
      await allAnswered(house, chat, [1, 2]);
      await first.stop();
      const second = await house.start();
      await peer.again?.(message, second.host);
      await house.write(person, chat, "to 3");
      await allAnswered(house, chat, [1, 2, 3]);
      assert.equal((await heard(second, chat)).length, 3);
    },
    { needs: ["again"] },
  );
}

function noise(test: Case): void {
  test(
    "CH118 CH28 a frame that is garbage, or of a kind from the future, or full of holes, stops nothing",
    async (house) => {
      const { peer, model } = house;
      model.replies(...always(answering));
      const margay = await house.start();
      const { person, chat } = await house.guest();
      for (const [index, what] of (["frame", "future", "hole"] as const).entries()) {
        await peer.garbage?.(what);
        await house.write(person, chat, `to ${index + 1}`);
      }
      await allAnswered(house, chat, [1, 2, 3]);
      assert.equal((await heard(margay, chat)).length, 3);
      assert.ok(margay.dead >= 1 || peer.readsAll === true, "what nobody can read is kept aside");
    },
    { needs: ["garbage"] },
  );

  for (const [what, row, needs] of [
    ["own", "CH54 what we said ourselves", []],
    ["system", "CH36 what the platform says itself", ["system"]],
  ] as const)
    test(
      `CH119 ${row} is no message of anybody`,
      async (house) => {
        const { peer, model } = house;
        model.replies(...always(answering));
        const margay = await house.start();
        const { person, chat } = await house.guest();
        await house.write(person, chat, "to 1");
        await allAnswered(house, chat, [1]);
        await peer.noise?.(what, person, chat);
        await house.write(person, chat, "to 2");
        await allAnswered(house, chat, [1, 2]);
        assert.deepEqual((await heard(margay, chat)).map(wordsOf), ["to 1", "to 2"]);
      },
      { needs },
    );
}

function threads(test: Case): void {
  test(
    "CH124 CH160 two threads of one chat are two conversations, and each gets its own answers, also at once",
    async (house) => {
      const { peer, model } = house;
      model.replies(...always(answering));
      const margay = await house.start();
      const { person, chat } = await house.guest();
      const places = [await peer.thread?.(chat, person), await peer.thread?.(chat, person)] as readonly Address[];
      for (const number of [1, 2])
        for (const [index, place] of places.entries()) await house.write(person, place, `to ${"ab"[index]}${number}`);
      for (const [index, place] of places.entries()) {
        const names = [1, 2].map((number) => `${"ab"[index]}${number}`);
        await allAnswered(house, place, names);
        const said = (await heard(margay, place)).map(wordsOf);
        assert.deepEqual(
          said.filter((text) => text.includes("to ")).map((text) => /to \w+/.exec(text)?.[0]),
          names.map((name) => `to ${name}`),
        );
      }
    },
    { needs: ["threads"] },
  );
}

/** Each of these was answered in that place, once, in this order. */
export async function allAnswered(house: House, place: Address, names: readonly (string | number)[]): Promise<void> {
  let found: readonly string[] = [];
  const look = async (): Promise<boolean> => {
    const texts = (await house.shown(place)).map(({ text }) => text);
    found = texts.flatMap((text) => [...text.matchAll(/Answer to (\w+)\./g)].map(([, name = ""]) => name));
    return found.length >= names.length;
  };
  await eventually(`answers to ${names.join(", ")}`, look).catch((error: unknown) => {
    throw new Error(`${String(error)}; there are those to ${found.join(", ")}; ${house.troubles()}`, { cause: error });
  });
  assert.deepEqual(found, names.map(String));
}

function trimmed(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}
