import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@margay/core/internal";
import { expect, onTestFinished, test } from "vitest";
import { resolve } from "../../src/config/resolve.ts";
import { keysOf, knownModel, providerFor } from "../../src/models/choose-model.ts";
import { knownProviders, missingKey } from "../../src/models/model-check.ts";
import { KNOWN_PLUGINS, pluginSecrets } from "../../src/models/known-plugins.ts";
import { loadPlugin, pluginFor, settingsOf } from "../../src/models/plugin-load.ts";
import { approveInside, reviewInside } from "../../src/features/plugins/inside.ts";
import { locatePackage, locateProvider } from "../../src/models/plugin-locate.ts";

function emptyDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-plugins-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function configOf(file: Parameters<typeof resolve>[0]): ReturnType<typeof resolve>["config"] {
  return resolve(file, {}, { env: {}, readFile: () => undefined }).config;
}

/** A package as npm would have installed it. */
async function install(
  home: string,
  name: string,
  code: string,
  manifest: object = { exports: "./index.js" },
): Promise<void> {
  const folder = join(home, "plugins/node_modules", name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "1.2.3", type: "module", ...manifest }));
  writeFileSync(join(folder, "index.js"), code);
  const place = locatePackage(name, { home });
  if (place !== undefined) await approveInside(place, reviewInside(place), 0);
}

const WORKS = `export const plugin = { contract: "provider/1", id: "cohere-own", name: "Own", keys: [], settings: {}, secrets: {},
  create: ({ id, settings }, host) => ({ id, async *stream() { throw host.error("provider.not-found", "asked for " + settings.x); } }) };`;

test.each(KNOWN_PLUGINS.map((known) => [known.id, known] as const))(
  "%s is found in a checkout, and what is known of it beforehand is what it says",
  async (id, known) => {
    const place = locateProvider(id, {});
    expect(place).toMatchObject({ package: known.package, from: "beside" });
    if (place === undefined) return;
    const plugin = await loadPlugin(place);
    expect([plugin.id, plugin.name, plugin.keys, Object.values(plugin.secrets).flat()]).toEqual([
      known.id,
      known.name,
      known.keys,
      known.secrets,
    ]);
  },
);

test("a plugin that is not installed is an error that says how to install it", () => {
  const base = pathToFileURL(join(emptyDirectory(), "main.js")).href;
  expect(() => pluginFor("bedrock", { base, optional: false })).toThrow(
    expect.objectContaining({
      code: "plugin.missing",
      message: expect.stringContaining("margay plugin add provider-bedrock") as string,
    }),
  );
  expect(pluginFor("azure", { base, optional: true })).toBeUndefined();
  expect(pluginFor("nobody", { base, optional: false })).toBeUndefined();
  expect(pluginFor("../../etc", { base, optional: false })).toBeUndefined();
});

test("the state directory comes before what lies beside margay", async () => {
  const home = emptyDirectory();
  await install(home, "@margay/provider-azure", WORKS);
  expect(locateProvider("azure", { home })).toMatchObject({ version: "1.2.3", from: "installed" });
});

test("a package whose description is damaged is no plugin", async () => {
  const home = emptyDirectory();
  await install(home, "margay-provider-cohere-own", WORKS);
  expect(locateProvider("cohere-own", { home })).toBeDefined();
  writeFileSync(join(home, "plugins/node_modules/margay-provider-cohere-own/package.json"), "{");
  expect(locateProvider("cohere-own", { home })).toBeUndefined();
});

test("a plugin of somebody else serves its own provider, with the configured settings", async () => {
  const home = emptyDirectory();
  await install(home, "margay-provider-cohere-own", WORKS);
  const config = configOf({ providers: { "cohere-own": { options: { x: "9" } } } });
  const load = pluginFor("cohere-own", { home, optional: false });
  const plugin = await load?.();
  expect(plugin?.id).toBe("cohere-own");
  expect(plugin && settingsOf({ ...plugin, settings: { x: ["X"] } }, { x: "9" }, { X: "8" })).toEqual({ x: "9" });
  const provider = providerFor({ provider: "cohere-own", model: "m" }, { config, env: {}, clock: systemClock(), home });
  const first = provider
    .stream({} as never, new AbortController().signal)
    [Symbol.asyncIterator]()
    .next(); // never read
  await expect(first).rejects.toMatchObject({ code: "provider.not-found" });
});

