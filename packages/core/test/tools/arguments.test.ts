import { expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../src/contract/base.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { defineTool, validateParams } from "../../src/tools/define.ts";
import { prepare } from "../../src/tools/prepare.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { objectSchema } from "../../src/tools/schema.ts";

function tool(input: JsonObject, name = "read_file"): Tool {
  return defineTool({ name, description: "", input, effect: "read", execute: async () => "ran" });
}
const readFile = tool({
  properties: {
    path: { type: "string" },
    offset: { type: "integer", minimum: 1 },
    limit: { type: "integer", minimum: 1, maximum: 2000 },
  },
  required: ["path"],
});

async function answer(tested: Tool, inputText: string): Promise<unknown> {
  const result = await prepare(createRegistry([tested]), { name: tested.name, input: {}, inputText });
  return result.ok ? result.input : result.text;
}

test.each([
  ["{}", "Parameter error: path is required"],
  ["", "Parameter error: path is required"],
  ['{"path":1}', "Parameter error: path must be a string"],
  ['{"path":"a","limit":3000}', "Parameter error: limit must be an integer from 1 to 2000"],
  ['{"path":"a","offset":0}', "Parameter error: offset must be an integer of at least 1"],
  ['{"path":"a","offset":1.5}', "Parameter error: offset must be an integer of at least 1"],
  ['{"path":"a","line":3}', "Parameter error: unknown parameter line"],
  [
    '{"x":1,"limit":"many"}',
    "Parameter error: path is required; limit must be an integer from 1 to 2000; unknown parameter x",
  ],
  ['{"__proto__":{"path":"a"}}', "Parameter error: path is required; unknown parameter __proto__"],
  ['{"path":"a","constructor":1}', "Parameter error: unknown parameter constructor"],
])("R84 R413 read_file with %s is answered with exactly what is wrong", async (text, expected) => {
  expect(await answer(readFile, text)).toBe(expected);
});

test("R84 a nested fault names its place", async () => {
  const nested = tool({
    properties: {
      schedule: {
        type: "object",
        properties: { kind: { enum: ["at", "every"] } },
        required: ["kind"],
        additionalProperties: false,
      },
      media: { type: "array", items: { type: "string", minLength: 1 }, maxItems: 2 },
    },
  });
  expect(await answer(nested, '{"schedule":{},"media":["a",""]}')).toBe(
    "Parameter error: schedule.kind is required; media[1] must be a string of at least 1 character",
  );
  expect(await answer(nested, '{"schedule":{"kind":"now","x":1},"media":"a"}')).toBe(
    "Parameter error: schedule.kind must be one of at, every; unknown parameter schedule.x; media must be an array of at most 2 items",
  );
});

test("R84 a reference with a stray percent sign is followed as it stands", async () => {
  const stray = tool({ properties: { n: { $ref: "#/$defs/100%" } }, $defs: { "100%": { type: "integer" } } });
  expect(await answer(stray, '{"n":"3"}')).toEqual({ n: 3 });
});

test("R84 keywords of foreign schemas are judged by the full validator", async () => {
  const foreign = tool({
    properties: {
      id: { $ref: "#/$defs/id" },
      when: { anyOf: [{ type: "string", pattern: "^\\d+$" }, { type: "null" }] },
      step: { type: "number", multipleOf: 0.5 },
    },
    dependentRequired: { step: ["id"] },
    $defs: { id: { type: "string", format: "uuid" } },
  });
  expect(await answer(foreign, '{"id":"x"}')).toBe("Parameter error: id must be a valid uuid");
  expect(await answer(foreign, '{"step":0.7,"id":"8b1f7a52-96cf-4a44-8a5e-3b8a3f0f4a10"}')).toBe(
    "Parameter error: step must be a multiple of 0.5",
  );
  expect(await answer(foreign, '{"when":"soon"}')).toBe("Parameter error: when must match ^\\d+$");
  expect(await answer(foreign, '{"when":5}')).toBe("Parameter error: when must be a string or null");
  expect(await answer(foreign, '{"step":1}')).toContain("Parameter error: arguments must fit its schema: ");
  expect(await answer(foreign, '{"when":null}')).toEqual({ when: null });
});

test("R84 a schema that cannot be read lets its owner decide", async () => {
  expect(await answer(tool({ properties: { a: { $ref: "https://example.com/x" } } }), '{"a":1}')).toEqual({ a: 1 });
  expect(await answer(tool({}), '{"anything":1}')).toEqual({ anything: 1 });
});

test("R84 a schema that refers to itself ends", async () => {
  const tree = tool({
    properties: { node: { $ref: "#/$defs/node" } },
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
  });
  const nested = (depth: number): string => `{"node":${'{"next":'.repeat(depth)}{}${"}".repeat(depth)}}`;
  expect(typeof (await answer(tree, nested(200)))).toBe("object");
  // Deeper than anything honest: refused before anybody walks it.
  expect(await answer(tree, nested(3000))).toContain("not a JSON object");
});

const CASTS: readonly (readonly [string, unknown, unknown])[] = [
  ["integer", "3", 3],
  ["integer", "-3", -3],
  ["number", "3.25", 3.25],
  ["boolean", "true", true],
  ["boolean", "false", false],
  ["string", "3", "3"],
  ["string", "true", "true"],
];
test.each(CASTS)("R85 TL2 where a schema wants %s, %j becomes %j", async (type, given, expected) => {
  expect(await answer(tool({ properties: { x: { type } } }), JSON.stringify({ x: given }))).toEqual({ x: expected });
});

const REFUSED: readonly (readonly [string, unknown])[] = [
  ["integer", "3.0"],
  ["integer", "03"],
  ["integer", " 3"],
  ["integer", "1e3"],
  ["integer", "0x10"],
  ["integer", "12345678901234567890"],
  ["integer", ""],
  ["integer", true],
  ["integer", null],
  ["integer", [3]],
  ["number", "NaN"],
  ["number", "Infinity"],
  ["number", "0.12345678901234567"],
  ["number", false],
  ["boolean", "True"],
  ["boolean", "1"],
  ["boolean", 1],
  ["string", 3],
  ["string", null],
  ["array", "a"],
  ["object", "{}"],
];
test.each(REFUSED)("R85 TL2 where a schema wants %s, %j is refused, not bent", async (type, given) => {
  const refusal = await answer(tool({ properties: { x: { type } } }), JSON.stringify({ x: given }));
  expect(refusal).toMatch(/^Parameter error: x must be /);
});

test("R85 casts reach into lists and objects, and leave alternatives with a string alone", async () => {
  const schema = tool({
    properties: {
      list: { type: "array", items: { type: "integer" } },
      any: { anyOf: [{ type: "integer" }, { type: "string" }] },
      one: { oneOf: [{ type: "integer" }, { type: "null" }] },
      both: { type: ["integer", "null"] },
    },
  });
  expect(await answer(schema, '{"list":["1",2],"any":"3","one":"5","both":"4"}')).toEqual({
    list: [1, 2],
    any: "3",
    one: 5,
    both: 4,
  });
  expect(await answer(schema, '{"one":"many"}')).toBe("Parameter error: one must be an integer or null");
});

test("R85 TL2 NaN and Infinity are refused when a program calls", async () => {
  const number = tool({ properties: { x: { type: "number" } } });
  expect(await validateParams(number, { x: Number.NaN })).toEqual(["x must be a number"]);
  expect(await validateParams(number, { x: Infinity })).toEqual(["x must be a number"]);
});

test.each(["[1]", '"text"', "{broken", "null", '{"path":"a"} trailing', "{'path':'a'}", "3"])(
  "R86 %s is not repaired and not executed",
  async (text) => {
    expect(await answer(readFile, text)).toBe("Parameter error: arguments are not a JSON object");
  },
);

test("R86 blank argument text counts as {}", async () => {
  expect(await answer(tool({ properties: {} }), " \n")).toEqual({});
});

test("R87 TL5 an unknown tool is answered with the names there are; a near miss is not executed", async () => {
  const registry = createRegistry([readFile, tool({}, "exec"), tool({}, "mcp_a_b")]);
  expect(await prepare(registry, { name: "readfile", input: { path: "a" } })).toEqual({
    ok: false,
    text: 'Error: unknown tool "readfile". Next: use one of exec, read_file, mcp_a_b.',
  });
  expect(await prepare(createRegistry(), { name: "x".repeat(500), input: {} })).toEqual({
    ok: false,
    text: `Error: unknown tool "${"x".repeat(63)}…". Next: answer without tools.`,
  });
});

test("R87 among hundreds of tools the nearest names are listed", async () => {
  const registry = createRegistry([
    ...Array.from({ length: 300 }, (_, index) => tool({}, `mcp_server_tool${index}`)),
    readFile,
  ]);
  const result = await prepare(registry, { name: "ReadFile", input: {} });
  expect(result.ok ? "" : result.text).toMatch(/Next: use one of read_file, /);
  expect(result.ok ? 0 : result.text.length).toBeLessThan(1200);
});

test("R80 validateParams returns the errors; an empty list means valid", async () => {
  expect(await validateParams(readFile, { path: "a", limit: "5" })).toEqual([]);
  expect(await validateParams(readFile, {})).toEqual(["path is required"]);
  expect(await validateParams(readFile, "text")).toEqual(["arguments are not a JSON object"]);
});

test("R79 a zod schema is an input: our texts for its faults, its own for refinements, its defaults in the input", async () => {
  const schema = z.object({
    path: z.string(),
    limit: z.int().min(1).max(9).default(5),
    end: z
      .string()
      .refine((text) => text !== "bad", "must not be bad")
      .optional(),
  });
  const zodTool = defineTool({
    name: "z",
    description: "",
    input: schema,
    effect: "read",
    execute: async ({ path, limit }) => `${path} ${limit}`,
  });
  expect(await answer(zodTool, '{"path":"a"}')).toEqual({ path: "a", limit: 5 });
  expect(await answer(zodTool, '{"limit":"12","y":1}')).toBe(
    "Parameter error: path is required; limit must be an integer from 1 to 9; unknown parameter y",
  );
  expect(await answer(zodTool, '{"path":"a","end":"bad"}')).toBe("Parameter error: end: must not be bad");
});

test("R119 unadvertised spellings are normalized before casts and checks", async () => {
  const schema = objectSchema<{ job_id: number }>(
    { properties: { job_id: { type: "integer" } }, required: ["job_id"] },
    {
      normalize: ({ id, ...rest }) => {
        if (id === undefined) return rest;
        return rest["job_id"] === undefined ? { ...rest, job_id: id } : ["id and job_id differ"];
      },
      refine: ({ job_id: job }) => (job === 13 ? ["job_id must not be 13"] : []),
    },
  );
  const cron = defineTool({ name: "cron", description: "", input: schema, effect: "read", execute: async () => "" });
  expect(await answer(cron, '{"id":"7"}')).toEqual({ job_id: 7 });
  expect(await answer(cron, '{"id":7,"job_id":8}')).toBe("Parameter error: id and job_id differ");
  expect(await answer(cron, '{"id":13}')).toBe("Parameter error: job_id must not be 13");
});

test("a schema that throws is an error of the arguments, not of the turn", async () => {
  const broken: Tool = {
    ...readFile,
    input: {
      "~standard": {
        version: 1,
        vendor: "x",
        validate: () => {
          throw new Error("boom");
        },
        jsonSchema: { input: () => ({}) },
      },
    },
  };
  expect(await answer(broken, "{}")).toBe("Parameter error: boom");
});
