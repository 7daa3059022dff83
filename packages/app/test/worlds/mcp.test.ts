/** DF42: MCP servers as a person adds them: what is wrong is said in the server's own words, and nobody waits for a dead one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { userNamed } from "./user.ts";
import { makeWorld, type World } from "./world.ts";

async function freshWorld(): Promise<World> {
  const world = await makeWorld({ user: userNamed("an ordinary user"), umask: "077", gateway: false });
  onTestFinished(() => world[Symbol.asyncDispose]());
  return world;
}

test("DF42 a server that ends says why in its own words, as a fault of the server", async () => {
  const world = await freshWorld();
  await world.margay(
    "mcp",
    "add",
    "keyless",
    "--",
    "node",
    "-e",
    "console.error('set FORGE_TOKEN first'); process.exit(3)",
  );
  const { code, err } = await world.margay("mcp", "test", "keyless");
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/set FORGE_TOKEN first.*\[mcp\.failed\]/s) as string,
  });
});

test("DF42 a program that fetches what it runs: adding it says what it needs, and takes it at once", async () => {
  const world = await freshWorld();
  const plain = await world.margay("mcp", "add", "plain", "--", "npx", "-y", "some-server");
  const hint =
    /margay config set mcpServers\.plain\.network '\["registry\.npmjs\.org"\]'/.exec(plain.err)?.[0] ?? "false";
  expect(await world.run("/bin/sh", "-c", hint)).toMatchObject({ code: 0 });
  const given = await world.margay(
    "mcp",
    "add",
    "given",
    "--network",
    "registry.npmjs.org",
    "--writable",
    "~/notes",
    "--",
    "npx",
    "-y",
    "some-server",
    "notes",
  );
  expect(given).toMatchObject({ code: 0, err: "" });
  const { mcpServers } = JSON.parse(readFileSync(join(world.home, "config.json"), "utf8")) as { mcpServers: object };
  expect(mcpServers).toMatchObject({
    plain: { network: ["registry.npmjs.org"] },
    given: { network: ["registry.npmjs.org"], writable: [join(world.person, "notes")] },
  });
});

test("DF42 a server that never answers is waited for once, not at each start", async () => {
  const world = await freshWorld();
  const late = (): number => readFileSync(join(world.home, "margay.log"), "utf8").split('"mcp.late"').length - 1;
  await world.margay("mcp", "add", "silent", "--", "sleep", "1000");
  await world.say("one");
  expect(late()).toBe(1);
  await world.say("two");
  await world.say("three");
  expect(late()).toBe(1);
  // Configured anew it is another server.
  await world.margay("config", "set", "mcpServers.silent.args", '["2000"]');
  await world.say("four");
  expect(late()).toBe(2);
});
