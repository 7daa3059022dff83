import { expect, test } from "vitest";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { httpFetch } from "../../src/machine/http/http-fetch.ts";
import { modelInfo } from "../../src/model/models.ts";
import { isProviderPlugin, pluginProvider } from "../../src/bridge/plugin-host.ts";
import type { ProviderHost } from "../../src/bridge/plugin-host.ts";
import type { ProviderPlugin } from "../../src/bridge/provider-plugin.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { startStreamServer } from "../support/stream-server.ts";
import { hear } from "../support/wire-provider.ts";

/** Answers with the bytes that the host's fetch delivers. */
function plugin(url: string): ProviderPlugin<ProviderHost> {
  return {
    contract: "provider/1",
    id: "own",
    name: "Own",
    keys: [],
    settings: {},
    secrets: {},
    create: ({ id, apiKey }, host) => ({
      id,
      async *stream(_, signal) {
        const response = await host.fetch(url, { signal });
        if (response.status === 401) throw host.error("provider.auth", `${apiKey} was refused. Set another.`);
        const text = await new Response(response.body).text();
        yield { type: "part", index: 0, part: { type: "text", text: `${apiKey}: ${text}` } };
        yield { type: "done", finish: "stop", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } };
      },
    }),
  };
}

test("R305 a plugin is made once per key, at the first request; a refused key gives way to the next", async () => {
  await using server = await startStreamServer();
  server.answers({ status: 401, chunks: [] }, { status: 200, chunks: [{ text: "hel" }, { text: "lo" }] });
  let loads = 0;
  const provider = pluginProvider(() => Promise.resolve((loads++, plugin(server.url))), options(["a", "b"]));
  expect(loads).toBe(0);
  expect((await hear(provider)).parts).toEqual([{ type: "text", text: "b: hello" }]);
  await hear(provider);
  expect(loads).toBe(2);
});

test("a load that failed is tried again: the plugin may have been installed meanwhile", async () => {
  await using server = await startStreamServer();
  server.answers({ status: 200, chunks: [{ text: "ok" }] });
  let there = false;
  const provider = pluginProvider(
    () => {
      if (!there) return Promise.reject(new RuntimeError("plugin.invalid", "It is broken. Install it again."));
      return Promise.resolve(plugin(server.url));
    },
    options(["a"]),
  );
  expect((await hear(provider)).error?.code).toBe("plugin.invalid");
  there = true;
  expect((await hear(provider)).parts).toEqual([{ type: "text", text: "a: ok" }]);
});

test("R73 PR13 a plugin's stream has the deadlines of every other", async () => {
  await using server = await startStreamServer();
  server.answers({ status: 200, chunks: [{ text: "Hel" }], end: "hold" });
  const clock = fakeClock();
  const provider = pluginProvider(() => Promise.resolve(plugin(server.url)), { ...options(["a"]), clock });
  const heard = hear(provider);
  await server.request(1);
  await clock.advance(300_000);
  expect((await heard).error?.code).toBe("provider.timeout");
});

test("only an object of the contract is a plugin", () => {
  const good = plugin("");
  const bad = [
    null,
    "plugin",
    {},
    { ...good, contract: "provider/2" },
    { ...good, id: "../up" },
    { ...good, keys: [1] },
    { ...good, settings: { region: "AWS_REGION" } },
    { ...good, create: undefined },
  ];
  expect([good, ...bad].map(isProviderPlugin)).toEqual([true, ...bad.map(() => false)]);
});

test("Bedrock's names of models lead to what is known of the model", () => {
  const known = modelInfo("anthropic", "claude-sonnet-4-5-20250929");
  for (const name of ["anthropic.claude-sonnet-4-5-20250929-v1:0", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"]) {
    const { contextWindow, thinking, price } = modelInfo("bedrock", name);
    expect([contextWindow, thinking, price]).toEqual([known.contextWindow, known.thinking, undefined]);
  }
});

function options(apiKeys: readonly string[]): Parameters<typeof pluginProvider>[1] {
  return { id: "own", apiKeys, headers: {}, settings: () => ({}), fetch: httpFetch(), clock: fakeClock() };
}
