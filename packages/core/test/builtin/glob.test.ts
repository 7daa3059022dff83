import { expect, test } from "vitest";
import { globToRegExp } from "../../src/builtin/files/glob.ts";

test.each([
  ["*.ts", ["a.ts", ".ts"], ["a.tsx", "d/a.ts"]],
  ["**/*.ts", ["a.ts", "d/e/a.ts"], ["a.js"]],
  ["src/**", ["src/a", "src/a/b"], ["src", "lib/a"]],
  ["a?c", ["abc"], ["ac", "a/c"]],
  ["[a-c]x", ["ax", "cx"], ["dx", "-x"]],
  ["[!a-c]x", ["dx"], ["ax", "/x"]],
  ["{a,b*}.md", ["a.md", "bc.md"], ["c.md", "{a.md"]],
  ["a.{b", ["a.{b"], ["a.b"]],
  ["[z-a]", ["[z-a]"], ["z"]],
  ["a+(b)", ["a+(b)"], ["ab", "aab"]],
  ["\\*", ["*"], ["a"]],
])("R102 the glob %s", (glob, fitting, other) => {
  const pattern = globToRegExp(glob);
  expect(fitting.filter((path) => !pattern.test(path))).toEqual([]);
  expect(other.filter((path) => pattern.test(path))).toEqual([]);
});
