// Prompts under a name, over HTTP: whose they are, what a name may be, how many there may be.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logIn } from "./browser.ts";
import { expectScopes, operations, operationsBelow } from "./operations.ts";
import { startGateway } from "./support.ts";

test("every route of presets asks for a credential of its scope", async (t) => {
  await expectScopes(await startGateway(t), operationsBelow("/presets"));
});

test("W§13.13 each person has their own prompts; they are kept over a restart, for nobody else to read", async (t) => {
  const gateway = await startGateway(t, { config: { people: { eva: { name: "Eva" } } } });
  const eva = await logIn(gateway, "eva");
  const operate = operations(gateway);
  await operate("putPreset", { query: { name: "sum" }, body: { text: "Sum up {}" } });
  await operate("putPreset", { query: { name: "ask" }, body: { text: "Ask" } });
  await operate("putPreset", { query: { name: "sum" }, body: { text: "Sum up {this}" } });
  expect((await eva.api("/presets")).body.items).toEqual([]);
  await eva.api("/presets?name=mine", { method: "PUT", body: { text: "hers" } });
  const { body } = await operate("listPresets");
  expect(body.items).toEqual([
    { name: "ask", text: "Ask" },
    { name: "sum", text: "Sum up {this}" },
  ]);
  const path = join(gateway.home, "presets.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, "utf8")).people).toEqual({
    owner: body.items,
    eva: [{ name: "mine", text: "hers" }],
  });
  expect((await operate("deletePreset", { query: { name: "mine" } })).status).toBe(404);
  expect((await operate("deletePreset", { query: { name: "ask" } })).body.items).toHaveLength(1);
});

test("presets/schema/MAX_PRESETS, presets/schema/MAX_PRESET_CHARS: 100 of 20,000 characters, no name of a command", async (t) => {
  const gateway = await startGateway(t, { config: { gateway: { limits: { requestsPerMinute: 10_000 } } } });
  const operate = operations(gateway);
  const put = async (name: string, text = "x"): Promise<number> =>
    (await operate("putPreset", { query: { name }, body: { text } })).status;
  for (let n = 0; n < 100; n++) expect(await put(`p${n}`)).toBe(200);
  expect(await put("one-more")).toBe(422);
  expect(await put("p7", "y".repeat(20_000))).toBe(200);
  expect(await put("p7", "y".repeat(20_001))).toBe(422);
  for (const name of ["help", "new", "two words", "-x", ""]) expect(await put(name)).toBe(422);
});
