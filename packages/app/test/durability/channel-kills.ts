/** CH115, CH147: the built gateway is killed at each commit of a message that is answered, in front of any platform. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { says } from "@margay/core/testing";
import { expect, onTestFinished } from "vitest";
import { killedGateway, type KilledGateway, type Running } from "./killed-gateway.ts";

export interface Point {
  readonly commit: number;
  readonly when: "before" | "torn" | "after";
}

const WAYS: readonly Point["when"][] = ["before", "torn", "after"];
/** One message with one answer has as many commits; the last one ends by itself. */
const COMMITS = 7;
/** Each commit in one way; `MARGAY_CHANNEL_KILLS=50`: in each, so many times. */
export const ROUNDS = Number(process.env["MARGAY_CHANNEL_KILLS"] ?? 0);
const COMMIT_NUMBERS = Array.from({ length: COMMITS }, (_, index) => index + 1);
export const POINTS: readonly Point[] = COMMIT_NUMBERS.flatMap((commit) =>
  ROUNDS === 0
    ? WAYS.filter((_, way) => way === commit % WAYS.length).map((when) => ({ commit, when }))
    : Array.from({ length: ROUNDS }, () => WAYS.map((when) => ({ commit, when }))).flat(),
);
/** From the intent of the send on, where an answer can be lost or leave twice. */
export const SENDING: readonly Point[] = ROUNDS === 0 ? POINTS.slice(-3) : POINTS;

/** Of one channel: a kill, and the start behind it, take some seconds where the machine is busy. */
export const MATRIX_MS = 600_000 + POINTS.length * 10_000;

export interface KilledPlatform {
  /** A person writes `number N`, while nobody listens. */
  readonly write: (n: number) => Promise<unknown> | void;
  /** What is shown of the answer to it: one entry each time. */
  readonly answers: (n: number) => readonly string[];
}

/** A gateway with that channel, which answers `number N` with `Answer to N.`. */
export async function channelGateway(id: string, channel: JsonObject): Promise<KilledGateway> {
  const gateway = await killedGateway({
    config: () => ({ channels: { [id]: { enabled: true, ...channel } } }),
    answer: ({ messages }) => says(`Answer to ${/number (\d+)/.exec(JSON.stringify(messages.at(-1)))?.[1] ?? "?"}.`),
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** @param from the number of the first message. @returns how often it was killed. */
export async function killAll(
  gateway: KilledGateway,
  { write, answers }: KilledPlatform,
  { points = POINTS, from = 1 }: { readonly points?: readonly Point[]; readonly from?: number } = {},
): Promise<number> {
  let kills = 0;
  for (const [index, { commit, when }] of points.entries()) {
    const n = from + index;
    await write(n);
    const doomed = await gateway.start({ commit, when });
    const isAnswered = (): boolean => answers(n).length > 0;
    let died = doomed === undefined;
    void doomed?.gone.then(() => (died = true));
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
  return kills;
}

/** The first start reads nothing that is older than the channel. */
export async function begins(gateway: KilledGateway, id: string): Promise<void> {
  const first = await gateway.start();
  await expect
    .poll(() => existsSync(join(gateway.home, "channels", id, "cursor.json")), { timeout: 20_000 })
    .toBe(true);
  first?.kill();
  await first?.gone;
}

/** One message while it runs: a channel asks for what was missed in chats that it knows. */
export async function answersOne(gateway: KilledGateway, id: string, platform: KilledPlatform): Promise<void> {
  const running = await gateway.start();
  await expect.poll(() => stateOf(running, id), { timeout: 20_000 }).toBe("up");
  await platform.write(1);
  await expect.poll(() => platform.answers(1).length, { timeout: 30_000 }).toBe(1);
  await expect.poll(() => delivered(gateway), { timeout: 30_000 }).toBe(1);
  running?.kill();
  await running?.gone;
}

/** What waits there. */
export async function outboxOf(
  running: Running | undefined,
): Promise<readonly { readonly reply: string; readonly state: string }[]> {
  const response = await fetch(`${running?.url}/api/v1/outbox`, {
    headers: { authorization: `Bearer ${running?.token}` },
  });
  return ((await response.json()) as { readonly items: Awaited<ReturnType<typeof outboxOf>> }).items; // its schema says so
}

async function stateOf(running: Running | undefined, id: string): Promise<unknown> {
  const response = await fetch(`${running?.url}/api/v1/channels`, {
    headers: { authorization: `Bearer ${running?.token}` },
  });
  const items = (await response.json()) as readonly { readonly id: string; readonly state: string }[]; // its schema says so
  return items.find((one) => one.id === id)?.state;
}

function delivered(gateway: KilledGateway): number {
  const records = [...gateway.journals().values()].flat().flatMap((commit) => commit.records);
  return records.filter(({ type }) => type === "reply.delivered").length;
}
