/** The cases that every channel is asked: the real channel in a real agent, in front of its platform. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Register } from "../conformance.ts";
import type { Case } from "./cases.ts";
import { openHouse } from "./house.ts";
import { registeredCommands } from "./commands.ts";
import { connection } from "./connection.ts";
import { inbound } from "./inbound.ts";
import { live } from "./live.ts";
import { login } from "./login.ts";
import { manners } from "./manners.ts";
import { media } from "./media.ts";
import { outbound } from "./outbound.ts";
import type { ChannelGap, ChannelSuite } from "./peer.ts";
import { settings } from "./settings.ts";
import { trouble } from "./trouble.ts";

/** Registers them. */
export function agentCases(register: Register, suite: ChannelSuite): void {
  const test: Case = (name, body, { needs = [], ...options } = {}) => {
    const missing = needs.filter((gap) => suite.gaps[gap] !== undefined);
    if (missing.length > 0) return registerGap(register, name, missing, suite);
    register(`channel: ${name}`, async () => {
      await using house = await openHouse(suite, options);
      await body(house);
    });
  };
  inbound(test);
  outbound(test);
  manners(test);
  connection(test);
  media(test);
  live(test);
  settings(test);
  trouble(test);
  login(test);
  registeredCommands(test);
}

/** What the platform does not have is a test as well: its README says so. */
export function registerGap(
  register: Register,
  name: string,
  missing: readonly ChannelGap[],
  { readme, gaps }: ChannelSuite,
): void {
  register(`channel: ${name} [gap: ${missing.join(", ")}]`, () => {
    const told = readFileSync(readme, "utf8").replaceAll(/\s+/g, " ");
    for (const gap of missing)
      assert.ok(told.includes(`- ${gap}: ${gaps[gap] ?? ""}`), `the README does not say that ${gap} is missing`);
    return Promise.resolve();
  });
}
