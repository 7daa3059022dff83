// CH115 CH147 for e-mail: the built gateway is killed at each commit of a mail that is answered, and started again.
import { expect, onTestFinished, test } from "vitest";
import { startMailServer, type MailServer } from "./peer.ts";
import { mail, settings } from "./support.ts";
import {
  begins,
  channelGateway,
  killAll,
  type KilledPlatform,
  MATRIX_MS,
  POINTS,
  SENDING,
} from "../../../packages/app/test/durability/channel-kills.ts";
import type { KilledGateway } from "../../../packages/app/test/durability/killed-gateway.ts";

interface House extends KilledPlatform {
  readonly gateway: KilledGateway;
}

async function house(keepsSent: boolean): Promise<House> {
  const server = await startMailServer({ keepsSent });
  onTestFinished(() => server[Symbol.asyncDispose]());
  // One address gets ten answers an hour: each mail is of another one.
  const operators = POINTS.map((_, index) => senderOf(index + 1));
  const gateway = await channelGateway("mail", { kind: "email", operators, options: settings(server) });
  await begins(gateway, "mail");
  return {
    gateway,
    write: (n) => server.deliver(mail({ id: `m${n}`, from: senderOf(n), text: `number ${n}` })),
    answers: (n) => answersTo(n, server),
  };
}

function senderOf(n: number): string {
  return `anna+${n}@mail.test`;
}

/** Message-IDs of the answers to one mail. */
function answersTo(n: number, server: MailServer): readonly string[] {
  return server
    .mailbox("anna")
    .filter((raw) => raw.includes(`Answer to ${n}.`))
    .map((raw) => /^message-id: (\S+)/im.exec(raw)?.[1] ?? "");
}

test(
  "CH41 CH42 CH115 CH147 where sent mails are kept, each mail is answered by one mail, wherever margay was killed",
  async () => {
    const { gateway, ...platform } = await house(true);
    const kills = await killAll(gateway, platform);
    expect(POINTS.map((_, index) => platform.answers(index + 1).length)).toEqual(POINTS.map(() => 1));
    expect(kills).toBeGreaterThan(POINTS.length / 3);
  },
  MATRIX_MS,
);

test(
  "CH43 CH147 where they are not kept, none is lost, and a second one has the id of the first",
  async () => {
    const { gateway, ...platform } = await house(false);
    // What leaves twice leaves at its own commits: those before them are looked at above.
    await killAll(gateway, platform, { points: SENDING });
    for (const [index] of SENDING.entries()) {
      const ids = platform.answers(index + 1);
      expect([index, ids.length >= 1 && ids.length <= 2, new Set(ids).size]).toEqual([index, true, 1]);
    }
  },
  MATRIX_MS,
);
