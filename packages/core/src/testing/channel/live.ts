/** What is shown while the model still speaks, and what is said without being asked. */
import assert from "node:assert/strict";
import type { LiveStream } from "../../contract/channel.ts";
import type { Address } from "../../contract/message.ts";
import { httpProvider } from "../../http-provider.ts";
import { systemClock } from "../../machine/system/clock.ts";
import { untilAborted } from "../../lib/async/abort.ts";
import { withWatchdog } from "../../model/watchdog.ts";
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
  opening(test);
  long(test);
  anew(test);
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

function opening(test: Case): void {
  test(
    "CH163 CH40 CH67 a process that ends while the message of a running answer is on its way: the answer comes in its place",
    async (house) => {
      const { model } = house;
      // The platform has it, and its answer never comes back.
      const first = await house.start({
        channel: (channel) => ({
          ...channel,
          send: async (piece, signal) => {
            const sent = await channel.send(piece, signal);
            return piece.live === true ? untilAborted(signal).then(() => sent) : sent;
          },
        }),
      });
      const { person, chat } = await house.guest();
      model.replies(stalls({ after: FIRST, rest: says("Never said.") }), says(`${FIRST}The end.`));
      await house.write(person, chat, "a question");
      await eventually("it is shown", async () => (await house.shown(chat)).length > 0);
      await first.end();
      const again = await house.start();
      await again.agent.resume();
      const texts = async (): Promise<readonly string[]> => (await house.shown(chat)).map(({ text }) => text);
      await eventually("its end", async () => (await texts()).some((text) => text.includes("The end.")));
      await again.agent.idle();
      assert.equal((await texts()).length, 1, JSON.stringify(await texts()));
    },
    { needs: ["edits"] },
  );
}

function long(test: Case): void {
  test(
    "CH162 CH66 an answer that grows over one message goes on in another one, also when the process ends: all of it is there, once and in order",
    async (house) => {
      const { model } = house;
      const margay = await house.start();
      const { person, chat } = await house.guest();
      const { max } = margay.channel.can.text;
      const count = Math.ceil((max * 1.4) / 30);
      const sentences = Array.from({ length: count }, (_, n) => `It goes on here, as number ${n}. `);
      const all = sentences.join("");
      model.replies(stalls({ after: all, rest: says("Never said.") }), says(`${all}The end.`));
      await house.write(person, chat, "a question");
      await eventually("it fills two", async () => (await house.shown(chat)).length === 2);
      await margay.end();
      const again = await house.start();
      await again.agent.resume();
      const texts = async (): Promise<readonly string[]> => (await house.shown(chat)).map(({ text }) => text);
      await eventually("its end", async () => (await texts()).some((text) => text.includes("The end.")));
      await again.agent.idle();
      const said = [...(await texts()).join(" ").matchAll(/number (\d+)\./g)].map(([, n]) => Number(n));
      // Where a second send shows nobody its key, one that was under way may be there twice.
      const seen = again.channel.can.once === "no" ? [...new Set(said)] : said;
      assert.deepEqual(seen, Array.from(sentences.keys()));
    },
    { needs: ["edits"] },
  );
}

function anew(test: Case): void {
  test(
    "CH165 CH66 an answer that the provider begins anew starts again where it is shown, and is there once",
    async (house) => {
      const { model } = house;
      const mock = httpProvider({ id: "mock", wire: "openai-chat", baseUrl: `${model.url}/v1`, keys: ["test-key"] });
      const margay = await house.start({ agent: { provider: withWatchdog(mock, systemClock(), { idleMs: 1500 }) } });
      const { person, chat } = await house.guest();
      const second = stalls({ after: "Said anew, and long enough to be seen by anybody. ", rest: says("Its end.") });
      model.replies(stalls({ after: FIRST, rest: says("never said") }), second);
      await house.write(person, chat, "a question");
      const texts = async (): Promise<string> => (await house.shown(chat)).map(({ text }) => text).join("\n");
      await eventually("it is shown", async () => (await texts()).includes("first half"));
      await eventually("it starts again", async () => (await texts()).includes("Said anew"));
      assert.ok(!(await texts()).includes("first half"));
      second.release();
      await eventually("its end", async () => (await texts()).includes("Its end."));
      await margay.agent.idle();
      assert.equal((await house.shown(chat)).length, 1);
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
          // What is shown by a draft is no message, and waits as one.
          openStream: async (...given) => {
            const stream = await one.openStream?.(...given);
            const update: LiveStream["update"] = async (...more) => {
              waiting += 1;
              await stuck.promise;
              return stream?.update(...more);
            };
            return stream && { ...stream, update };
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
