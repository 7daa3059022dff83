// A self-test for which the machine had too little says nothing about the sandbox: it is made again, and then by whoever asks.
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execTool } from "../../../src/builtin/exec/exec.ts";
import { faultText } from "../../../src/machine/sandbox/sandbox.ts";
import { repeatWhenShort, type TestResult, testSandbox } from "../../../src/machine/sandbox/self-test.ts";
import { fakeClock } from "../../../src/testing.ts";
import { createMachine, textOf } from "../../builtin/machine.ts";
import { createPlace, type Place, SYSTEM_PATH } from "./support.ts";

const NO_FORK = "bwrap: Can't fork for pid 1: Resource temporarily unavailable";

/** A bwrap that has nothing to work with the first times. @returns how often it was started, so far. */
function starved(place: Place, times: number): () => number {
  const count = join(place.programs, "count");
  fs.writeFileSync(count, "");
  fs.chmodSync(count, 0o666); // root's rights are gone when it starts
  place.program(
    "bwrap",
    `echo >> ${count}; [ $(wc -l < ${count}) -gt ${times} ] || { echo "${NO_FORK}" >&2; exit 1; }\nexec /usr/bin/bwrap "$@"`,
  );
  return () => fs.readFileSync(count).length;
}

test("SC41 a sandbox whose test had no process twice is one, and its commands run", async () => {
  using place = createPlace();
  const starts = starved(place, 2);
  const sandbox = place.sandbox({ searchPath: `${place.programs}:${SYSTEM_PATH}` });
  expect(await sandbox.status()).toMatchObject({ ok: true });
  expect(starts()).toBe(3);
});

test("SC41 one that had none four times refuses, says to try again, and is then tried again", async () => {
  using place = createPlace();
  const starts = starved(place, 4);
  const sandbox = place.sandbox({ searchPath: `${place.programs}:${SYSTEM_PATH}` });
  using machine = createMachine();
  const tool = execTool({ directory: join(machine.state, "exec"), environment: process.env, sandbox });
  const startedAt = performance.now();
  const both = await Promise.all([machine.run(tool, { command: "touch ran" }), sandbox.status()]);
  const [refused, status] = both;
  expect(performance.now() - startedAt).toBeLessThan(15_000); // five seconds of it are those of the repeats
  expect(starts()).toBe(4);
  expect(textOf(refused)).toBe(
    `Error: the sandbox could not be tested for lack of processes, memory or time (${NO_FORK.slice("bwrap: ".length)}). Next: try again.`,
  );
  expect(fs.readdirSync(machine.workspace)).toEqual([]);
  expect(status).toMatchObject({ ok: false, fault: "shortage", remedy: "try again" });
  expect(faultText(status)).not.toMatch(/\bnone\b/);
  const again = async (): Promise<boolean[]> =>
    (await Promise.all([sandbox.status(), sandbox.status()])).map(({ ok }) => ok);
  await expect.poll(again, { timeout: 10_000 }).toEqual([true, true]);
  expect(starts()).toBe(5); // one test for both who asked
});

test("SC41 what says something about the sandbox counts at once", async () => {
  for (const result of [
    { status: "passed" },
    { status: "leaked", what: "a command reached a file outside" },
    { status: "closed" },
    { status: "failed", said: "Unknown option --disable-userns" },
  ] as const) {
    let made = 0;
    const test = (): Promise<TestResult> => Promise.resolve(((made += 1), result));
    expect([await repeatWhenShort(test, fakeClock()), made]).toEqual([result, 1]);
  }
});

test("SC41 a test is repeated three times within five seconds, and each has its share of them", async () => {
  for (const hangs of [false, true]) {
    const clock = fakeClock();
    const patience: number[] = [];
    const made = repeatWhenShort(async (patienceMs) => {
      patience.push(patienceMs);
      if (hangs && patience.length > 1) await clock.sleep(patienceMs, new AbortController().signal);
      return { status: "short", of: `answer ${patience.length}` };
    }, clock);
    const startedAt = clock.monotonic();
    let result: TestResult | undefined;
    void made.then((value) => (result = value));
    while (result === undefined) await clock.advance(10);
    expect(result).toEqual({ status: "short", of: "answer 4" });
    expect(clock.monotonic() - startedAt).toBeLessThanOrEqual(5_020);
    expect(patience[0]).toBe(20_000);
    for (const ms of patience.slice(1)) expect(ms).toBeGreaterThanOrEqual(1_200);
  }
});

/** What is found out about a sandbox whose program is this script. */
async function tested(script: string, patienceMs = 20_000): Promise<TestResult> {
  using place = createPlace();
  const program = join(place.program("box", script), "box");
  return await testSandbox(
    join(place.state, "sandbox"),
    place.workspace,
    ({ environment }) => Promise.resolve({ argv: [program, "out of memory", "EAGAIN"], environment, lease: {} }),
    patienceMs,
  );
}

test("SC41 too few processes, too little memory and too little time are told apart from a sandbox that does not work", async () => {
  expect(await tested("exec sleep 60", 100)).toMatchObject({ status: "short", of: "no answer within 0.1 s" });
  expect(await tested("kill -9 $$")).toMatchObject({ status: "short", of: "it was killed" });
  expect(await tested("echo works; exit 137")).toMatchObject({ status: "short", of: "it was killed" });
  for (const words of [
    "bwrap: Creating new namespace failed: Resource temporarily unavailable",
    "bash: fork: Cannot allocate memory",
    "sh: 1: Cannot fork",
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    "bwrap: Can't open /proc: Too many open files",
  ])
    expect(await tested(`echo "${words}" >&2; exit 1`)).toMatchObject({
      status: "short",
      of: words.replace("bwrap: ", ""),
    });
  // Its command line speaks of a shortage, it does not.
  expect(await tested("exit 1")).toMatchObject({ status: "failed" });
  expect(await tested("echo no permission >&2; exit 1")).toMatchObject({ status: "failed", said: "no permission" });
  // A warning on the way to an answer is none.
  expect(
    await tested('echo "fork: retry: Resource temporarily unavailable" >&2; printf "works\\nreached:\\n"; exit 1'),
  ).toMatchObject({ status: "passed" });
  expect(await tested('echo "Cannot fork" >&2; printf "works\\nreached:a file outside\\n"; exit 1')).toMatchObject({
    status: "leaked",
  });
});
