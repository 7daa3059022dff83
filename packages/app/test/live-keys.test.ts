// R313: every key that is not marked `restart` is used from the next turn on, as a fresh start would use it.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { expect, onTestFinished, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { loadConfig, type Loaded } from "../src/config/load.ts";
import { placesOf } from "../src/config/paths.ts";
import { KEYS } from "../src/config/keys.ts";
import { findKey } from "../src/config/schema.ts";
import { translator } from "../src/texts/translate.ts";
import { KNOBS } from "./config/knobs.ts";

/** Asked of the current configuration where they are used, by what asks: `compose.ts`, `people.ts`, `schedule.ts`, `model.ts`, `personas.ts`, `late-mcp.ts`, `transcription.ts`. */
const ASKED: readonly string[] = [
  "agent.requestTimeoutSeconds",
  "agent.idleTimeoutSeconds",
  "agent.transcriptionModel",
  "agent.titles",
  "speech.",
  "fallbackModels",
  "models.*.price",
  "providers.",
  "channels.*.",
  "subagents.",
  "skills.disabled",
  "heartbeat.",
  "greeting.",
  "cron.",
  "mcpServers.",
  "plugins.",
  "policy.rules",
  "persona.",
  "agents.*.",
  "bindings",
  "roles.member.tools",
  "roles.operator.tools",
  "people.*.ids",
  "people.*.supervised",
  "people.*.name",
  "backup.",
];

test("R313 a key without `restart` changes the running agent's settings, or is asked for when it is used", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-keys-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const places = placesOf({ flag: directory, env: {}, userHome: directory, currentDirectory: directory });
  const load = (object: JsonObject): Loaded =>
    loadConfig({ places, env: {}, userHome: directory, object, t: translator("en") });
  const base = { model: "openai/gpt-5" };
  await using app = await compose({ loaded: load(base), language: "en", env: {}, writeLog: () => {} });
  const inUse = (): string => JSON.stringify([app.agent.settings, app.agent.model, app.practice]);
  const frozen: string[] = [];
  for (const { path, restart } of KEYS) {
    if (restart === true || path.startsWith("gateway.") || ASKED.some((known) => path.startsWith(known))) continue;
    app.configure(load(base));
    const before = inUse();
    const knob = KNOBS.find(({ key }) => findKey(key)?.key.path === path);
    const follows = knob?.overrides.some((value) => {
      const key =
        path === "models.*.contextWindow"
          ? ["models", "openai/gpt-5", "contextWindow"]
          : path.replace("people.*", "people.eva").split(".");
      app.configure(load({ ...base, ...nested(key, value) }));
      return inUse() !== before;
    });
    if (follows !== true) frozen.push(path);
  }
  expect(frozen).toEqual([]);
});

function nested([name = "", ...rest]: readonly string[], value: unknown): JsonObject {
  return { [name]: rest.length === 0 ? value : nested(rest, value) } as JsonObject; // knobs are JSON
}
