/** Whom an answer is for, and where it goes when that is not what it was. */
import assert from "node:assert/strict";
import type { Address } from "../../contract/message.ts";
import { sessionKeyOf } from "../../lib/session-key.ts";
import { says, stalls } from "../mock-llm/script.ts";
import type { Case } from "./cases.ts";
import {
  always,
  answering,
  eventually,
  heard,
  type House,
  type Margay,
  type MargayOptions,
  sendTo,
  wordsOf,
} from "./house.ts";
import { allAnswered } from "./inbound.ts";
import type { PeerPerson } from "./peer.ts";

export function manners(test: Case): void {
  test(
    "CH75 an answer quotes its question when something else was said in between, and only then",
    async (house) => {
      house.model.replies(says("Answer to 1."));
      const margay = await house.start({ agent: { settings: { steering: false } } });
      const { person, chat } = await house.guest();
      await house.write(person, chat, "to 1");
      await allAnswered(house, chat, [1]);
      const [, release] = await twoAtOnce(house, margay, person, chat);
      release();
      await allAnswered(house, chat, [1, 2, 3]);
      assert.deepEqual(
        (await house.shown(chat)).map(({ quotes }) => quotes),
        [undefined, "to 2", "to 3"],
      );
    },
    { needs: ["quotes"] },
  );

  test(
    "CH154 CH75 a question that was taken back meanwhile is answered without a quote, and nothing failed",
    async (house) => {
      const margay = await house.start({ agent: { settings: { steering: false } } });
      const { person, chat } = await house.guest();
      const [asked, release] = await twoAtOnce(house, margay, person, chat);
      await house.peer.takeBack?.(person, chat, asked);
      release();
      await allAnswered(house, chat, [2, 3]);
      assert.deepEqual(
        (await house.shown(chat)).map(({ quotes }) => quotes),
        [undefined, "to 3"],
      );
      assert.deepEqual(
        margay.log.filter(({ event }) => event === "reply.failed"),
        [],
      );
    },
    { needs: ["quotes"] },
  );

  reacting(test);
  moved(test);
  closed(test);
  flooded(test);
}

/** While the first is answered the second is written. @returns the first, and what lets its answer go. */
async function twoAtOnce(
  house: House,
  margay: Margay,
  person: PeerPerson,
  chat: Address,
): Promise<readonly [unknown, () => void]> {
  const slow = stalls({ rest: says("Answer to 2.") });
  const before = house.model.requests.length;
  house.model.replies(slow, says("Answer to 3."));
  const asked = await house.write(person, chat, "to 2");
  await eventually("the first is asked", () => house.model.requests.length > before);
  await house.write(person, chat, "to 3");
  await eventually("the second waits", async () => {
    const session = await margay.agent.sessions.find(sessionKeyOf(chat));
    return session?.state.pending.length === 1;
  });
  return [asked, slow.release];
}

function reacting(test: Case): void {
  const ACK = "\u{1f440}";
  test(
    "CH69 where nothing shows that it is typing a reaction stands below the question until its answer, also over a crash, and we do not hear it",
    async (house) => {
      const { peer, model } = house;
      const heardOf: string[] = [];
      const channel: MargayOptions["channel"] = (made) => ({
        ...made,
        can: { ...made.can, ack: ACK },
        run: (inbox, signal) =>
          made.run({ ...inbox, reacted: (one) => (heardOf.push(one.of), inbox.reacted(one)) }, signal),
      });
      const shown = async (message: unknown): Promise<readonly string[]> => (await peer.reactions?.(message)) ?? [];
      const slow = stalls({ rest: says("Answer to 1.") });
      model.replies(slow);
      const first = await house.start({ channel });
      const { person, chat } = await house.guest();
      const asked = await house.write(person, chat, "to 1");
      await eventually("it stands there", async () => (await shown(asked)).length === 1);
      await first.end();
      slow.release();
      assert.equal((await shown(asked)).length, 1);
      model.replies(...always(answering));
      await house.start({ channel });
      await allAnswered(house, chat, [1]);
      await eventually("it is gone", async () => (await shown(asked)).length === 0);
      await house.write(person, chat, "to 2");
      await allAnswered(house, chat, [1, 2]);
      assert.deepEqual(heardOf, []);
    },
    { needs: ["reactions"] },
  );
}

function moved(test: Case): void {
  test(
    "CH154 CH33 a chat that has another id by now keeps its conversation, and what waits for it arrives",
    async (house) => {
      const { peer, model } = house;
      model.replies(...always(answering));
      const margay = await house.start();
      const { person } = await house.guest();
      const group = await peer.group?.(person);
      assert.ok(group !== undefined);
      await house.write(person, group, "to 1", { toUs: true });
      await allAnswered(house, group, [1]);
      const now = await peer.move?.(group, person);
      assert.ok(now !== undefined);
      await sendTo(margay, group, "Answer to 2.");
      await allAnswered(house, now, [2]);
      await house.write(person, now, "to 3", { toUs: true });
      await allAnswered(house, now, [2, 3]);
      const said = (await heard(margay, group)).map(wordsOf);
      assert.deepEqual(
        said.map((text) => /to \d/.exec(text)?.[0]),
        ["to 1", "to 3"],
      );
    },
    { needs: ["groups", "moves"] },
  );
}

function closed(test: Case): void {
  test(
    "CH154 CH124 a thread that was closed holds up no other: its answer opens it again, or is set aside",
    async (house) => {
      const { peer, model } = house;
      model.replies(...always(answering));
      const margay = await house.start();
      const { person, chat } = await house.guest();
      const [shut, open] = [await peer.thread?.(chat, person), await peer.thread?.(chat, person)];
      assert.ok(shut !== undefined && open !== undefined);
      await house.write(person, shut, "to 1");
      await allAnswered(house, shut, [1]);
      await peer.closeThread?.(shut);
      const reply = await sendTo(margay, shut, "Answer to 2.");
      await eventually("it is there, or set aside", async () => {
        const isThere = (await house.shown(shut)).some(({ text }) => text.includes("Answer to 2."));
        const end = margay.log.find(({ event, data }) => event === "reply.failed" && data["reply"] === reply);
        return isThere || end?.data["again"] === false;
      });
      await house.write(person, open, "to 3");
      await allAnswered(house, open, [3]);
    },
    { needs: ["threads", "closing"] },
  );
}

/** The clock of the suite leaps: nobody gets over a minute by waiting. */
const LONG_MS = 86_400_000;

function flooded(test: Case): void {
  test("CH130 CH88 who writes sixty messages at once is heard twenty times and told so once; others are answered", async (house) => {
    const { peer, model } = house;
    model.replies(...always(says("Yes.")));
    const count = Math.min(20, peer.few ?? 20);
    const agent = { settings: { maxPending: 100 }, flood: { count, perMs: LONG_MS } };
    const margay = await house.start({ agent });
    const [loud, calm] = [await house.guest(), await house.guest()];
    for (let number = 1; number <= 3 * count; number++) await house.write(loud.person, loud.chat, `hello ${number}`);
    await house.write(calm.person, calm.chat, "and me?");
    await eventually("the others are answered", async () => (await heard(margay, calm.chat)).length === 1);
    const isTold = async (): Promise<boolean> => (await told()).length > 0;
    const told = async (): Promise<readonly unknown[]> =>
      (await house.shown(loud.chat)).filter(({ text }) => text.includes(`${count} messages in a minute`));
    await eventually("it is told", isTold);
    await margay.agent.idle();
    assert.equal((await heard(margay, loud.chat)).length, count);
    assert.equal((await told()).length, 1);
    assert.ok(model.requests.length <= count + 1);
  });
}
