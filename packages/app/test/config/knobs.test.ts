import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "@margay/core";
import { keyText } from "../../src/config/key-text.ts";
import { resolve, type Resolved } from "../../src/config/resolve.ts";
import { KEYS } from "../../src/config/keys.ts";
import { findKey, SECURITY_KEYS } from "../../src/config/schema.ts";
import { configSchema } from "../../src/host/settings/json-schema.ts";
import { KNOBS, type Knob } from "./knobs.ts";

const references = { env: {}, readFile: () => undefined };

function load(file: JsonObject, flags: Readonly<Record<string, Json>> = {}): Resolved {
  return resolve(file, flags, references);
}

/** `{ a: { b: value } }` for the names of a key. */
function fileWith(key: string, value: Json): JsonObject {
  const names = findKey(key)?.names ?? [];
  return names.reduceRight<Json>((below, name) => ({ [name]: below }), value) as JsonObject; // at least one name
}

/** A key below a name that nobody wrote stands under its pattern. */
function valueOf(resolved: Resolved, knob: Knob): Json | undefined {
  const pattern = findKey(knob.key)?.key.path;
  return resolved.entries.find((entry) => entry.path === knob.key || entry.path === pattern)?.value;
}

describe.each(KNOBS)("$row $key", (knob) => {
  test("R314 has its default without a file", () => {
    const plain = load({});
    expect(plain.faults).toEqual([]);
    expect(valueOf(plain, knob)).toEqual(knob.default);
  });

  test.each(["nanobot", "countbot"] as const)("R28 follows the profile %s, by file and by flag", (profile) => {
    const expected = knob[profile] ?? knob.default;
    for (const resolved of [load({ profile }), load({}, { profile })])
      expect(valueOf(resolved, knob)).toEqual(expected);
  });

  test("R28 a configured value wins over default and profile", () => {
    for (const value of knob.overrides) {
      const file = fileWith(knob.key, value);
      for (const profile of ["nanobot", "countbot"]) {
        const resolved = load(knob.key === "profile" ? file : { profile, ...file });
        expect(resolved.faults).toEqual([]);
        expect(valueOf(resolved, knob)).toEqual(value);
      }
    }
  });

  test("R310 a value out of range or of a wrong type is refused by its path", () => {
    for (const value of knob.refused) {
      const { faults } = load(fileWith(knob.key, value));
      expect({ value, faults }).not.toEqual({ value, faults: [] });
      for (const fault of faults) expect(fault.path.startsWith(knob.key)).toBe(true);
    }
  });
});

test("R28 a flag wins over the file", () => {
  const resolved = load({ agent: { maxIterations: 7 } }, { "agent.maxIterations": 9 });
  expect(resolved.config.agent.maxIterations).toBe(9);
  expect(resolved.entries.find((entry) => entry.path === "agent.maxIterations")?.source).toEqual({ from: "flag" });
});

test("R28 profiles change no security key but the two that the contract marks, and those only as it says", () => {
  const changed = KEYS.filter(
    (key) => SECURITY_KEYS.includes(key.path) && (key.nanobot !== undefined || key.countbot !== undefined),
  );
  expect(changed.map((key) => key.path).sort()).toEqual(["tools.exec.denyAction", "tools.restrictToWorkspace"]);
});

test("R316 every key of the table is in this test or belongs to a section that gateway.md describes", () => {
  const tested = new Set(KNOBS.map((knob) => findKey(knob.key)?.key.path));
  const others = KEYS.map((key) => key.path).filter((path) => !tested.has(path) && !path.startsWith("gateway."));
  expect(others.sort()).toEqual([
    "channels.*.ack",
    "channels.*.backfillHours",
    "channels.*.baseUrl",
    "channels.*.burstMs",
    "channels.*.kind",
    "channels.*.live",
    "channels.*.media.maxBytes",
    "channels.*.options",
    "channels.*.quote",
    "channels.*.reactions",
    "channels.*.secret",
    "channels.*.session",
    "channels.*.token",
    "channels.*.typing",
    "channels.*.uncertain",
    "mcpServers.*.disabled",
    "mcpServers.*.enabledTools",
    "mcpServers.*.for",
    "plugins.*.settings", // and of these too
    "providers.*.options", // what a plugin makes of them is tested with plugins/
  ]);
});

test("R381 a channel that is only named is off and admits nobody", () => {
  const { config } = load({ channels: { telegram: { token: "t" } } });
  const manners = {
    ...{ groups: "off", chats: {}, session: "perThread", approvals: "private" },
    ...{ follow: false, bots: "heard" },
  };
  const groups = {
    ...manners,
    live: "private",
    typing: "on",
    uncertain: "again",
    quote: "auto",
    reactions: "count",
    burstMs: 0,
    backfillHours: 24,
    media: { maxBytes: 26_214_400 },
  };
  expect(config.channelsById).toEqual({
    telegram: { enabled: false, allowFrom: [], operators: [], ...groups, token: "t" },
  });
});

test("R370 a server that is only named offers all its tools", () => {
  const { config } = load({ mcpServers: { files: { command: "x" } } });
  expect(config.mcpServers).toEqual({
    files: {
      command: "x",
      enabledTools: ["*"],
      disabled: false,
      sandbox: true,
      network: [],
      writable: [],
      for: ["owner"],
    },
  });
});

test("R323 a model name may hold dots and slashes", () => {
  const { config } = load({ models: { "openai/gpt-4.1": { contextWindow: 4096 } } });
  expect(config.models).toEqual({ "openai/gpt-4.1": { contextWindow: 4096 } });
});

test("R364 the search key is taken from BRAVE_API_KEY when no file gives one", () => {
  const resolved = resolve({}, {}, { env: { BRAVE_API_KEY: "BSA-env" }, readFile: () => undefined });
  const entry = resolved.entries.find((one) => one.path === "tools.webSearch.apiKey");
  expect(entry?.source).toEqual({ from: "environment", name: "BRAVE_API_KEY" });
  expect(resolved.config.tools.webSearch.apiKey).toBe("BSA-env");
  expect(resolved.secrets).toEqual(["BSA-env"]);
});

test("a key that only imitates an earlier project is in no form, and config.json may set it", () => {
  const schema = JSON.stringify(configSchema("en"));
  const only = KEYS.filter((key) => key.profileOnly === true);
  expect(only.map((key) => key.path)).toEqual(["memory.trigger", "memory.format", "context.mediaOrder"]);
  expect(only.filter((key) => schema.includes(JSON.stringify(keyText(key.path, "en"))))).toEqual([]);
  expect(load({ memory: { trigger: "exceed" }, context: { mediaOrder: "text-first" } }).faults).toEqual([]);
});

test("W§13.11 each setting of a task is a key of the table: one that is misspelt would be missing without a word", async () => {
  const known = new Set<string>(KEYS.map(({ path }) => path));
  // By its address: what pages import is checked for browsers, not for here.
  const page: unknown = await import(new URL("../../src/features/settings/page/tasks.ts", import.meta.url).href);
  const { TASKS } = z.object({ TASKS: z.array(z.object({ keys: z.array(z.string()) })) }).parse(page);
  expect(TASKS.length).toBeGreaterThan(5);
  expect(TASKS.flatMap(({ keys }) => keys).filter((path) => !known.has(path))).toEqual([]);
});
