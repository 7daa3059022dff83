import { systemClock } from "@margay/core/internal";
import { says, startMockModel } from "@margay/core/testing";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { loadConfig, type LoadOptions } from "../src/config/load.ts";
import { placesOf } from "../src/config/paths.ts";
import { saveChanges } from "../src/config/save.ts";
import { translator } from "../src/texts/translate.ts";
import { liveConfig } from "../src/host/settings/live-config.ts";
import { runParts } from "../src/host/run-parts.ts";

test("R12 R313 a changed setting is in the next request without a restart; a damaged file changes nothing", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-live-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const places = placesOf({ flag: directory, env: {}, userHome: directory, currentDirectory: directory });
  mkdirSync(places.home, { recursive: true });
  const mock = { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "test-key-for-mock" };
  writeFileSync(places.config, JSON.stringify({ model: "mock/mock-model", providers: { mock } }));
  const t = translator("en");
  const options: LoadOptions = { places, env: {}, userHome: directory, t };

  const events: string[] = [];
  const waiting = new Map<string, () => void>();
  const logged = (event: string): Promise<void> => new Promise((resolve) => waiting.set(event, resolve));
  const writeLog = (line: string): void => {
    const { event } = JSON.parse(line) as { event: string };
    events.push(event);
    waiting.get(event)?.();
  };
  await using app = await compose({ loaded: loadConfig(options), language: "en", env: {}, writeLog });
  const stop = new AbortController();
  const running = runParts([liveConfig(app, options)], { clock: systemClock(), log: app.log }, stop.signal);

  model.replies(says("one"), says("two"), says("three"));
  await app.agent.send("cli:a", "first").finished;
  expect(model.requests[0]?.body["temperature"]).toBeUndefined();

  const changed = logged("config.changed");
  await saveChanges([{ path: "agent.temperature", value: 0.4 }], { places, env: {}, t });
  await changed;
  await app.agent.send("cli:a", "second").finished;
  expect(model.requests[1]?.body["temperature"]).toBe(0.4);

  const refused = logged("config.refused");
  writeFileSync(places.config, "{oops");
  await refused;
  await app.agent.send("cli:a", "third").finished;
  expect(model.requests[2]?.body["temperature"]).toBe(0.4);
  stop.abort();
  await running;
});
