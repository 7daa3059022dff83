import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonErrorOffset } from "../../src/config/parse.ts";

test.each([
  ['{"a": oops}', 6],
  ['{"a": 1,}', 8],
  ["{'a': 1}", 1],
  ['{"a" 1}', 5],
  ['{"a": [1, 2}', 11],
  ['{"a": "x', 6],
  ['{"a": 1', 7],
  ['{"a": 1} x', 9],
  ['{"a": tru}', 6],
  ['{"a": 01}', 7],
  ["", 0],
])("R312 %j stops being JSON at %i", (text, offset) => {
  expect(jsonErrorOffset(text)).toBe(offset);
});

test("valid JSON is read to its end", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(jsonErrorOffset(text)).toBe(text.length);
    }),
    { numRuns: 200 },
  );
});

test("a prefix of an object stops at its end or earlier, never behind it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, cut) => {
      const text = JSON.stringify(value);
      const prefix = text.slice(0, cut % text.length);
      expect(jsonErrorOffset(prefix)).toBeLessThanOrEqual(prefix.length);
    }),
    { numRuns: 200 },
  );
});
