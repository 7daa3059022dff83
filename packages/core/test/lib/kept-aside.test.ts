// What the details of a result say of what was kept aside, for whoever shows the call.
import { expect, test } from "vitest";
import { keptAside } from "../../src/lib/kept-aside.ts";
import { keptAsideOf } from "../../src/internal-state.ts";

const items = (count: number): readonly { readonly id: string; readonly path: string; readonly why: string }[] =>
  Array.from({ length: count }, (_, at) => ({ id: `${at}`, path: `d${at}/.envrc`, why: ".envrc" }));

test("SC33 kept-aside/MAX_NAMED: ten are named, of one more it is said how many there are", () => {
  expect(keptAsideOf(keptAside(items(10)))).toEqual({ named: items(10), count: 10 });
  expect(keptAsideOf(keptAside(items(11)))).toEqual({ named: items(10), count: 11 });
  expect(keptAside([])).toBeUndefined();
});

test("SC33 kept-aside/MAX_CHARS: a path of 200 letters is whole, of one more its end is", () => {
  const named = (chars: number): string | undefined =>
    keptAsideOf(keptAside([{ id: "1", path: "x".repeat(chars), why: "y" }])).named[0]?.path;
  expect(named(200)).toBe("x".repeat(200));
  expect(named(201)).toBe(`…${"x".repeat(199)}`);
});

test("SC33 details of other calls, and those that were cut on their way, name nothing", () => {
  const none = { named: [], count: 0 };
  for (const details of [
    undefined,
    null,
    [],
    {},
    { keptAside: 3 },
    { keptAside: [null, { id: 1, path: "a", why: "b" }] },
  ])
    expect(keptAsideOf(details)).toEqual(none);
});
