// A shell variable that is not set gives an empty flag: it must not mean the folder somebody happens to stand in.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay } from "./harness.ts";

test.each([
  ["--home", ["--home", ""]],
  ["--home", ["--home="]],
  ["--workspace", ["--workspace", ""]],
  ["--workspace", ["--workspace="]],
])("%s without a value is refused and nothing is written", async (flag, words) => {
  const app = margay();
  const { code, out, err } = await app.run(["agent", "-m", "hello", ...words]);
  expect(err).toBe(`The option ${flag} needs a value. See \`margay --help\`. [usage.wrong]\n`);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(readdirSync(app.directory)).toEqual([]);
});

test("a config.json in the current directory is not read for an empty --home", async () => {
  const app = margay();
  writeFileSync(join(app.directory, "config.json"), '{"language":"zh-CN"}');
  expect((await app.run(["--home", "", "status"])).err).toContain("The option --home needs a value.");
});
