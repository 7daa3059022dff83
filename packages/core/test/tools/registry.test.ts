import { expect, test } from "vitest";
import type { Tool } from "../../src/contract/tool.ts";
import { defineTool, toSchema } from "../../src/tools/define.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { toolContext } from "./support.ts";

function named(name: string): Tool {
  return defineTool({
    name,
    description: `Does ${name}.`,
    input: { properties: { to: { type: "string" }, at: { type: "integer" } }, required: ["to"] },
    effect: "read",
    execute: async (input: { to: string }) => `${name} ${input.to}`,
  });
}

test("R81 toSchema gives the OpenAI function form, keys in canonical order", () => {
  const schema = toSchema(named("go"));
  expect(schema).toEqual({
    type: "function",
    function: {
      name: "go",
      description: "Does go.",
      parameters: { type: "object", properties: { to: { type: "string" }, at: { type: "integer" } }, required: ["to"] },
    },
  });
  expect(JSON.stringify(schema.function.parameters)).toBe(
    '{"properties":{"at":{"type":"integer"},"to":{"type":"string"}},"required":["to"],"type":"object"}',
  );
});

test("R82 the order of registration does not change the definitions; tools of MCP servers come last", () => {
  const names = ["write_file", "mcp_b_x", "exec", "mcp_a_y", "zip"];
  const forward = createRegistry(names.map(named));
  const backward = createRegistry(names.toReversed().map(named));
  expect(JSON.stringify(forward.getDefinitions())).toBe(JSON.stringify(backward.getDefinitions()));
  expect(forward.list().map((tool) => tool.name)).toEqual(["exec", "write_file", "zip", "mcp_a_y", "mcp_b_x"]);
});

test("R82 TL12 a name that is taken is refused, in another case too", () => {
  expect(() => createRegistry([named("exec"), named("exec")])).toThrow(
    expect.objectContaining({ code: "tool.duplicate" }),
  );
  expect(() => createRegistry([named("exec"), named("Exec")])).toThrow('"Exec" is there already as "exec"');
});

test("R83 a tool can be removed and registered again; a snapshot does not change", () => {
  const registry = createRegistry([named("a"), named("b")]);
  const before = registry.snapshot();
  expect(registry.unregister("a")).toBe(true);
  expect(registry.unregister("a")).toBe(false);
  expect(registry.get("a")).toBeUndefined();
  expect(before.get("a")?.name).toBe("a");
  registry.register(named("A"));
  expect(registry.list().map((tool) => tool.name)).toEqual(["A", "b"]);
  expect(before.list().map((tool) => tool.name)).toEqual(["a", "b"]);
});

test("R82 execute returns text, for errors too", async () => {
  const registry = createRegistry([
    named("go"),
    defineTool({
      name: "fail",
      description: "",
      input: {},
      effect: "read",
      execute: async () => Promise.reject(new Error("no luck")),
    }),
  ]);
  const context = toolContext();
  expect(await registry.execute("go", { to: "x" }, context)).toBe("go x");
  expect(await registry.execute("go", {}, context)).toBe("Parameter error: to is required");
  expect(await registry.execute("fail", {}, context)).toBe("Error: fail failed: no luck");
  expect(await registry.execute("gone", {}, context)).toBe('Error: unknown tool "gone". Next: use one of fail, go.');
});

test("a tool whose name no provider takes is refused when it is defined", () => {
  expect(() => named("has space")).toThrow(expect.objectContaining({ code: "tool.invalid" }));
  expect(() => named("x".repeat(65))).toThrow(expect.objectContaining({ code: "tool.invalid" }));
});

test("R94 a tool of an MCP server registers, is checked and is called like any other", async () => {
  const registry = createRegistry([named("exec")]);
  registry.register(named("mcp_files_read"));
  expect(registry.getDefinitions().map((definition) => definition.function.name)).toEqual(["exec", "mcp_files_read"]);
  expect(await registry.execute("mcp_files_read", { to: "x", odd: 1 }, toolContext())).toBe(
    "Parameter error: unknown parameter odd",
  );
  expect(await registry.execute("mcp_files_read", { to: "x" }, toolContext())).toBe("mcp_files_read x");
});

test("R92 TL13 one tool object serves two calls at once, each with its own context", async () => {
  const both = Promise.withResolvers<void>();
  let running = 0;
  const tool = defineTool({
    name: "where",
    description: "",
    input: {},
    effect: "read",
    execute: async (_, context) => {
      running += 1;
      if (running === 2) both.resolve();
      await both.promise;
      return `${context.origin.chat} ${context.callId} ${context.workspace}`;
    },
  });
  const registry = createRegistry([Object.freeze(tool)]);
  const call = (chat: string): Promise<string> =>
    registry.execute("where", {}, toolContext({ origin: { channel: "cli", chat }, workspace: `/${chat}` }));
  expect(await Promise.all([call("a"), call("b")])).toEqual(["a c-1 /a", "b c-1 /b"]);
});
