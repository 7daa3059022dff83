/** What is shown while the model still speaks, and what is said without being asked. */
import assert from "node:assert/strict";
import type { Address } from "../../contract/message.ts";
import { fails, says, stalls } from "../mock-llm/script.ts";
import type { Case } from "./cases.ts";
import { always, answering, eventually, sendTo } from "./house.ts";
import { allAnswered } from "./inbound.ts";
import type { ChannelGap } from "./peer.ts";

const FIRST = "The first half, which is long enough to be seen by whoever waits for it. ";

export function live(test: Case): void {
  test(
    "CH160 CH66 two answers that are written at once are two messages, each in its own chat",
    async (house) => {
      const { model } = house;
      await house.start();
      const guests = [await house.guest(), await house.guest()];
      const gates = guests.map((_, index) =>
        stalls({ after: `${FIRST}(${index})`, rest: says(` And the end of ${index}.`) }),
      );
      for (const [index, gate] of gates.entries()) model.route(({ raw }) => raw.includes(`question ${index}`), gate);
      for (const [index, { person, chat }] of guests.entries()) await house.write(person, chat, `question ${index}`);
      const texts = async (chat: Address): Promise<string> =>
        (await house.shown(chat)).map(({ text }) => text).join("\n");
      for (const [index, { chat }] of guests.entries())
        await eventually("it is shown", async () => (await texts(chat)).includes(`(${index})`));
      for (const gate of gates) gate.release();
      for (const [index, { chat }] of guests.entries()) {
        await eventually("its end", async () => (await texts(chat)).includes(`the end of ${index}`));
        assert.equal((await house.texts(chat, 1)).length, 1);
        assert.ok(!(await texts(chat)).includes(`(${1 - index})`));
      }
    },
    { needs: ["edits"] },
  );

  lost(test);
  test(
    "CH164 CH66 an answer that breaks off in the middle says so where it was shown, and the next one is its own message",
    async (house) => {
      const { model } = house;
      const margay = await house.start({ agent: { settings: { requestAttempts: 1 } } });
      const { person, chat } = await house.guest();
      const gate = stalls({ after: FIRST, rest: says("never said") });
      model.replies(gate, ...always(answering));
      await house.write(person, chat, "a question");
      await eventually("it is shown", async () =>
        (await house.shown(chat)).some(({ text }) => text.includes("first half")),
      );
      await house.write(person, chat, "/stop");
      await eventually("it is over", async () => (await house.shown(chat)).some(({ text }) => /stopp/i.test(text)));
      await margay.agent.idle();
      await house.write(person, chat, "to 2");
      await allAnswered(house, chat, [2]);
    },
    { needs: ["edits"] },
  );

  test("CH164 an answer that the model fails at is said, and the next message is answered", async (house) => {
    const { model } = house;
    await house.start({ agent: { settings: { requestAttempts: 1 } } });
    model.replies(fails(400, { error: { message: "no such thing" } }), ...always(answering));
    const { person, chat } = await house.guest();
    await house.write(person, chat, "a question");
    await house.texts(chat, 1);
    await house.write(person, chat, "to 2");
    await allAnswered(house, chat, [2]);
  });

  commands(test);
  proactive(test);
}

function lost(test: Case): void {
  test(
    "CH146 CH66 an answer that is shown while it is written, and whose first message got no answer, stands there once",
    async (house) => {
      const { model, peer } = house;
      const margay = await house.start();
      const { person, chat } = await house.guest();
      const gate = stalls({ after: FIRST, rest: says(" And the end.") });
      model.replies(gate, ...always(answering));
      peer.fault("lost", 1);
      await house.write(person, chat, "a question");
      await eventually("it is shown", async () => (await house.shown(chat)).length > 0);
      gate.release();
      await eventually("its end", async () => (await house.shown(chat)).some(({ text }) => text.includes("the end")));
      await margay.agent.idle();
      const shown = (await house.shown(chat)).filter(({ text }) => text.includes("The first half"));
      assert.ok(shown.length <= (margay.channel.can.once === "no" ? 2 : 1), JSON.stringify(shown));
    },
    { needs: ["edits"] },
  );
}

function commands(test: Case): void {
  test("CH170 CH74 a command is one in any case, and /stop ends an answer at once", async (house) => {
    const { model } = house;
    await house.start();
    const { person, chat } = await house.guest();
    await house.write(person, chat, "/HELP");
    const [help = ""] = await house.texts(chat, 1);
    assert.match(help, /\/stop/);
    assert.equal(model.requests.length, 0);
    const gate = stalls({ rest: says("too late") });
    model.replies(gate, ...always(answering));
    await house.write(person, chat, "a question");
    await eventually("it is asked", () => model.requests.length === 1);
    const begun = performance.now();
    await house.write(person, chat, "\uff0fSTOP");
    assert.equal(await model.requests[0]?.closedEarly, true);
    assert.ok(performance.now() - begun < 2000);
    await house.write(person, chat, "to 3");
    await allAnswered(house, chat, [3]);
  });

  test(
    "CH170 /stop is heard at once although edits of what is shown wait at the platform",
    async (house) => {
      const { model } = house;
      let waiting = 0;
      const stuck = Promise.withResolvers<void>();
      await house.start({
        channel: (one) => ({
          ...one,
          edit: async (...given) => {
            waiting += 1;
            await stuck.promise;
            return one.edit?.(...given);
          },
        }),
      });
      const { person, chat } = await house.guest();
      const words = Array.from({ length: 2000 }, (_, index) => `word ${index} `);
      model.replies(says(FIRST + words.join(""), { chunks: [FIRST, ...words], chunkDelayMs: 10 }));
      await house.write(person, chat, "a question");
      await eventually("an edit waits", () => waiting > 0);
      const begun = performance.now();
      await house.write(person, chat, "/stop");
      assert.equal(await model.requests[0]?.closedEarly, true);
      assert.ok(performance.now() - begun < 1000);
      stuck.resolve();
    },
    { needs: ["edits"] },
  );
}

function proactive(test: Case): void {
  for (const [where, needs] of [
    ["a person", []],
    ["a group", ["groups"]],
    ["a thread", ["threads"]],
  ] as readonly [string, readonly ChannelGap[]][])
    test(
      `CH177 CH99 what nobody asked for reaches ${where}`,
      async (house) => {
        const { peer } = house;
        const { person, chat } = await house.guest();
        const group = where === "a group" ? await peer.group?.(person) : undefined;
        const thread = where === "a thread" ? await peer.thread?.(chat, person) : undefined;
        const margay = await house.start();
        const to = group ?? thread ?? chat;
        await sendTo(margay, to, "Answer to 1.");
        await allAnswered(house, to, [1]);
      },
      { needs },
    );
}
