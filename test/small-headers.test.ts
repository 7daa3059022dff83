// What the bundle puts in the place of `Headers` inside the AI SDK gives what `Headers` gives.
import { expect, test } from "vitest";
import { SmallHeaders } from "../scripts/lib/small-headers.mjs";

const INITS: readonly (Record<string, string> | [string, string][])[] = [
  {},
  { "X-Two": " padded\t", "a-one": "1", Authorization: "Bearer x" },
  [
    ["b", "1"],
    ["A", "2"],
    ["B", "3"],
  ],
];

test("the bundle's headers read, join and order as the global ones do", () => {
  for (const init of INITS) {
    const all = [new Headers(init), new SmallHeaders(init)].map((headers) => {
      headers.set("User-Agent", [headers.get("user-agent") ?? "", "margay"].join(" "));
      headers.append("a-one", "more");
      headers.delete("AUTHORIZATION");
      const visited: string[] = [];
      headers.forEach((value, name) => visited.push(`${name}=${value}`));
      return [
        Object.fromEntries(headers.entries()),
        [...headers.keys()],
        [...headers.values()],
        headers.has("B"),
        visited,
      ];
    });
    expect(all[1]).toEqual(all[0]);
  }
  expect(new SmallHeaders(new SmallHeaders({ a: "1" })).get("A")).toBe("1");
});

test("a header that would forge another one is refused", () => {
  for (const [name, value] of [
    ["a\n", "1"],
    ["", "1"],
    ["a", "1\r\nb: 2"],
  ] as const) {
    expect(() => new Headers([[name, value]])).toThrow(TypeError);
    expect(() => new SmallHeaders([[name, value]])).toThrow(TypeError);
  }
});
