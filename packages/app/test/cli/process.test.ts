import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runUntilCrash, says, startMockModel } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "./harness.ts";

const BIN = join(import.meta.dirname, "../../bin/margay.js");

interface Process {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Nobody reads its standard output any more. */
  stopReading(): void;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** The real program in a process of its own. */
function start(home: string, ...argv: readonly string[]): Process {
  const env = { PATH: process.env["PATH"], HOME: home, MARGAY_HOME: home, NO_COLOR: "1" };
  const child = spawn(process.execPath, [BIN, ...argv], {
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
  return {
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    stopReading: () => void child.stdout.destroy(),
    ended,
  };
}

test("R20 SIGTERM ends a turn between commits with exit code 130 and no stack; the next start goes on with it", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  const stuck = stalls();
  model.replies(stuck);
  const first = start(app.home, "agent", "-m", "first question");
  await model.received(1);
  first.kill("SIGTERM");
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

test("R177 the state directory of a process that does not answer is refused with its pid; after SIGKILL it is free", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  model.replies(stalls());
  const holder = start(app.home, "agent", "-m", "hold");
  await model.received(1);
  holder.kill("SIGSTOP"); // one that works would answer
  const refused = await start(app.home, "agent", "-m", "me too").ended;
  expect(refused.code).toBe(75);
  expect(refused.err).toContain(`Process ${holder.pid} works on`);
  holder.kill("SIGKILL");
  await holder.ended;
  model.replies(says("free"), says("free"));
  expect((await start(app.home, "agent", "-m", "again").ended).code).toBe(0);
});

test("R177 a second margay gateway prints the address of the running one and its pid, and exits 75", async () => {
  const app = margay();
  app.configure({ gateway: { port: 0 } });
  const first = start(app.home, "gateway", "--no-open");
  const note = (): { readonly url: string; readonly pid: number } | undefined => {
    try {
      return JSON.parse(readFileSync(join(app.home, "gateway.json"), "utf8")) as { url: string; pid: number };
    } catch {
      return undefined; // not yet
    }
  };
  await expect.poll(note, { timeout: 60_000, interval: 40 }).toBeDefined();
  const second = await start(app.home, "gateway", "--no-open").ended;
  expect({ code: second.code, out: second.out }).toEqual({ code: 75, out: "" });
  expect(second.err).toContain(note()?.url);
  expect(second.err).toContain(`Process ${first.pid} works on`);
  expect(second.err).toContain("[state.locked]");
  first.kill("SIGTERM");
  expect((await first.ended).code).toBe(0);
});

test("margay … | head: whoever stops reading ends the command, and that is no error", async () => {
  const app = margay();
  app.configure({ agent: { maxIterations: 9_000 } }); // a finding: read to its end it exits with 1
  const doctor = start(app.home, "doctor");
  doctor.stopReading();
  expect(await doctor.ended).toEqual({ code: 0, out: "", err: "" });
});

test("a first start needs nothing: practice mode answers", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-first-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { code, out, err } = await start(join(directory, "home"), "agent", "-m", "hello").ended;
  expect(code).toBe(0);
  expect(out).toContain("practice mode");
  expect(err).toContain("Practice mode: no model is configured");
});

for (const [stdin, how, read] of [
  ["a pipe", (built: string) => `printf 'the data\\n' | ${built}`, true],
  ["a file", (built: string) => `printf 'the data' > data; ${built} < data`, true],
  ["nothing", (built: string) => `${built} < /dev/null`, false],
  ["a closed input", (built: string) => `${built} <&-`, false],
] as const)
  test(`DF46 what is piped into margay agent -m goes behind the message: ${stdin}`, async () => {
    const model = await startMockModel();
    onTestFinished(() => model.close());
    const app = margay();
    app.configure(modelConfig(model.url));
    model.replies(says("seen"));
    const { stdout, stderr } = await runUntilCrash({
      command: "sh",
      args: ["-c", how(`"$0" "$1" agent -m "summarize this"`), process.execPath, BIN],
      cwd: app.directory,
      env: { HOME: app.home, MARGAY_HOME: app.home, NO_COLOR: "1" },
    });
    expect([stdout, stderr]).toEqual(["seen\n", ""]);
    const asked = model.requests[0]?.texts("user").join("\n") ?? "";
    expect(asked.endsWith(read ? "summarize this\n\nthe data" : "summarize this")).toBe(true);
  });

test("DF46 a program that leaves its child's input open and says nothing gets its answer, and the process ends", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  model.replies(says("seen"));
  const env = { PATH: process.env["PATH"], HOME: app.home, MARGAY_HOME: app.home, NO_COLOR: "1" };
  const child = spawn(process.execPath, [BIN, "agent", "-m", "hello"], { env }); // pipes, which are sockets here
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  expect(await new Promise((resolve) => void child.on("close", resolve))).toBe(0);
  expect([out, err]).toEqual(["seen\n", "Nothing came on standard input; going on with the message alone.\n"]);
});

test("DF46 a picture that is piped in is refused with the option that takes it", async () => {
  const app = margay();
  const { stdout, stderr, code } = await runUntilCrash({
    command: "sh",
    args: ["-c", `printf '\\211PNG' | "$0" "$1" agent -m "what is this?"`, process.execPath, BIN],
    env: { HOME: app.home, MARGAY_HOME: app.home, NO_COLOR: "1" },
  });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("--image FILE");
});
