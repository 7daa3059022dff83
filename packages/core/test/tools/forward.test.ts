import { expect, test } from "vitest";
import type { Tool } from "../../src/contract/tool.ts";
import { defineTool } from "../../src/tools/define.ts";
import { prepare } from "../../src/tools/prepare.ts";
import { createRegistry } from "../../src/tools/registry.ts";

interface Call {
  readonly tool: string;
  readonly input: object;
}
const forwarding = (name: string): Tool =>
  defineTool<Call>({
    name,
    description: "hands on",
    input: { properties: { tool: { type: "string" }, input: { type: "object" } }, required: ["tool", "input"] },
    effect: "write",
    forward: ({ tool, input }) => ({ name: tool, input }),
    execute: () => Promise.resolve("never"),
  });
const add = defineTool({
  name: "add",
  description: "adds",
  input: { properties: { n: { type: "integer" } }, required: ["n"] },
  effect: "read",
  execute: () => Promise.resolve("added"),
});
const registry = createRegistry([add, forwarding("call"), forwarding("other")]);
const calling = (tool: string, input: object): ReturnType<typeof prepare> =>
  prepare(registry, { name: "call", input: { tool, input: { ...input } } });

test("R94 a forwarded call is prepared as the tool it names: its input, its schema, its effect", async () => {
  expect(await calling("add", { n: "3" })).toMatchObject({
    ok: true,
    tool: { name: "add", effect: "read" },
    input: { n: 3 },
  });
  expect(await calling("add", { n: 3, m: 4 })).toEqual({ ok: false, text: "Parameter error: unknown parameter m" });
});

test("R94 a call that is forwarded to nothing, to itself or on and on is refused", async () => {
  for (const name of ["gone", "call", "other"])
    expect(await calling(name, {})).toMatchObject({
      ok: false,
      text: expect.stringContaining(`unknown tool "${name}"`),
    });
  expect(await prepare(registry, { name: "call", input: { tool: "add" } })).toEqual({
    ok: false,
    text: "Parameter error: input is required",
  });
});
