// What channels cost an idle gateway, the built one: with none, with one of a kind in front of its platform, with another of that kind, and with both off.
import { readFileSync } from "node:fs";
import type { JsonObject } from "@margay/core";
import type { ChannelPeer, ChannelSuite } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { killedGateway, type Running } from "../packages/app/test/durability/killed-gateway.ts";
import { suite as discord } from "../plugins/channel-discord/test/peer.ts";
import { suite as email } from "../plugins/channel-email/test/suite-peer.ts";
import { suite as feishu } from "../plugins/channel-feishu/test/peer.ts";
import { suite as slack } from "../plugins/channel-slack/test/peer.ts";
import { suite as telegram } from "../plugins/channel-telegram/test/peer.ts";
import { suite as xmpp } from "../plugins/channel-xmpp/test/suite-peer.ts";

/** `MARGAY_CHANNEL_WEIGHT=all`: every kind, until what was needed at the start is given back, in six minutes. Default: one, in ten seconds. */
const isWhole = process.env["MARGAY_CHANNEL_WEIGHT"] === "all";
const ALL = { discord, email, feishu, slack, telegram, xmpp };
const KINDS = isWhole ? ALL : { discord };
const MOST_MS = 300_000;
const LOOKS = isWhole ? 120 : 5;
/** What the first start needs and gives back later. */
const START_MB = isWhole ? 0 : 25;
/** Of the same gateway no two starts take the same. */
const NOISE_MB = 8;

test.for(Object.entries(KINDS))(
  "%s in an idle gateway: the first takes 40 MB at most, another 8 MB, and what is off nothing",
  { timeout: MOST_MS },
  async ([kind, suite]) => {
    const peers = [await peerOf(suite), await peerOf(suite)];
    const channels = (count: number, enabled: boolean): JsonObject =>
      Object.fromEntries(peers.slice(0, count).map((peer, index) => [`${kind}${index}`, configOf(peer, enabled)]));
    const none = await weighed({});
    const off = await weighed(channels(2, false));
    const one = await weighed(channels(1, true));
    const two = isWhole ? await weighed(channels(2, true)) : one;
    // oxlint-disable-next-line no-console -- the figures are what it is run for
    if (isWhole) console.log(`${kind}: none ${none}, off ${off}, first +${one - none}, further +${two - one} MB`);
    expect(off - none).toBeLessThan(NOISE_MB);
    expect(one - none).toBeLessThan(40 + START_MB);
    expect(two - one).toBeLessThan(8 + NOISE_MB);
  },
);

async function peerOf(suite: ChannelSuite): Promise<ChannelPeer> {
  const peer = await suite.peer({ clock: { now: () => Date.now() } });
  onTestFinished(() => peer[Symbol.asyncDispose]());
  return peer;
}

function configOf({ plugin, settings }: ChannelPeer, enabled: boolean): JsonObject {
  const { token, secret, baseUrl, ...options } = settings;
  const given = Object.entries({ token, secret, baseUrl }).filter(([, value]) => value !== undefined);
  return { enabled, kind: plugin.kind, ...Object.fromEntries(given), options } as JsonObject;
}

/** The memory of a gateway with these when all is up and quiet, in MB. */
async function weighed(channels: JsonObject): Promise<number> {
  const gateway = await killedGateway({ config: () => ({ channels }) });
  try {
    const running = await gateway.start();
    if (running === undefined) throw new Error("it did not start");
    const isUp = async (): Promise<boolean> =>
      (await statesOf(running)).every((state) => state === "up" || state === "off");
    await expect.poll(isUp, { timeout: 30_000 }).toBe(true);
    let least = Number.POSITIVE_INFINITY;
    let looks = 0;
    const isQuiet = (): boolean => {
      least = Math.min(least, residentMB(running.pid));
      looks += 1;
      return looks >= LOOKS;
    };
    await expect.poll(isQuiet, { timeout: 60_000, interval: 100 }).toBe(true);
    return least;
  } finally {
    await gateway.close();
  }
}

async function statesOf({ url, token }: Running): Promise<readonly string[]> {
  const response = await fetch(`${url}/api/v1/channels`, { headers: { authorization: `Bearer ${token}` } });
  return ((await response.json()) as readonly { readonly state: string }[]).map(({ state }) => state); // its schema says so
}

function residentMB(pid: number): number {
  const kB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kB) / 1024);
}
