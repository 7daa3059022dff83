// What only shows with processes: a killed margay, and the suite of the protocol's authors.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { fakeServer, temporary } from "./support.ts";

const PROGRAM = (name: string): string => fileURLToPath(new URL(`${name}-program.ts`, import.meta.url));

test.each([true, false])(
  "R215 a server that ignores the end of its input is gone after margay was killed with SIGKILL, sandbox: %s",
  async (sandbox) => {
    const fake = fakeServer({ stubborn: true });
    const config = JSON.stringify({ mcpServers: { fake: { ...fake.config, sandbox } } }); // no model: practice mode answers
    const child = spawn(
      process.execPath,
      ["--conditions=margay-source", PROGRAM("killed"), join(temporary(), "home"), config],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    onTestFinished(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    expect(fake.running()).toBeGreaterThan(1); // margay's own command line names it too
    child.kill("SIGKILL");
    await expect.poll(() => fake.running()).toBe(0);
  },
);

test("R212 R219 the conformance suites core and auth pass, with nothing expected to fail", async () => {
  const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json"));
  const command = `${process.execPath} --conditions=margay-source ${PROGRAM("conformance")}`;
  const run = spawn(
    process.execPath,
    // `core` holds every scenario of `auth`.
    [join(suite, "../dist/index.js"), "client", "--suite", "core", "--timeout", "60000", "--command", command],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  onTestFinished(() => void run.kill("SIGKILL"));
  let out = "";
  for (const stream of [run.stdout, run.stderr]) stream.on("data", (chunk: Buffer) => (out += String(chunk)));
  const code = await new Promise((resolve) => run.once("close", resolve));
  const summary = out.slice(out.indexOf("=== SUITE SUMMARY ==="));
  expect(summary.split("\n").filter((line) => line.startsWith("✗"))).toEqual([]);
  expect(summary).toMatch(/Total: [1-9]\d+ passed, 0 failed, 0 warnings/);
  expect(code).toBe(0);
});
