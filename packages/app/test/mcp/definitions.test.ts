import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { toolName } from "../../src/models/tool-name.ts";
import { contentOf } from "../../src/features/mcp/client/result.ts";
import { normalizeSchema } from "../../src/models/tool-schema.ts";
import { ECHO, fakeServer, mcpApp } from "./support.ts";

function normalized(schema: unknown): JsonObject {
  const result = normalizeSchema(schema);
  if (!result.ok) throw new Error(result.reason);
  return result.schema;
}

test("R214 other characters become _, long names are cut and hashed, and stay different", () => {
  expect(toolName("my notes", "a/b.c")).toBe("mcp_my_notes_a_b_c");
  expect(toolName("笔记", "read")).toBe("mcp____read");
  const long = "x".repeat(80);
  const names = [toolName("s", `${long}1`), toolName("s", `${long}2`)];
  for (const name of names) expect(name).toMatch(/^mcp_s_x+_[0-9a-f]{8}$/);
  expect(names.map((name) => name.length)).toEqual([64, 64]);
  expect(names[0]).not.toBe(names[1]);
});

test("R214 of two tools with one name the second is refused, within a server and between two", async () => {
  const two = fakeServer({
    tools: [
      { ...ECHO, name: "a.b" },
      { ...ECHO, name: "a_b" },
      { ...ECHO, name: "A.B" },
    ],
  });
  const { model, ask, offered, events } = await mcpApp({
    "x.y": two.config,
    x_y: fakeServer({ tools: [{ ...ECHO, name: "a b" }] }).config,
  });
  model.replies(says("hi"));
  await ask("hello");
  expect(offered()).toEqual(["mcp_x_y_a_b"]);
  expect(events.filter((event) => event["event"] === "mcp.tool")).toHaveLength(2);
  expect(events.filter((event) => event["event"] === "mcp.collision")).toEqual([
    expect.objectContaining({ tool: "mcp_x_y_a_b", server: "x_y" }),
  ]);
});

test("MC3 nullable unions become a list of types, references what they point to, and a reference to itself anything", () => {
  expect(
    normalized({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        name: { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }], description: "who" },
        place: { $ref: "#/$defs/place", description: "where" },
        tree: { $ref: "#/$defs/tree" },
      },
      $defs: {
        place: { type: "object", properties: { city: { type: "string" } } },
        tree: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/tree" } } } },
      },
    }),
  ).toEqual({
    type: "object",
    properties: {
      name: { type: ["string", "null"], minLength: 1, description: "who" },
      place: { type: "object", properties: { city: { type: "string" } }, description: "where" },
      tree: { type: "object", properties: { children: { type: "array", items: {} } } },
    },
  });
});

test("MC3 alternatives at the top, which providers refuse, become one object", () => {
  const by = (name: string): object => ({
    type: "object",
    properties: { [name]: { type: "string" }, both: {} },
    required: [name, "both"],
  });
  expect(normalized({ anyOf: [by("id"), by("url")] })).toEqual({
    type: "object",
    properties: { id: { type: "string" }, url: { type: "string" }, both: {} },
    required: ["both"],
  });
  // One of them may have no parameters of its own.
  expect(normalized({ anyOf: [by("id"), {}] })["properties"]).toEqual({ id: { type: "string" }, both: {} });
  expect(normalized({ type: "object", allOf: [by("id"), by("url")] })["required"]).toEqual(["id", "both", "url"]);
  expect(normalized(undefined)).toEqual({ type: "object", properties: {} });
});

test.for<[string, unknown, string]>([
  ["no object", "string", "is no object"],
  ["arguments that are a list", { type: "array" }, "not an object"],
  ["a reference elsewhere", { properties: { a: { $ref: "https://evil.example/schema" } } }, "another document"],
  ["a reference to nothing", { properties: { a: { $ref: "#/$defs/none" } } }, "not there"],
  ["a name no provider takes", { properties: { "a b": {} } }, "parameter named"],
  ["parameters that are no list of names", { properties: "abc" }, "properties is no object"],
  ["a parameter whose schema is a word", { properties: { a: "string" } }, "where a schema belongs"],
  ["a word for what is in a list", { properties: { a: { type: "array", items: "string" } } }, "where a schema belongs"],
  ["alternatives that are one", { properties: { a: { anyOf: { type: "string" } } } }, "anyOf is no list"],
  ["a novel", { properties: { a: { description: "x".repeat(40_000) } } }, "too long"],
])("MC3 an unusable schema is refused with a reason: %s", ([, schema, reason]) => {
  expect(normalizeSchema(schema)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
});

test("MC3 a schema nested without end is refused, not followed", () => {
  let schema: object = { type: "string" };
  for (let depth = 0; depth < 60; depth += 1) schema = { type: "object", properties: { a: schema } };
  expect(normalizeSchema(schema)).toMatchObject({ ok: false });
});

test("MC3 one unusable tool is left out with a warning; the server and its other tools stay", async () => {
  const fake = fakeServer({
    tools: [{ name: "bad", inputSchema: { type: "array" } }, ECHO, { name: "worse", inputSchema: 7 }],
  });
  const { model, ask, offered, events } = await mcpApp({ fake: fake.config });
  model.replies(callsTool("mcp_fake_echo", { text: "x", extra: 1 }), says("hi"));
  expect(await ask("go")).toEqual(["Parameter error: unknown parameter extra"]);
  expect(offered()).toEqual(["mcp_fake_echo"]);
  expect(events.filter((event) => event["event"] === "mcp.tool")).toHaveLength(2);
});

test("R219 text, images, resources and links become parts; structured content is text unless it was said already", () => {
  expect(
    contentOf({
      content: [
        { type: "text", text: "hello" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "resource", resource: { uri: "file:///a.txt", text: "inside" } },
        { type: "resource", resource: { uri: "file:///b", mimeType: "image/png", blob: "AAAA" } },
        { type: "resource_link", name: "c", uri: "file:///c" },
        { type: "hologram" },
      ],
      structuredContent: { a: 1 },
    }),
  ).toEqual([
    { type: "text", text: "hello" },
    { type: "bytes", mediaType: "image/png", base64: "AAAA" },
    { type: "text", text: "[file:///a.txt]\ninside" },
    { type: "bytes", mediaType: "image/png", base64: "AAAA", uri: "file:///b" },
    { type: "text", text: "[resource c: file:///c]" },
    { type: "text", text: "[left out: content of kind hologram]" },
    { type: "text", text: '{"a":1}' },
  ]);
  expect(contentOf({ content: [{ type: "text", text: '{ "a": 1 }' }], structuredContent: { a: 1 } })).toHaveLength(1);
  expect(contentOf({ content: [{ type: "text", text: "x" }], structuredContent: { content: "x" } })).toHaveLength(1);
});
