// CH115 CH147 for e-mail: the built gateway is killed at each commit of a mail that is answered, and started again.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { startMailServer, type MailServer } from "./peer.ts";
import { mail, settings } from "./support.ts";
import { killedGateway, type KilledGateway } from "../../../packages/app/test/durability/killed-gateway.ts";

const WAYS = ["before", "torn", "after"] as const;
/** One mail with one answer has as many commits; the last one ends by itself. */
const COMMITS = 7;
/** Each commit in one way; `MARGAY_CHANNEL_KILLS=50`: in each, so many times. */
const ROUNDS = Number(process.env["MARGAY_CHANNEL_KILLS"] ?? 0);
const COMMIT_NUMBERS = Array.from({ length: COMMITS }, (_, index) => index + 1);
const POINTS = COMMIT_NUMBERS.flatMap((commit) =>
  ROUNDS === 0
    ? WAYS.filter((_, way) => way === commit % WAYS.length).map((when) => ({ commit, when }))
    : Array.from({ length: ROUNDS }, () => WAYS.map((when) => ({ commit, when }))).flat(),
);

interface House {
  readonly server: MailServer;
  readonly gateway: KilledGateway;
}

async function house(keepsSent: boolean): Promise<House> {
  const server = await startMailServer({ keepsSent });
  const options = settings(server);
  // One address gets ten answers an hour: each mail is of another one.
  const operators = POINTS.map((_, index) => senderOf(index + 1));
  const gateway = await killedGateway({
    config: () => ({ channels: { mail: { enabled: true, kind: "email", operators, options } } }),
    answer: ({ messages }) => says(`Answer to ${/number (\d+)/.exec(JSON.stringify(messages.at(-1)))?.[1] ?? "?"}.`),
  });
  onTestFinished(async () => {
    await gateway.close();
    await server[Symbol.asyncDispose]();
  });
  // The first start reads nothing that is older than the channel.
  const first = await gateway.start();
  await expect.poll(() => existsSync(join(gateway.home, "channels/mail/cursor.json")), { timeout: 20_000 }).toBe(true);
  first?.kill();
  await first?.gone;
  return { server, gateway };
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

async function killAll(
  { server, gateway }: House,
  points = POINTS,
): Promise<{ readonly kills: number; readonly mails: number }> {
  let mails = 0;
  let kills = 0;
  for (const { commit, when } of points) {
    const n = ++mails;
    await server.deliver(mail({ id: `m${n}`, from: senderOf(n), text: `number ${n}` }));
    const doomed = await gateway.start({ commit, when });
    const isAnswered = (): boolean => answersTo(n, server).length > 0;
    const gone = doomed?.gone.then(() => "gone" as const);
    let died = doomed === undefined;
    void gone?.then(() => (died = true));
    await expect.poll(() => died || isAnswered(), { timeout: 30_000 }).toBe(true);
    if (died) kills += 1;
    doomed?.kill();
    await doomed?.gone;
    const next = await gateway.start();
    await expect.poll(isAnswered, { timeout: 30_000 }).toBe(true);
    // What is left of it leaves before the end: the answer counts as delivered.
    await expect.poll(() => delivered(gateway), { timeout: 30_000 }).toBe(n);
    next?.kill();
    await next?.gone;
  }
  return { kills, mails };
}

function delivered(gateway: KilledGateway): number {
  const records = [...gateway.journals().values()].flat().flatMap((commit) => commit.records);
  return records.filter(({ type }) => type === "reply.delivered").length;
}

test("CH41 CH42 CH115 CH147 where sent mails are kept, each mail is answered by one mail, wherever margay was killed", async () => {
  const place = await house(true);
  const { kills, mails } = await killAll(place);
  const counts = Array.from({ length: mails }, (_, index) => answersTo(index + 1, place.server).length);
  expect(counts).toEqual(counts.map(() => 1));
  expect(kills).toBeGreaterThan(mails / 3);
}, 600_000);

test("CH43 CH147 where they are not kept, none is lost, and a second one has the id of the first", async () => {
  const place = await house(false);
  // What leaves twice leaves at its own commits: those before them are looked at above.
  const { mails } = await killAll(place, ROUNDS === 0 ? POINTS.slice(-3) : POINTS);
  for (let n = 1; n <= mails; n++) {
    const ids = answersTo(n, place.server);
    expect([n, ids.length >= 1 && ids.length <= 2, new Set(ids).size]).toEqual([n, true, 1]);
  }
}, 600_000);
