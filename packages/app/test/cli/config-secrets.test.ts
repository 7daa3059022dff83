// Secrets given to `config set`: none stands in config.json, and a refused change leaves the one that works (R282).
import type { Json } from "@margay/core";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { placesOf } from "../../src/config/paths.ts";
import { translator } from "../../src/texts/translate.ts";
import { valueAt } from "../../src/features/import-home/json.ts";
import { startInTerminal } from "../tui/support.ts";
import { margay, type Ran } from "./harness.ts";

test.each([
  ["mcpServers.a.env", '{"TOKEN":"planted-1"}', ["mcpServers", "a", "env"], { TOKEN: "planted-1" }],
  ["mcpServers.a.env.TOKEN", "planted-1", ["mcpServers", "a", "env"], { TOKEN: "planted-1" }],
  ["mcpServers.a.headers.X-Key", "0123", ["mcpServers", "a", "headers"], { "X-Key": "0123" }],
  ["providers.p.headers", '{"X-Key":"planted-1"}', ["providers", "p", "headers"], { "X-Key": "planted-1" }],
  ["providers.p.apiKeys", '["planted-1","planted-2"]', ["providers", "p", "apiKeys"], ["planted-1", "planted-2"]],
] as const)("R282 config set %s puts every text inside into a file of its own", async (key, typed, names, value) => {
  const app = margay();
  app.configure({ mcpServers: { a: { url: "http://127.0.0.1:9" } } });
  const { code, out, err } = await app.run(["config", "set", key, "-"], { stdin: typed });
  expect(code).toBe(0);
  const path = join(app.home, "config.json");
  expect([out, err, readFileSync(path, "utf8")].join("")).not.toMatch(/planted|0123/);
  const places = placesOf({ flag: app.home, env: {}, userHome: app.directory, currentDirectory: app.directory });
  const { config } = loadConfig({ places, env: {}, userHome: app.directory, t: translator("en") });
  expect(valueAt(config as unknown as Json, names)).toEqual(value); // made of JSON
  expect((await app.run(["config", "unset", key])).code).toBe(0);
  expect(readdirSync(places.secrets)).toEqual([]);
});

test("R282 R312 a refused change leaves the secret that works; a new value under the same name replaces it", async () => {
  const app = margay();
  const file = join(app.home, "secrets", "providers.openai.apiKey");
  const set = (key: string): Promise<Ran> => app.run(["config", "set", "providers.openai.apiKey", key]);
  expect((await set("sk-one")).code).toBe(0);
  expect((await set("sk-two")).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("sk-two");
  writeFileSync(join(app.home, "config.json"), "{oops");
  expect((await set("sk-three")).code).toBe(78);
  expect(readFileSync(file, "utf8")).toBe("sk-two");
});

test("R282 config set KEY - at a terminal asks for it, shows nothing of what is typed, and is done at Enter", async () => {
  const app = margay();
  const main = join(import.meta.dirname, "../../src/main.ts");
  const words = ["config", "set", "providers.openai.apiKey", "-", "--home", app.home];
  await using person = startInTerminal({}, () => [process.execPath, "--conditions=margay-source", main, ...words]);
  await person.shows("providers.openai.apiKey");
  person.type("sk-canary");
  person.press("Enter");
  await person.shows("exit code 0");
  expect(person.everything()).not.toContain("canary");
  expect(readFileSync(join(app.home, "secrets", "providers.openai.apiKey"), "utf8")).toBe("sk-canary");
});
