/** What we say: whole, once, in order, and nothing in it that the platform takes for more than words. */
import assert from "node:assert/strict";
import { says } from "../mock-llm/script.ts";
import type { Case } from "./cases.ts";
import { always, answering, eventually, sendTo } from "./house.ts";
import { allAnswered } from "./inbound.ts";

export function outbound(test: Case): void {
  longTexts(test);
  calls(test);
  brokenSends(test);

  test("CH152 CH46 a bug of the channel costs one reply, and the next one leaves", async (house) => {
    const { model } = house;
    model.replies(says("the lost one"), ...always(answering));
    let isBroken = true;
    const margay = await house.start({
      channel: (channel) => ({
        ...channel,
        send: async (piece, signal) => {
          if (isBroken) throw new TypeError("undefined is not a function");
          return channel.send(piece, signal);
        },
      }),
    });
    const { person, chat } = await house.guest();
    await house.write(person, chat, "to 1");
    const failures = (): number => margay.log.filter(({ event }) => event === "reply.failed").length;
    await eventually("three attempts", () => failures() === 3);
    isBroken = false;
    await house.write(person, chat, "to 2");
    await allAnswered(house, chat, [2]);
    assert.equal(failures(), 3);
  });

  test("CH158 what is secret is in nothing that leaves, and in no log", async (house) => {
    const { model, peer } = house;
    const secret = "s3cr3t-value-of-the-house";
    model.replies(says(`It is ${secret}, as you know.`), ...always(answering));
    const redact = (text: string): string => text.replaceAll(secret, "[hidden]");
    const margay = await house.start({ agent: { redact } });
    const { person, chat } = await house.guest();
    await house.write(person, chat, "what is it?");
    const [text = ""] = await house.texts(chat, 1);
    assert.ok(text.includes("[hidden]") && !text.includes(secret), text);
    peer.fault("before", 1);
    await house.write(person, chat, "to 2");
    await allAnswered(house, chat, [2]);
    const logged = JSON.stringify(margay.log);
    const keys = Object.entries(peer.settings).filter(([name]) => /token|password|secret/i.test(name));
    assert.ok(keys.length > 0);
    for (const [name, value] of [...keys, ["redact", secret] as const])
      assert.ok(!logged.includes(String(value)), `${name} stands in the log`);
  });

  test("CH153 CH5 what waits while the platform is away for a night arrives with its mark, in order", async (house) => {
    const { peer, clock } = house;
    const margay = await house.start({ agent: { settings: { deliveryRetryMs: 1e12 } } });
    const { chat } = await house.guest();
    await peer.down();
    clock.hold();
    for (const number of [1, 2]) await sendTo(margay, chat, `Answer to ${number}.`);
    await eventually("it was tried", () => margay.log.some(({ event }) => event === "reply.failed"));
    await peer.up();
    clock.leap(8 * 3_600_000);
    await allAnswered(house, chat, [1, 2]);
    const [first = ""] = await house.texts(chat, 2);
    assert.notEqual(first.trim(), "Answer to 1.", "it says when it was written");
  });

  test("CH153 what cannot be delivered for longer than it is kept is given up, and shown as that", async (house) => {
    const { peer, clock } = house;
    const margay = await house.start({ agent: { settings: { deliveryRetryMs: 86_400_000 } } });
    const { chat } = await house.guest();
    await peer.down();
    await sendTo(margay, chat, "Answer to 1.");
    await eventually("it was tried", () => margay.log.some(({ event }) => event === "reply.failed"));
    clock.leap(90_000_000);
    const given = (): boolean =>
      margay.log.some(({ event, data }) => event === "reply.failed" && data["again"] === false);
    await eventually("it is given up", given);
    await peer.up();
    await sendTo(margay, chat, "Answer to 2.");
    await allAnswered(house, chat, [2]);
  });
}

const FAMILY = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}";

