// CH115 CH147 for Telegram: the built gateway is killed at the commits of a message that is answered, and started again.
import { expect, onTestFinished, test } from "vitest";
import {
  answersOne,
  channelGateway,
  killAll,
  MATRIX_MS,
  outboxOf,
  ROUNDS,
  SENDING,
} from "../../../packages/app/test/durability/channel-kills.ts";
import { startTelegram } from "./emulator/telegram.ts";

test(
  "CH43 CH115 CH147 no message is lost, and at most one answer is shown twice by each kill: Telegram knows no key",
  async () => {
    const telegram = await startTelegram();
    onTestFinished(() => telegram[Symbol.asyncDispose]());
    const anna = telegram.person("Anna");
    const chat = telegram.privateChat(anna);
    const platform = {
      write: (n: number) => void telegram.write(anna, chat, `number ${n}`),
      answers: (n: number) =>
        telegram.shown(chat).flatMap(({ own, text }) => (own && text === `Answer to ${n}.` ? [text] : [])),
    };
    const operators = [String(anna.id)];
    const gateway = await channelGateway("telegram", { token: telegram.token, baseUrl: telegram.url, operators });
    await answersOne(gateway, "telegram", platform);
    const kills = await killAll(gateway, platform, { points: SENDING, from: 2 });
    for (const [index] of SENDING.entries()) {
      const { length } = platform.answers(index + 2);
      expect([index, length === 1 || length === 2]).toEqual([index, true]);
    }
    expect(kills).toBeGreaterThan(SENDING.length / 3);
  },
  MATRIX_MS,
);

test(
  "CH43 CH147 with ask no answer is shown twice: the one that was cut off waits for its owner, who sends it",
  async () => {
    const telegram = await startTelegram();
    onTestFinished(() => telegram[Symbol.asyncDispose]());
    const anna = telegram.person("Anna");
    const chat = telegram.privateChat(anna);
    const answers = (n: number): readonly string[] =>
      telegram.shown(chat).flatMap(({ own, text }) => (own && text === `Answer to ${n}.` ? [text] : []));
    const own = { operators: [String(anna.id)], uncertain: "ask" };
    const gateway = await channelGateway("telegram", { token: telegram.token, baseUrl: telegram.url, ...own });
    await answersOne(gateway, "telegram", { write: () => void telegram.write(anna, chat, "number 1"), answers });
    for (let n = 2; n < 2 + Math.max(1, ROUNDS); n += 1) {
      telegram.write(anna, chat, `number ${n}`);
      const doomed = await gateway.start({ commit: 7, when: "before" }); // it has left, and nobody has written that down
      await doomed?.gone;
      expect(answers(n)).toHaveLength(1);
      const next = await gateway.start();
      const reply = async (): Promise<string | undefined> =>
        (await outboxOf(next)).find(({ state }) => state === "uncertain")?.reply;
      await expect.poll(reply, { timeout: 20_000 }).toBeDefined();
      expect(answers(n)).toHaveLength(1);
      const sent = await fetch(`${next?.url}/api/v1/outbox/${await reply()}/retry`, {
        method: "POST",
        headers: { authorization: `Bearer ${next?.token}` },
      });
      expect(sent.status).toBe(200);
      await expect.poll(() => answers(n), { timeout: 20_000 }).toHaveLength(2);
      await expect.poll(() => outboxOf(next), { timeout: 20_000 }).toEqual([]);
      next?.kill();
      await next?.gone;
    }
  },
  MATRIX_MS,
);
