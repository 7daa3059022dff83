// CH115 CH147 for Telegram: the built gateway is killed at the commits of a message that is answered, and started again.
import { expect, onTestFinished, test } from "vitest";
import {
  answersOne,
  channelGateway,
  killAll,
  MATRIX_MS,
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
