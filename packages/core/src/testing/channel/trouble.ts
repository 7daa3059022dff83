/** What is no fault of the platform: a full disk, a clock that is wrong, a program that was changed meanwhile. */
import assert from "node:assert/strict";
import type { Channel } from "../../contract/channel.ts";
import { ChannelFault } from "../../lib/errors/channel-fault.ts";
import type { Case } from "./cases.ts";
import { always, answering, eventually, heard, sendTo } from "./house.ts";
import { allAnswered } from "./inbound.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export function trouble(test: Case): void {
  test("CH116 CH20 while the disk takes nothing a message is not acknowledged; it arrives afterwards, once", async (house) => {
    const { peer, model } = house;
    model.replies(...always(answering));
    const { person, chat } = await house.guest();
    let refused = 0;
    house.fillDisk();
    const margay = await house.start({
      channel: (one) => ({
        ...one,
        run: (inbox, signal) => {
          const accept: typeof inbox.accept = (message) =>
            inbox.accept(message).catch((error: unknown) => {
              refused += 1;
              throw error;
            });
          return one.run({ ...inbox, accept }, signal);
        },
      }),
    });
    const message = await house.write(person, chat, "to 1");
    await eventually("it was offered", () => refused > 0);
    assert.notEqual(peer.acknowledged?.(message, margay.host), true);
    house.clock.leap(30_000);
    const before = refused;
    // Who calls us tells it again by itself, later than this case waits.
    const told = async (holds: () => boolean | Promise<boolean>): Promise<boolean> => {
      if (peer.hooks !== undefined) await peer.again?.(message, margay.host);
      return holds();
    };
    await eventually("it was offered again", () => told(() => refused > before));
    assert.equal(model.requests.length, 0);
    house.freeDisk();
    await eventually("it is heard", () => told(async () => (await heard(margay, chat)).length === 1));
    await house.write(person, chat, "to 2");
    await allAnswered(house, chat, [1, 2]);
    assert.equal((await heard(margay, chat)).length, 2);
  });

  clocks(test);
  cutAnew(test);
}

function clocks(test: Case): void {
  test("CH131 CH27 a platform whose clock goes ahead, lies behind, or jumps back, loses nothing, and the order is that of arrival", async (house) => {
    const { peer, model } = house;
    model.replies(...always(answering));
    const margay = await house.start();
    const { person, chat } = await house.guest();
    // What is signed counts for five minutes.
    const most = peer.hooks === undefined ? Number.POSITIVE_INFINITY : 4 * MINUTE_MS;
    const names: number[] = [];
    for (const [index, ms] of [10 * MINUTE_MS, -DAY_MS, 5 * MINUTE_MS, -5 * MINUTE_MS, 0].entries()) {
      house.platformAhead(Math.sign(ms) * Math.min(Math.abs(ms), most));
      names.push(index + 1);
      await house.write(person, chat, `to ${index + 1}`);
      await allAnswered(house, chat, names);
    }
    assert.equal((await heard(margay, chat)).length, names.length);
  });
}

function cutAnew(test: Case): void {
  test("CH148 CH41 an update between two pieces of a reply that cuts elsewhere shows no text twice and loses none", async (house) => {
    const { chat } = await house.guest();
    let sends = 0;
    let stopped = false;
    const first = await house.start({ channel: (one) => dies(cutAt(one, 900)) });
    const words = Array.from({ length: 400 }, (_, index) => `w${index}`);
    await sendTo(first, chat, words.join(" "));
    await eventually("one piece has left, and the next has not", () => stopped);
    await first.end();
    const second = await house.start({ channel: (one) => cutAt(one, 500) });
    await second.agent.resume();
    const seen = async (): Promise<readonly string[]> =>
      (await house.shown(chat)).flatMap(({ text }) => text.match(/\bw\d+\b/g) ?? []);
    await eventually("all of it", async () => (await seen()).includes(`w${words.length - 1}`));
    assert.deepEqual(await seen(), words);

    function dies(one: Channel): Channel {
      return {
        ...one,
        send: (piece, signal) => {
          sends += 1;
          if (sends === 1) return one.send(piece, signal);
          stopped = true;
          return Promise.reject(new ChannelFault("again", "The process is about to end.", { sent: "no" }));
        },
      };
    }
  });
}

function cutAt(one: Channel, max: number): Channel {
  return { ...one, can: { ...one.can, text: { ...one.can.text, max } } };
}