test.each([
  [
    "throws at import",
    "throw new Error('no luck')",
    "cannot be loaded: no luck. Install it again with `margay plugin add margay-provider-cohere-own`.",
  ],
  ["exports nothing", "export const other = 1", "exports no `plugin` of the contract provider/1"],
  ["follows another contract", WORKS.replace("provider/1", "provider/9"), "exports no `plugin`"],
  ["is for another provider", WORKS.replace("cohere-own", "else"), "is for the provider else, not cohere-own"],
])("a package that %s is plugin.invalid, with the reason", async (_, code, reason) => {
  const home = emptyDirectory();
  await install(home, "margay-provider-cohere-own", code);
  await expect(pluginFor("cohere-own", { home, optional: false })?.()).rejects.toMatchObject({
    code: "plugin.invalid",
    message: expect.stringContaining(`The package margay-provider-cohere-own ${reason}`),
  });
});

test("an error of a plugin's own code is the cause, with the place in it", async () => {
  const home = emptyDirectory();
  await install(home, "margay-provider-cohere-own", "throw new Error('no luck')");
  await expect(pluginFor("cohere-own", { home, optional: false })?.()).rejects.toMatchObject({
    cause: { message: "no luck", stack: expect.stringContaining("cohere-own/index.js:1") },
  });
});

test("settings come from the configuration, then the environment; secrets from the environment and only for our own", async () => {
  const place = locateProvider("bedrock", {});
  const plugin = place && (await loadPlugin(place));
  if (plugin === undefined) throw new Error("the checkout has no bedrock plugin");
  const env = {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "",
  };
  expect(settingsOf(plugin, {}, env)).toEqual({ region: "us-east-1", accessKeyId: "id", secretAccessKey: "secret" });
  expect(settingsOf(plugin, { region: "eu-west-1", secretAccessKey: "no" }, {})).toEqual({ region: "eu-west-1" });
  expect(settingsOf({ ...plugin, id: "stranger" }, {}, env)).toEqual({ region: "us-east-1" });
  expect(pluginSecrets(env)).toEqual(["id", "secret"]);
});

test("a plugin's provider is known by name; its key comes from its own variables, and a key pair will do", () => {
  const config = configOf({});
  expect(knownModel("bedrock/us.amazon.nova-pro-v1:0", { config })).toEqual({
    provider: "bedrock",
    model: "us.amazon.nova-pro-v1:0",
  });
  expect(keysOf("azure", config, { AZURE_OPENAI_API_KEY: "k" })).toEqual(["k"]);
  expect(missingKey("bedrock/m", config, {})).toBe("AWS_BEARER_TOKEN_BEDROCK");
  expect(missingKey("bedrock/m", config, { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" })).toBeUndefined();
  expect(knownProviders(config, {}).filter(({ id }) => id === "bedrock")).toHaveLength(1);
});

test("a model is known when requests for it can be sent: catalog, plugin, or a description in full", async () => {
  const home = emptyDirectory();
  await install(home, "margay-provider-cohere-own", WORKS);
  const config = configOf({
    providers: { foo: { apiKey: "k" }, own: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1" } },
  });
  const isKnown = (name: string): boolean => knownModel(name, { config, home }) !== undefined;
  expect(
    ["openai/gpt", "openrouter/a/b", "azure/gpt", "cohere-own/m", "own/m"].filter((name) => !isKnown(name)),
  ).toEqual([]);
  expect(["foo/x", "bar/x", "openai/", "/x", "openai"].filter(isKnown)).toEqual([]);
});

test("a provider whose model has to be named has no default model, not a blank one", () => {
  const blank = knownProviders(configOf({}), {}).filter(({ defaultModel }) => defaultModel?.trim() === "");
  expect(blank.map(({ id }) => id)).toEqual([]);
});
