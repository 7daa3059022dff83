import { expect, test } from "vitest";
import type { JsonObject } from "../../src/contract/base.ts";
import { typesOf } from "../../src/tools/json-schema.ts";
import { prepare } from "../../src/tools/prepare.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { defineTool } from "../../src/tools/define.ts";

test("json-schema/MAX_DEPTH: alternatives are followed 64 levels deep, behind that anything is allowed", () => {
  const nested = (levels: number): JsonObject => (levels === 0 ? { type: "string" } : { anyOf: [nested(levels - 1)] });
  expect(typesOf(nested(65), {})).toEqual(["string"]); // the schema itself is level 0
  expect(typesOf(nested(66), {})).toEqual([]);
});

test("prepare/MAX_NAMES: forty tools are all listed for an unknown name, of one more the nearest forty", async () => {
  const listed = async (count: number): Promise<number> => {
    const tools = Array.from({ length: count }, (_, n) =>
      defineTool({
        name: `tool_${n}`,
        description: "A tool.",
        input: {},
        effect: "read",
        execute: async () => "done",
      }),
    );
    const result = await prepare(createRegistry(tools), { name: "nothing", input: {} });
    return result.ok ? 0 : (result.text.split("Next: use one of ")[1]?.split(", ").length ?? 0);
  };
  expect([await listed(40), await listed(41)]).toEqual([40, 40]);
});
