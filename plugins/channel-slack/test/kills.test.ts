// CH115 CH147 for Slack: the built gateway is killed at the commits of a message that is answered, and started again.
import { expect, onTestFinished, test } from "vitest";
import {
  answersOne,
  channelGateway,
  killAll,
  MATRIX_MS,
  SENDING,
} from "../../../packages/app/test/durability/channel-kills.ts";
import { startSlack } from "./emulator/slack.ts";

test(
  "CH42 CH115 CH147 CH233 each message is answered by one message, wherever margay was killed: what left is found",
  async () => {
    const slack = await startSlack();
    onTestFinished(() => slack[Symbol.asyncDispose]());
    const anna = slack.person("Anna");
    const dm = slack.dm(anna);
    const platform = {
      write: (n: number) => void slack.write(anna, dm, `number ${n}`),
      answers: (n: number) => slack.shown(dm).flatMap(({ text }) => (text === `Answer to ${n}.` ? [text] : [])),
    };
    const gateway = await channelGateway("slack", {
      token: slack.tokens.bot ?? "",
      baseUrl: slack.url,
      operators: [anna.id],
      options: { appToken: slack.tokens.app ?? "" },
    });
    await answersOne(gateway, "slack", platform);
    const kills = await killAll(gateway, platform, { points: SENDING, from: 2 });
    expect(SENDING.map((_, index) => platform.answers(index + 2).length)).toEqual(SENDING.map(() => 1));
    expect(kills).toBeGreaterThan(SENDING.length / 3);
  },
  MATRIX_MS,
);
