import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/features.ts";
import { asTyped } from "../../src/texts/command.ts";

const BUILT = join(import.meta.dirname, "../../bin/margay.js");

function run(...argv: readonly string[]): { readonly all: string; readonly out: string } {
  const home = mkdtempSync(join(tmpdir(), "margay-typed-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    MARGAY_HOME: home,
    MARGAY_COMMAND: "npm start --",
    NO_COLOR: "1",
  };
  const { stdout, stderr } = spawnSync(process.execPath, [BUILT, ...argv], {
    encoding: "utf8",
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { all: stdout + stderr, out: stdout };
}

test("DF49 each command of the table is written as the person can type it", () => {
  for (const { name } of COMMANDS.filter((one) => one.name !== ""))
    expect(asTyped(`Run: \`margay ${name}\` (margay ${name})`, "npm start --")).toBe(
      `Run: \`npm start -- ${name}\` (npm start -- ${name})`,
    );
  expect(asTyped("margay goes on, as channel-margay agent does", "npm start --")).toBe(
    "margay goes on, as channel-margay agent does",
  );
});

test.for(["npx margay", "docker compose exec margay margay", "npm start --"])(
  "DF49 a text that says %s already does not say it twice",
  (command) => {
    const once = asTyped("`margay onboard` sets one up, `margay --help` says more.", command);
    expect(once).toBe(`\`${command} onboard\` sets one up, \`${command} --help\` says more.`);
    expect(asTyped(once, command)).toBe(once);
  },
);

test.for([
  [["agent", "-m", "what are you?"], "npm start -- onboard"],
  [["agent", "--help"], "npm start -- agent -m"],
  [["doctor"], "npm start -- onboard"],
  [["sessions", "show", "nobody"], "npm start -- sessions list"],
  [["agnet", "-m", "x"], "Did you mean agent?"],
  [["-m", "x"], "Did you mean agent -m?"],
] as const)("DF49 in a checkout the advice of %j can be followed", ([argv, advice]) => {
  const { all } = run(...argv);
  expect(all).toContain(advice);
  expect(all).not.toMatch(/(?<![\w/.-])margay (?:onboard|sessions|doctor|agent|config)\b/);
});

test("DF49 a wrong value of config set is not blamed on the file", () => {
  const { all } = run("config", "set", "agent.maxIterations", "abc");
  expect(all).toContain("Not saved; ");
  expect(all).toContain('"abc" is not a whole number from 1 to 500');
  expect(all).not.toContain("Repair");
});
