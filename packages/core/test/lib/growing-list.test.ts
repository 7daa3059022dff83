import fc from "fast-check";
import { expect, test } from "vitest";
import { growingReduce } from "../../src/lib/async/growing-list.ts";

test("a remembered sum equals that of the list, whatever lists were asked for before", () => {
  const items = Array.from({ length: 6 }, (_, value) => ({ value }));
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(5), { maxLength: 8 })), (lists) => {
      const joined = growingReduce<{ readonly value: number }, string>((text, item) => `${text}${item.value}`, "");
      for (const list of lists) expect(joined(list.map((at) => items[at]!))).toBe(list.join(""));
    }),
  );
});

test("a list that grew costs its new items only", () => {
  let steps = 0;
  const count = growingReduce<object, number>((sum) => {
    steps++;
    return sum + 1;
  }, 0);
  const list = Array.from({ length: 100 }, () => ({}));
  expect([count(list), count([...list, {}, {}]), count([])]).toEqual([100, 102, 0]);
  expect(steps).toBe(102);
});
