// Which rows the suite of channels asks of which channel, and what is a declared gap there.
import { readdirSync } from "node:fs";
import { channelConformance } from "@margay/core/testing";
import { describe, expect, test } from "vitest";
import { suite as discord } from "../plugins/channel-discord/test/peer.ts";
import { suite as email } from "../plugins/channel-email/test/suite-peer.ts";
import { suite as feishu } from "../plugins/channel-feishu/test/peer.ts";
import { suite as slack } from "../plugins/channel-slack/test/peer.ts";
import { suite as telegram } from "../plugins/channel-telegram/test/peer.ts";
import { suite as xmpp } from "../plugins/channel-xmpp/test/suite-peer.ts";

const SUITES = { discord, email, feishu, slack, telegram, xmpp };
function rowsOf(suite: (typeof SUITES)[keyof typeof SUITES]): {
  readonly asked: ReadonlySet<string>;
  readonly gaps: ReadonlySet<string>;
} {
  const names: string[] = [];
  channelConformance((name) => void names.push(name), suite);
  const rows = (isGap: boolean): ReadonlySet<string> =>
    new Set(
      names.filter((name) => name.includes("[gap:") === isGap).flatMap((name) => name.match(/\bCH1[1-7]\d\b/g) ?? []),
    );
  const asked = rows(false);
  return { asked, gaps: new Set([...rows(true)].filter((row) => !asked.has(row))) };
}

test("CH110 CH179 every channel of ours has the suite, and its rows are asked of it or are gaps that its README names", () => {
  const plugins = readdirSync("plugins").flatMap((name) => (name.startsWith("channel-") ? [name.slice(8)] : []));
  expect(plugins.toSorted()).toEqual(Object.keys(SUITES).toSorted());
  const all = new Set(Object.values(SUITES).flatMap((suite) => [...rowsOf(suite).asked]));
  for (const [name, suite] of Object.entries(SUITES)) {
    const { asked, gaps } = rowsOf(suite);
    expect([name, [...all].filter((row) => !asked.has(row) && !gaps.has(row))]).toEqual([name, []]);
  }
});

describe("what is a gap", () => {
  test.each(Object.entries(SUITES))("%s", (name, suite) => {
    expect({ [name]: [...rowsOf(suite).gaps].toSorted().join(" ") }).toEqual({
      [name]: GAPS[name as keyof typeof GAPS],
    });
  });
});

const GAPS = {
  discord: "CH172",
  email: "CH128 CH135 CH138 CH145 CH149 CH150 CH154 CH162 CH163 CH165 CH166 CH172",
  feishu: "CH135 CH166",
  slack: "CH135 CH154 CH172",
  telegram: "CH133 CH135 CH136 CH172",
  xmpp: "CH124 CH127 CH128 CH135 CH145 CH149 CH150 CH155 CH156 CH160 CH162 CH163 CH165 CH166 CH172",
};
