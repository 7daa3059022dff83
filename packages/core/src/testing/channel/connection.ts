/** The line to the platform: it breaks in every way, it is made anew, and it ends when it is told to. */
import assert from "node:assert/strict";
import type { Channel } from "../../contract/channel.ts";
import { says } from "../mock-llm/script.ts";
import type { Case } from "./cases.ts";
import { always, answering, eventually, type House, type Margay, sendTo } from "./house.ts";
import { allAnswered } from "./inbound.ts";
import type { PeerBreak } from "./peer.ts";

/** `MARGAY_CHANNEL_BREAKS=1000`: so often the connection breaks in one case. */
const BREAKS = Number(process.env["MARGAY_CHANNEL_BREAKS"] ?? 0);
const STOP_MS = 2000;

export function connection(test: Case): void {
  const ways: readonly [PeerBreak, string, readonly ("reconnects" | "resume" | "sudden")[]][] = [
    ["cut", "CH133 a connection that is gone without a word", ["reconnects"]],
    ["closed", "CH133 a connection that the platform closes", ["reconnects"]],
    ["asked", "CH133 a platform that asks for another connection", ["reconnects", "sudden"]],
    ["forgotten", "CH135 a session that the platform has forgotten", ["reconnects", "resume"]],
  ];
  for (const [how, what, needs] of ways)
    test(
      `${what}: it is made anew, and nothing is lost or told twice`,
      async (house) => {
        await again(house, how);
      },
      { needs },
    );

  test(
    "CH136 after many connections there is one, and nothing has grown",
    async (house) => {
      const { model, peer } = house;
      model.replies(...always(answering));
      const margay = await house.start();
      const { person, chat } = await house.guest();
      await house.write(person, chat, "to 1");
      await allAnswered(house, chat, [1]);
      const rounds = BREAKS > 0 ? BREAKS : (peer.breaks ?? 50);
      const before = resources();
      for (let round = 0; round < rounds; round += 1) {
        const ups = margay.ups;
        await peer.break?.("cut");
        await eventually("it is up again", () => margay.ups > ups);
      }
      await house.write(person, chat, "to 2");
      await allAnswered(house, chat, [1, 2]);
      await eventually("one connection", () => peer.connections === undefined || peer.connections() <= 2);
      await eventually("nothing has grown", () => resources() <= before + 8);
    },
    { needs: ["reconnects"] },
  );

  test(
    "CH138 CH49 a token that is taken back stops the channel and keeps what waits, until it holds again",
    async (house) => {
      const { model, peer } = house;
      model.replies(...always(answering));
      // The time of this house leaps from attempt to attempt: a day of them is over before some platforms refuse a login.
      const margay = await house.start({ agent: { settings: { deliveryRetryMs: 1e12 } } });
      const { person, chat } = await house.guest();
      await house.write(person, chat, "to 1");
      await allAnswered(house, chat, [1]);
      peer.revoke?.(true);
      await sendTo(margay, chat, "Answer to 2.");
      // Only other settings cure that: nothing is tried meanwhile.
      const stopped = (): boolean =>
        margay.log.some(({ event, data }) => event === "channel.stopped" && data["pauseMs"] === undefined);
      await eventually("it stops", stopped);
      await margay.end();
      peer.revoke?.(false);
      const next = await house.start();
      await next.agent.resume();
      await allAnswered(house, chat, [1, 2]);
    },
    { needs: ["tokens"] },
  );

  stops(test);
  hangs(test);
}

async function again(house: House, how: PeerBreak): Promise<void> {
  const { model, peer } = house;
  model.replies(...always(answering));
  const margay = await house.start();
  const { person, chat } = await house.guest();
  await house.write(person, chat, "to 1");
  await allAnswered(house, chat, [1]);
  for (const number of [2, 3]) {
    const { ups } = margay;
    await peer.break?.(how);
    await house.write(person, chat, `to ${number}`);
    await eventually("it is up again", () => margay.ups > ups || how === "asked");
    await allAnswered(
      house,
      chat,
      Array.from({ length: number }, (_, index) => index + 1),
    );
  }
}

/** What keeps a process: timers and sockets. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((name) => /Timeout|TCPSocket|TLS/.test(name)).length;
}

function stops(test: Case): void {
  for (const [when, isDown, prepare] of [
    ["while it waits for messages", false, () => Promise.resolve()],
    [
      "while it cannot connect",
      true,
      async (_house, margay) => {
        const noticed = (): boolean => margay.log.some(({ event }) => event === "channel.stopped");
        await eventually("it has noticed", noticed, 1000).catch(() => {}); // some try by themselves
      },
    ],
    [
      "while a send goes nowhere",
      true,
      async ({ guest }, margay) => {
        const { chat } = await guest();
        await sendTo(margay, chat, "Answer to 1.");
      },
    ],
  ] as readonly [string, boolean, (house: House, margay: Margay) => Promise<void>][])
    test(`CH140 CH57 it ends within two seconds ${when}`, async (house) => {
      let ended: Promise<unknown> | undefined;
      const margay = await house.start({
        channel: (channel) => ({
          ...channel,
          run: (inbox, signal) => (ended = channel.run(inbox, signal)),
        }),
      });
      if (isDown) await house.peer.down();
      await prepare(house, margay);
      const begun = performance.now();
      await margay.end();
      await ended?.catch(() => {}); // the reason of its end
      assert.ok(performance.now() - begun < STOP_MS);
      if (isDown) await house.peer.up();
    });
}

function hangs(test: Case): void {
  test("CH142 CH58 another channel that hangs in everything it does delays neither answers nor the end", async (house) => {
    const { model } = house;
    model.replies(...always(answering));
    const never = new Promise<never>(() => {});
    let calls = 0;
    const hang = (): Promise<never> => {
      calls += 1;
      return never;
    };
    const can: Channel["can"] = { once: "no", text: { dialect: "plain", max: 100 } };
    const hung: Channel = {
      id: "hung",
      can,
      run: hang,
      send: hang,
      findSent: hang,
      edit: hang,
      remove: hang,
      typing: hang,
      react: hang,
    };
    const margay = await house.start({ beside: [hung] });
    await sendTo(margay, { channel: "hung", chat: "1" }, "nobody hears it");
    await eventually("it hangs", () => calls >= 2);
    const { person, chat } = await house.guest();
    await house.write(person, chat, "to 1");
    await allAnswered(house, chat, [1]);
    await house.write(person, chat, "to 2");
    await allAnswered(house, chat, [1, 2]);
  });

  test(
    "CH166 CH69 a sign of typing that is refused, or that nobody answers, delays no reply",
    async (house) => {
      const { model, peer } = house;
      model.replies(...always(says("Answer to 1.", { delayMs: 50 })));
      await house.start({ manners: "real" });
      const { person, chat } = await house.guest();
      for (const [index, how] of (["refused", "silent"] as const).entries()) {
        peer.typingFault?.(how, 100);
        const begun = performance.now();
        await house.write(person, chat, "to 1");
        await house.texts(chat, index + 1);
        assert.ok(performance.now() - begun < 5000);
      }
    },
    { needs: ["typing"] },
  );
}
