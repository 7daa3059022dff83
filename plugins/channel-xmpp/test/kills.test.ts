// CH115 CH147 for XMPP: the built gateway is killed at the commits of a message that is answered, and started again.
import { expect, test } from "vitest";
import {
  answersOne,
  channelGateway,
  killAll,
  MATRIX_MS,
  SENDING,
} from "../../../packages/app/test/durability/channel-kills.ts";
import { BOT, settings, xmppServer } from "./support.ts";

test(
  "CH42 CH115 CH147 each message is answered by one message, wherever margay was killed: what left is in the archive",
  async () => {
    const server = await xmppServer();
    const anna = await server.person("anna");
    const platform = {
      write: (n: number) => anna.write(BOT, `number ${n}`),
      answers: (n: number) => anna.seen.flatMap(({ text }) => (text === `Answer to ${n}.` ? [text] : [])),
    };
    const gateway = await channelGateway("xmpp", { operators: [anna.jid], options: { ...settings(server) } });
    await answersOne(gateway, "xmpp", platform);
    const kills = await killAll(gateway, platform, { points: SENDING, from: 2 });
    expect(SENDING.map((_, index) => platform.answers(index + 2).length)).toEqual(SENDING.map(() => 1));
    expect(kills).toBeGreaterThan(SENDING.length / 3);
  },
  MATRIX_MS,
);
