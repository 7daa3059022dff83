// CH115 CH147 for Feishu: the built gateway is killed at the commits of a message that is answered, and started again.
import { expect, onTestFinished, test } from "vitest";
import {
  answersOne,
  channelGateway,
  killAll,
  MATRIX_MS,
  SENDING,
} from "../../../packages/app/test/durability/channel-kills.ts";
import { startFeishu } from "./emulator/feishu.ts";

test(
  "CH42 CH115 CH147 CH242 each message is answered by one message, wherever margay was killed: a uuid is one message",
  async () => {
    const feishu = await startFeishu();
    onTestFinished(() => feishu[Symbol.asyncDispose]());
    const anna = feishu.person("Anna");
    const dm = feishu.dm(anna);
    const platform = {
      write: (n: number) => void feishu.write(anna, dm, `number ${n}`),
      answers: (n: number) => feishu.shown(dm).flatMap(({ text }) => (text === `Answer to ${n}.` ? [text] : [])),
    };
    const { baseUrl, ...options } = feishu.settings;
    const gateway = await channelGateway("feishu", { baseUrl, operators: [anna.openId], options });
    await answersOne(gateway, "feishu", platform);
    const kills = await killAll(gateway, platform, { points: SENDING, from: 2 });
    expect(SENDING.map((_, index) => platform.answers(index + 2).length)).toEqual(SENDING.map(() => 1));
    expect(kills).toBeGreaterThan(SENDING.length / 3);
  },
  MATRIX_MS,
);
