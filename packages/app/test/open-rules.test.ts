// What a yes for all conversations is bound to, when it is given to a tool of an MCP server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, type JsonObject, type Tool } from "@margay/core";
import { openFileDocs, silentLog, systemClock } from "@margay/core/internal";
import { expect, onTestFinished, test } from "vitest";
import { openRules } from "../src/features/approvals/open-rules.ts";

const INPUT = { type: "object", properties: { text: { type: "string" } } };
const tool = (name: string, more: { description?: string; effect?: Tool["effect"]; input?: JsonObject } = {}): Tool =>
  defineTool({
    name,
    description: "Sends it.",
    input: INPUT,
    effect: "write",
    execute: () => Promise.resolve(""),
    ...more,
  });

function pinOf(one: Tool | undefined, servers: Readonly<Record<string, JsonObject>>, name = one?.name ?? "none") {
  const home = mkdtempSync(join(tmpdir(), "margay-kept-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const tools = { list: () => (one === undefined ? [] : [one]), get: () => one };
  const all = servers as unknown as ReturnType<Parameters<typeof openRules>[0]["servers"]>; // as the configuration gives them
  return openRules({
    pluginPin: () => undefined,
    docs: openFileDocs(home),
    clock: systemClock(),
    log: silentLog,
    tools,
    changed: () => {},
    servers: () => all,
  }).pinOf(name);
}

test("R218 a kept yes holds for the tool that was shown: another definition, command or address is another tool", () => {
  const box = { box: { command: "run", args: ["a"] } };
  const pin = pinOf(tool("mcp_box_send"), box);
  expect(pin).toMatch(/^[0-9a-f]{64}$/);
  expect(pinOf(tool("mcp_box_send"), { ...box, other: { command: "x" } })).toBe(pin);
  const others = [
    pinOf(tool("mcp_box_sends"), box),
    pinOf(tool("mcp_box_send", { description: "Sends it away." }), box),
    pinOf(tool("mcp_box_send", { effect: "idempotent" }), box),
    pinOf(tool("mcp_box_send", { input: { type: "object" } }), box),
    pinOf(tool("mcp_box_send"), { box: { command: "runs", args: ["a"] } }),
    pinOf(tool("mcp_box_send"), { box: { command: "run", args: ["b"] } }),
    pinOf(tool("mcp_box_send"), { box: { url: "https://a.example/mcp" } }),
    pinOf(tool("mcp_box_send"), { box: { url: "https://b.example/mcp" } }),
  ];
  expect(new Set([pin, ...others]).size).toBe(others.length + 1);
});

test("R218 where it can't be told what a tool is, no yes is kept", () => {
  const box = { box: { command: "run" } };
  expect(pinOf(undefined, box)).toBeUndefined();
  expect(pinOf(tool("exec"), box)).toBeUndefined();
  expect(pinOf(tool("mcp_gone_send"), box)).toBeUndefined();
  expect(pinOf(tool("mcp_box_send"), {})).toBeUndefined();
});

test("R218 a server is found by its name, as tools have it", () => {
  expect(pinOf(tool("mcp_my_box_send"), { "my.box": { command: "run" } })).toBeDefined();
  const long = "b".repeat(80);
  expect(pinOf(tool(`mcp_${long}`.slice(0, 55)), { [long]: { command: "run" } })).toBeDefined();
});
