import { expect, test } from "vitest";
import { createRegistry } from "../../src/tools/registry.ts";
import { defineTool } from "../../src/tools/define.ts";
import { prepare } from "../../src/tools/prepare.ts";

const input = { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const;

test("SC47 a tool says which valid calls cannot be done: they are answered before anybody is asked, also behind another name", async () => {
  const done: string[] = [];
  const put = defineTool<{ readonly path: string }>({
    name: "put",
    description: "Puts it there.",
    input,
    effect: "write",
    unable: ({ path }) => (path === "/closed" ? "Error: /closed is closed. Next: use another place." : undefined),
    execute: ({ path }) => {
      done.push(path);
      return Promise.resolve("done");
    },
  });
  const other = defineTool<{ readonly path: string }>({
    name: "other",
    description: "The same.",
    input,
    effect: "write",
    forward: ({ path }) => ({ name: "put", input: { path } }),
    execute: () => Promise.resolve(""),
  });
  const registry = createRegistry([put, other]);
  const refused = { ok: false, text: "Error: /closed is closed. Next: use another place." };
  for (const name of ["put", "other"]) {
    expect(await prepare(registry, { name, input: { path: "/closed" } })).toEqual(refused);
    expect(await prepare(registry, { name, input: { path: "/open" } })).toMatchObject({ ok: true });
  }
  expect(await prepare(registry, { name: "put", input: {} })).toMatchObject({
    text: expect.stringMatching(/^Parameter/),
  });
  expect(done).toEqual([]);
});
