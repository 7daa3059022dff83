import { modelInfo } from "@margay/core/internal";
import { expect, test } from "vitest";
import { VENDORS, findVendor } from "../../src/models/catalog.ts";

test("the catalog has at least 25 vendors with unique names, addresses over TLS and upper-case key variables", () => {
  expect(VENDORS.length).toBeGreaterThanOrEqual(25);
  expect(new Set(VENDORS.map((vendor) => vendor.id)).size).toBe(VENDORS.length);
  for (const { id, baseUrl, keys, local, defaultModel } of VENDORS) {
    expect(id).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(baseUrl).toMatch(local === true ? /^http:\/\/127\.0\.0\.1:\d+\/v1$/ : /^https:\/\/[^/]+(?:\/[^/]+)*$/);
    expect(keys.filter((key) => !/^[A-Z][A-Z0-9_]+$/.test(key))).toEqual([]);
    expect([keys.length === 0, defaultModel === undefined]).toEqual([local === true, local === true]);
  }
  const variables = VENDORS.flatMap((vendor) => vendor.keys);
  expect(new Set(variables).size).toBe(variables.length);
});

test("every default model has a row of its own or a window that is safe for it", () => {
  for (const { id, defaultModel } of VENDORS)
    expect(modelInfo(id, defaultModel ?? "").contextWindow).toBeGreaterThanOrEqual(32_000);
  expect(findVendor("anthropic")?.api).toBe("anthropic");
  expect(findVendor("nobody")).toBeUndefined();
});
