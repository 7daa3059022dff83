import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/contract/base.ts";
import { cast } from "../../src/tools/cast.ts";
import { check } from "../../src/tools/check.ts";
import { typesOf } from "../../src/tools/json-schema.ts";
import { prepare } from "../../src/tools/prepare.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { defineTool } from "../../src/tools/define.ts";

test("json-schema/MAX_DEPTH: alternatives are followed 64 levels deep, behind that anything is allowed", () => {
  const nested = (levels: number): JsonObject => (levels === 0 ? { type: "string" } : { anyOf: [nested(levels - 1)] });
  expect(typesOf(nested(65), {})).toEqual(["string"]); // the schema itself is level 0
  expect(typesOf(nested(66), {})).toEqual([]);
});

test("json-schema/MAX_DEPTH: a value 64 levels deep is checked and cast, one level deeper it is the full validator's", async () => {
  const nested = (levels: number): JsonObject =>
    levels === 0 ? { type: "integer" } : { type: "object", properties: { a: nested(levels - 1) } };
  const holds = (levels: number, value: Json): JsonObject => ({ a: levels === 1 ? value : holds(levels - 1, value) });
  const place = (levels: number): string => Array<string>(levels).fill("a").join(".");
  for (const levels of [64, 65])
    expect(await check(holds(levels, "x"), nested(levels))).toEqual([
      expect.stringContaining(`${place(levels)} must `),
    ]);
  expect(cast(holds(64, "1"), nested(64))).toEqual(holds(64, 1));
  expect(cast(holds(65, "1"), nested(65))).toEqual(holds(65, "1"));
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
