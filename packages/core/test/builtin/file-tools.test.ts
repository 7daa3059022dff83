import { estimateTokenCount } from "tokenx";
import { expect, test } from "vitest";
import { fileTools } from "../../src/builtin/files/file-tools.ts";
import { toSchema } from "../../src/tools/define.ts";
import { createRegistry } from "../../src/tools/registry.ts";

const tools = fileTools({ workspace: "/nowhere" });

test("R95 the file tools have the seed names and parameters", () => {
  const found = createRegistry(tools)
    .getDefinitions()
    .map(({ function: { name, parameters } }) => [
      name,
      Object.keys(parameters["properties"] as object),
      parameters["required"],
    ]); // every tool declares properties
  expect(found).toEqual([
    ["edit_file", ["new_text", "old_text", "path", "replace_all"], ["path", "old_text", "new_text"]],
    ["list_dir", ["path"], ["path"]],
    ["read_file", ["limit", "offset", "path"], ["path"]],
    ["search_files", ["glob", "limit", "path", "pattern"], ["pattern"]],
    ["write_file", ["content", "path"], ["path", "content"]],
  ]);
});

test("R93 each declares its effect", () => {
  expect(Object.fromEntries(tools.map(({ name, effect }) => [name, effect]))).toEqual({
    read_file: "read",
    list_dir: "read",
    search_files: "read",
    write_file: "idempotent",
    edit_file: "write",
  });
});

test("what the model is told about them is short", () => {
  const tokens = tools.map((tool) => estimateTokenCount(JSON.stringify(toSchema(tool))));
  expect(tokens.reduce((sum, count) => sum + count, 0) / tools.length).toBeLessThan(125); // about 80 by o200k
});