/** @param marks are counted: each is there, in order. */
function block(marks: () => string): string {
  const lines = (count: number, line: () => string): string => Array.from({ length: count }, line).join("\n");
  return [
    `A paragraph ${marks()} with **bold ${marks()}**, _more_ and <&> ${"<&>".repeat(20)} ${FAMILY} ${marks()}.`,
    `\`\`\`js\n${lines(6, () => `const a = "${marks()}" < b && c;`)}\n\`\`\``,
    `\`\`\`\`md\n\`\`\`\n${marks()}\n\`\`\`\n\`\`\`\``,
    `- a list ${marks()}\n  \`\`\`\n  ${marks()}\n  \`\`\`\n- and ${marks()}`,
    `| a | b |\n| --- | --- |\n${lines(4, () => `| ${marks()} | x |`)}`,
    `${"\u4f60\u597d\u4e16\u754c".repeat(40)}${marks()}`,
    `${FAMILY.repeat(20)} ${"long".repeat(60)} ${marks()}`,
  ].join("\n\n");
}

function longTexts(test: Case): void {
  test("CH144 CH64 a reply of two and a half times the limit arrives in pieces that the platform takes, and nothing of it is lost or cut through", async (house) => {
    const { model } = house;
    const margay = await house.start();
    const { can } = margay.channel;
    let count = 0;
    const mark = (): string => `m${(count += 1)}m`;
    let text = "";
    while (text.length < 2.5 * Math.min(can.text.max, 8000)) text += `${block(mark)}\n\n`;
    model.replies(says(text));
    const { person, chat } = await house.guest();
    await house.write(person, chat, "tell me");
    const isWhole = async (): Promise<boolean> =>
      (await house.shown(chat)).at(-1)?.text.includes(`m${count}m`) === true;
    await eventually("its end", isWhole);
    const texts = await house.texts(chat, 1);
    const all = texts.join("\n");
    assert.deepEqual(
      [...all.matchAll(/m(\d+)m/g)].map(([, number]) => Number(number)),
      Array.from({ length: count }, (_, index) => index + 1),
    );
    assert.ok(texts.every((piece) => piece.isWellFormed()));
    const families = (of: string): number => of.split(FAMILY).length - 1;
    assert.equal(families(all), families(text));
    assert.equal(all.match(/\u4f60\u597d/g)?.length, text.match(/\u4f60\u597d/g)?.length);
  });
}

function calls(test: Case): void {
  test(
    "CH145 CH65 words that would call everybody, somebody, or a command call nobody, and are there to read",
    async (house) => {
      const { model } = house;
      const { person, chat } = await house.guest("Bob");
      const words = [
        "@everyone",
        "@here",
        "<!channel>",
        `<@${person.id}>`,
        `<at id=all></at>`,
        `<at user_id="${person.id}"></at>`,
      ];
      model.replies(says(`Hello ${words.join(" ")} and [safe](https://example.com/?a=b&c) /stop`));
      await house.start();
      await house.write(person, chat, "hello");
      await house.texts(chat, 1);
      const [{ text, calls: called } = { text: "", calls: -1 }] = await house.shown(chat);
      assert.equal(called, 0);
      for (const word of ["everyone", "here", "channel", "safe", "/stop"])
        assert.ok(text.includes(word), `${word}: ${text}`);
    },
    { needs: ["calls"] },
  );
}

function brokenSends(test: Case): void {
  test("CH146 CH42 CH45 a connection that dies before, while or after a reply leaves: it is there, once where the platform can tell", async (house) => {
    const { model, peer } = house;
    model.replies(...always(answering));
    const margay = await house.start();
    const isKnown = margay.channel.can.once !== "no";
    const { person, chat } = await house.guest();
    const ways = (["before", "lost", "half"] as const).filter((how) => peer.faultless?.includes(how) !== true);
    const counts: Record<string, number> = {};
    for (const [index, how] of ways.entries()) {
      peer.fault(how, 1);
      await house.write(person, chat, `to ${index + 1}`);
      // What comes behind it says that it is over.
      await house.write(person, chat, `to b${index + 1}`);
      await eventually(how, async () => (await textIn()).includes(`Answer to b${index + 1}.`));
      await margay.agent.idle();
      counts[how] = (await textIn()).split(`Answer to ${index + 1}.`).length - 1;
    }
    async function textIn(): Promise<string> {
      return (await house.shown(chat)).map(({ text }) => text).join("\n");
    }
    const wrong = Object.entries(counts).filter(([how, count]) =>
      isKnown || how === "before" ? count !== 1 : count < 1 || count > 2,
    );
    assert.deepEqual(wrong, []);
  });

  laterAndNever(test);
  refusals(test);
}

