// R417: a key of the configuration acts: with another value the running program behaves differently.
import { describe, expect, test } from "vitest";
import { KEYS } from "../../src/config/keys.ts";
import { findKey } from "../../src/config/schema.ts";
import { AGENT } from "./acts/agent.ts";
import { AGENTS } from "./acts/agents.ts";
import { BACKUP } from "./acts/backup.ts";
import { EDGES } from "./acts/edges.ts";
import { GATEWAY } from "./acts/gateway.ts";
import { HOOKS } from "./acts/hooks.ts";
import { IDENTITY } from "./acts/identity.ts";
import { MCP } from "./acts/mcp.ts";
import { MEMORY } from "./acts/memory.ts";
import { observe, type Probes } from "./acts/probe.ts";
import { PEOPLE } from "./acts/people.ts";
import { PLUGINS } from "./acts/plugins.ts";
import { SCHEDULE } from "./acts/schedule.ts";
import { SPEECH } from "./acts/speech.ts";
import { TOOLS } from "./acts/tools.ts";
import { KNOBS } from "./knobs.ts";

const PROBES: Probes = {
  ...IDENTITY,
  ...AGENT,
  ...AGENTS,
  ...MEMORY,
  ...TOOLS,
  ...MCP,
  ...PLUGINS,
  ...SCHEDULE,
  ...SPEECH,
  ...EDGES,
  ...PEOPLE,
  ...GATEWAY,
  ...HOOKS,
  ...BACKUP,
};

test("R417 every key of the table has a probe, and every probe a key", () => {
  const keys = KEYS.map(({ path }) => path);
  expect(keys.filter((path) => PROBES[path] === undefined)).toEqual([]);
  expect(Object.keys(PROBES).filter((path) => !keys.includes(path))).toEqual([]);
});

/** The rows of the contract that this key is, for those who ask which have a test. */
function rowsOf(path: string): string {
  const rows = KNOBS.filter(({ key, row }) => findKey(key)?.key.path === path && /^[A-Z]+\d+$/.test(row));
  return [...new Set(rows.map(({ row }) => `${row} `))].join("");
}

describe.concurrent("a key acts", () => {
  for (const [path, probe] of Object.entries(PROBES))
    test(`R417 ${rowsOf(path)}${path}`, async (t) => {
      expect(await observe(t, path, probe)).toEqual(probe.saw);
    });
});
