import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { says, stalls, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "./harness.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

interface Process {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** The real program in a process of its own. */
function start(home: string, ...argv: readonly string[]): Process {
  const env = { PATH: process.env["PATH"], HOME: home, MARGAY_HOME: home, NO_COLOR: "1" };
  const child = spawn(process.execPath, ["--conditions=margay-source", MAIN, ...argv], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, out, err }));
  });
  return { pid: child.pid ?? 0, kill: (signal) => void child.kill(signal), ended };
}

test("R20 SIGINT ends a turn between commits with exit code 130 and no stack; the next start goes on with it", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  const stuck = stalls();
  model.replies(stuck);
  const first = start(app.home, "agent", "-m", "first question");
  await model.received(1);
  first.kill("SIGINT");
  const { code, out, err } = await first.ended;
  expect({ code, out }).toEqual({ code: 130, out: "" });
  expect(err).toContain("goes on at the next start");
  expect(err).not.toMatch(/\n\s+at /);
  stuck.release();
  model.replies(says("answer"));
  const second = await start(app.home, "agent", "-m", "second question").ended;
  expect(second.code).toBe(0);
  expect(second.out).toContain("answer");
});

test("R177 the state directory of a running process is refused with its pid; after SIGKILL it is free", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  model.replies(stalls());
  const holder = start(app.home, "agent", "-m", "hold");
  await model.received(1);
  const refused = await start(app.home, "agent", "-m", "me too").ended;
  expect(refused.code).toBe(75);
  expect(refused.err).toContain(`Process ${holder.pid} uses`);
  holder.kill("SIGKILL");
  await holder.ended;
  model.replies(says("free"), says("free"));
  expect((await start(app.home, "agent", "-m", "again").ended).code).toBe(0);
});

test("a first start needs nothing: practice mode answers", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-first-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { code, out, err } = await start(join(directory, "home"), "agent", "-m", "hello").ended;
  expect(code).toBe(0);
  expect(out).toContain("practice mode");
  expect(err).toContain("Practice mode: no model is configured");
});
