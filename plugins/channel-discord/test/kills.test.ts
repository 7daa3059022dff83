// CH115 CH147 for Discord: the built gateway is killed at the commits of a message that is answered, and started again.
import { expect, onTestFinished, test } from "vitest";
import {
  answersOne,
  channelGateway,
  killAll,
  MATRIX_MS,
  SENDING,
} from "../../../packages/app/test/durability/channel-kills.ts";
import { startDiscord } from "./emulator/discord.ts";

test(
  "CH42 CH115 CH147 CH223 each message is answered by one message, wherever margay was killed: a nonce is one message",
  async () => {
    const discord = await startDiscord();
    onTestFinished(() => discord[Symbol.asyncDispose]());
    const anna = discord.person("Anna");
    const dm = discord.dm(anna);
    const platform = {
      write: (n: number) => void discord.write(anna, dm, `number ${n}`),
      answers: (n: number) =>
        discord.shown(dm).flatMap(({ own, text }) => (own && text === `Answer to ${n}.` ? [text] : [])),
    };
    const gateway = await channelGateway("discord", {
      token: discord.token,
      baseUrl: discord.url,
      operators: [anna.id],
    });
    await answersOne(gateway, "discord", platform);
    const kills = await killAll(gateway, platform, { points: SENDING, from: 2 });
    expect(SENDING.map((_, index) => platform.answers(index + 2).length)).toEqual(SENDING.map(() => 1));
    expect(kills).toBeGreaterThan(SENDING.length / 3);
  },
  MATRIX_MS,
);