function laterAndNever(test: Case): void {
  for (const [what, row, faults] of [
    ["an error of the platform, and an answer that nobody understands,", "CH151 CH47", ["error", "garbage"]],
    ["what the platform wants later", "CH149 CH48", ["slow"]],
  ] as const)
    test(
      `${row} ${what} cost time and no reply`,
      async (house) => {
        const { model, peer, clock } = house;
        model.replies(...always(answering));
        const margay = await house.start();
        const { person, chat } = await house.guest();
        const possible = faults.filter((how) => peer.faultless?.includes(how) !== true);
        for (const how of possible) peer.fault(how, 1);
        await house.write(person, chat, "to 1");
        await house.write(person, chat, "to 2");
        const found = async (): Promise<string> => (await house.shown(chat)).map(({ text }) => text).join("\n");
        await eventually("both", async () => /to 1\.[^]*to 2\./.test(await found()));
        const failed = margay.log.filter(({ event }) => event === "reply.failed");
        assert.ok(failed.length >= possible.length);
        const attempts = failed.map(({ data }) => data["attempt"]);
        if (row.startsWith("CH149")) {
          assert.deepEqual(attempts, [0]);
          assert.ok(
            clock.slept.some((ms) => ms >= 900 && ms <= 1300),
            "it waits as long as it is asked to, and little more",
          );
        }
      },
      { needs: row.startsWith("CH149") ? ["paced"] : [] },
    );
}

function refusals(test: Case): void {
  test("CH151 CH47 what the platform will never take, and a chat that is shut or is none, hold nobody up", async (house) => {
    const { model, peer } = house;
    model.replies(...always(answering));
    const margay = await house.start();
    const { person, chat } = await house.guest();
    const shut = await house.guest();
    await house.write(person, chat, "to 1");
    await allAnswered(house, chat, [1]);
    const setAside = (reply: string): Promise<void> =>
      eventually(`${reply} is set aside`, () =>
        margay.log.some(
          ({ event, data }) => event === "reply.failed" && data["reply"] === reply && data["again"] === false,
        ),
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}; ${house.troubles()}`, { cause: error });
      });
    if (peer.faultless?.includes("refused") !== true) {
      peer.fault("refused", 1);
      await setAside(await sendTo(margay, chat, "Answer to nobody."));
    }
    if (peer.nowhere !== undefined) {
      await setAside(await sendTo(margay, peer.nowhere, "Answer to nobody."));
    }
    await peer.shutOut?.(shut.chat);
    await setAside(await sendTo(margay, shut.chat, "Answer to nobody."));
    await house.write(person, chat, "to 2");
    await allAnswered(house, chat, [1, 2]);
  });

  test(
    "CH151 CH50 markup that the platform cannot read goes as plain text, in the same attempt",
    async (house) => {
      const { model, peer } = house;
      model.replies(says("some **bold** words"));
      const margay = await house.start();
      const { person, chat } = await house.guest();
      peer.fault("markup", 1);
      await house.write(person, chat, "hello");
      const [text = ""] = await house.texts(chat, 1);
      assert.match(text, /bold/);
      assert.deepEqual(
        margay.log.filter(({ event }) => event === "reply.failed"),
        [],
      );
    },
    { needs: ["markup"] },
  );

  test(
    "CH150 CH48 replies to many chats at once: a platform that counts refuses none, and each chat has its order",
    async (house) => {
      const margay = await house.start({ manners: "real", time: "lasting" });
      const guests = await Promise.all(Array.from({ length: 8 }, () => house.guest()));
      for (const round of [1, 2]) for (const { chat } of guests) await sendTo(margay, chat, `Answer to ${round}.`);
      for (const { chat } of guests) await allAnswered(house, chat, [1, 2]);
      assert.deepEqual(
        margay.log.filter(({ event }) => event === "reply.failed").map(({ data }) => data["message"]),
        [],
      );
    },
    { needs: ["paced"], limits: "real" },
  );
}
