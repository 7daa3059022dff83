// Keys of MCP servers: a program that runs what it is asked to, and a server that speaks HTTP.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Json, JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { approveNew } from "../../mcp/support.ts";
import { happens, lastResult, offered, type Probe, type Probes, type World } from "./probe.ts";

const TOOL = { name: "run", inputSchema: { type: "object", properties: { code: { type: "string" } } } };
const PROGRAM = `
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    return send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "any", version: "1" } });
  if (method === "tools/list") return send(id, { tools: [${JSON.stringify(TOOL)}] });
  if (method !== "tools/call") return id === undefined ? undefined : send(id, {});
  let text;
  try { text = String(await eval("(async () => {" + params.arguments.code + "})()")); } catch (error) { text = "failed: " + error.message; }
  send(id, { content: [{ type: "text", text }] });
});
`;
const ALLOWED: JsonObject = { policy: { rules: [{ tool: "mcp_*", action: "allow" }] } };

async function run(world: World, code: string): Promise<string> {
  await approveNew(world.app);
  world.model.replies(callsTool("mcp_any_run", { code }), says("done"));
  await world.turn("run it");
  return lastResult(world);
}

async function isOffered(world: World): Promise<boolean> {
  await approveNew(world.app);
  await world.turn("hi");
  return offered(world).some((name) => name.startsWith("mcp_any_"));
}

/** A busy machine starts programs late. */
const PATIENT: JsonObject = { mcp: { connectTimeoutSeconds: 300 } };

const program = (key: string, values: Probe["values"], see: Probe["see"], saw: Probe["saw"]): Probes => ({
  [`mcpServers.*.${key}`]: {
    at: `mcpServers.any.${key}`,
    values,
    config: { ...ALLOWED, ...PATIENT, mcpServers: { any: { command: process.execPath, args: ["-e", PROGRAM] } } },
    see,
    saw,
  },
});

const remote = (key: string, values: Probe["values"], see: Probe["see"], saw: Probe["saw"]): Probes => ({
  [`mcpServers.*.${key}`]: {
    at: `mcpServers.any.${key}`,
    values,
    config: ({ webUrl }) => ({ ...ALLOWED, ...PATIENT, mcpServers: { any: { url: `${webUrl}/mcp` } } }),
    web: (request, response) => void answer(request, response),
    see,
    saw,
  },
});

export const MCP: Probes = {
  ...program("command", [process.execPath, "/bin/false"], isOffered, [true, false]),
  ...program(
    "args",
    [
      ["-e", PROGRAM, "one"],
      ["-e", PROGRAM, "two"],
    ],
    async (world) => /one|two/.exec(await run(world, "return process.argv.at(-1)"))?.[0],
    ["one", "two"],
  ),
  ...program(
    "env",
    [{ WORD: "otter" }, { WORD: "marten" }],
    async (world) => /otter|marten/.exec(await run(world, "return process.env.WORD"))?.[0],
    ["otter", "marten"],
  ),
  ...program("enabledTools", [["*"], []], isOffered, [true, false]),
  ...program("disabled", [false, true], isOffered, [true, false]),
  ...program(
    "sandbox",
    [true, false],
    async (world) => {
      const config = join(world.home, "config.json");
      return (await run(world, `return "there: " + require("fs").existsSync(${JSON.stringify(config)})`)).includes(
        "there: true",
      );
    },
    [false, true],
  ),
  ...program(
    "network",
    [[], ["example.com"]],
    async (world) => (await run(world, 'return "proxy: " + process.env.HTTPS_PROXY')).includes("proxy: http"),
    [false, true],
  ),
  ...program(
    "writable",
    [[], ({ scratch }) => [scratch]],
    async (world) => {
      const file = join(world.place.scratch, "written");
      await run(world, `require("fs").writeFileSync(${JSON.stringify(file)}, "x")`);
      return existsSync(file);
    },
    [false, true],
  ),
  "mcpServers.*.for": {
    at: "mcpServers.any.for",
    values: [["owner"], ["eva"]],
    config: { ...PATIENT, mcpServers: { any: { command: process.execPath, args: ["-e", PROGRAM] } } },
    see: isOffered,
    saw: [true, false],
  },
  ...remote(
    "url",
    [({ webUrl }) => `${webUrl}/one`, ({ webUrl }) => `${webUrl}/two`],
    async (world) => [await isOffered(world), world.web.hits[0]?.url],
    [
      [true, "/one"],
      [true, "/two"],
    ],
  ),
  ...remote(
    "headers",
    [{}, { "x-team": "otters" }],
    async (world) => [await isOffered(world), world.web.hits[0]?.headers["x-team"]],
    [
      [true, undefined],
      [true, "otters"],
    ],
  ),
  "mcp.connectTimeoutSeconds": {
    values: [1, 300],
    config: ({ webUrl }) => ({ mcpServers: { any: { url: `${webUrl}/mcp` } } }),
    web: () => {}, // it never answers
    see: async ({ turn, web }) => {
      const ended = turn("hi");
      const soon = await happens(ended);
      await web.close();
      await ended;
      return soon;
    },
    saw: [true, false],
  },
  "mcp.callTimeoutSeconds": {
    values: [111, 113],
    config: ({ webUrl }) => ({
      ...ALLOWED,
      mcpServers: { any: { url: `${webUrl}/mcp` } },
      tools: { timeoutSeconds: 300 },
    }),
    web: (request, response) => void answer(request, response),
    stopped: true,
    see: async (world) => {
      await approveNew(world.app);
      world.model.replies(callsTool("mcp_any_run", { code: "" }), says("done"));
      const ended = world.turn("run it");
      const ms = await world.clock.waitForSleep(110_500, 113_500);
      await world.clock.advance(ms);
      await ended;
      return [ms, lastResult(world).startsWith("Error")];
    },
    saw: [
      [111_000, true],
      [113_000, true],
    ],
  },
};

/** The protocol over HTTP, without a stream; its tool never ends. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    response.writeHead(405).end();
    return;
  }
  const { id, method, params } = JSON.parse(await text(request)) as {
    readonly id?: Json;
    readonly method: string;
    readonly params?: { readonly protocolVersion?: string };
  };
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  if (method === "tools/call") return;
  const result =
    method === "initialize"
      ? {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "any", version: "1" },
        }
      : method === "tools/list"
        ? { tools: [TOOL] }
        : {};
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
