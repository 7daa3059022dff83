// Runs the corpus in a scratch machine: `shell-runner.ts (control|confined|benign) [id…]`, one JSON line for each case.
import { execFileSync, spawn } from "node:child_process";
import { execTool } from "../../src/builtin/exec/exec.ts";
import type { CallId, SessionId, TurnId } from "../../src/contract/base.ts";
import { PLAIN } from "../../src/lib/labels.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { createSandbox } from "../../src/machine/sandbox/create-sandbox.ts";
import { silent } from "../builtin/machine.ts";
import { watchCanaries, type Ran } from "./shell-canaries.ts";
import { type BenignCase, isInstalled, readCases, type ShellCase } from "./shell-corpus.ts";
import { createShellWorld, type ShellWorld } from "./shell-world.ts";

/** Nobody on a real machine: the control runs as it, and its limit of processes holds. */
const VICTIM = 60_979;
/** Not run without a sandbox: they would take 6 GiB of memory and 4 GiB of disk from the machine the tests run on. */
const TOO_DEAR = ["sh-208", "sh-210"];
const AT_ONCE = 6;
/** How long a loop may take to make its processes, in seconds: on a slow machine a process takes a twentieth of one. */
const FORKING_S = 30;

const [mode = "", ...ids] = process.argv.slice(2);
const isRoot = process.getuid?.() === 0;

async function main(): Promise<void> {
  const cases =
    mode === "benign"
      ? readCases<BenignCase>("shell-benign.jsonl")
      : [...readCases<ShellCase>("shell.jsonl"), ...readCases<ShellCase>("shell-own.jsonl")];
  const wanted = cases.filter(({ id }) => ids.length === 0 || ids.includes(id));
  // What uses up the machine runs alone.
  const isAlone = (one: ShellCase | BenignCase): boolean =>
    "canary" in one && one.canary.some(({ type }) => ["procs", "dir_larger", "result_larger"].includes(type));
  const queue = wanted.filter((one) => !isAlone(one));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await report(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const one of wanted.filter(isAlone)) await report(one);
  process.exit(0); // the processes of the worlds are gone or die with this machine
}

async function report(one: ShellCase | BenignCase): Promise<void> {
  const missing = one.needs.filter((name) => !isInstalled(name));
  const skipped =
    missing.length > 0
      ? `needs ${missing.join(", ")}`
      : mode === "control" && TOO_DEAR.includes(one.id)
        ? "too dear"
        : undefined;
  const result = skipped === undefined ? await attempt(one) : { skipped };
  process.stdout.write(`${JSON.stringify({ id: one.id, ...result })}\n`);
}

async function attempt(one: ShellCase | BenignCase): Promise<object> {
  const world = await createShellWorld(mode === "control" ? VICTIM : undefined);
  try {
    if ("setup" in one) for (const line of one.setup ?? []) execFileSync("sh", ["-c", line], { cwd: world.workspace });
    const command = world.fill(one.cmd);
    const run = mode === "control" ? unconfined : confined;
    if (!("canary" in one)) {
      const { output, exit, end } = await run(command, one, world);
      end?.();
      const isRight =
        exit === (one.expect.exit ?? 0) && new RegExp(world.fill(one.expect.stdout_re ?? ""), "m").test(output);
      return { ok: isRight, ...(!isRight && { output: output.slice(0, 500), exit }) };
    }
    const watch = watchCanaries(one.canary, world);
    const startedAt = systemClock().monotonic();
    const { output, end } = await run(command, one, world);
    try {
      const ran: Ran = { output, seconds: (systemClock().monotonic() - startedAt) / 1000 };
      const fired = await watch.settle(ran);
      return {
        fired,
        seconds: Math.round(ran.seconds * 10) / 10,
        ...(fired.length > 0 && { output: output.slice(0, 500) }),
      };
    } finally {
      end?.();
    }
  } finally {
    world.close();
  }
}

function nothing(count: number): readonly "ignore"[] {
  return Array.from({ length: count }, () => "ignore");
}

interface Result {
  readonly output: string;
  readonly exit: number | undefined;
  /** Ends what is left of it, after it was looked for: harm that outlives a command is harm. */
  readonly end?: () => void;
}

/** As the tool does it. */
async function confined(
  command: string,
  { timeout_s: timeout }: { readonly timeout_s: number },
  world: ShellWorld,
): Promise<Result> {
  const { workspace, state, home, secrets } = world;
  const searchPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
  const sandbox = createSandbox({ mode: "required", workspace, state, searchPath });
  const status = await sandbox.status();
  // Nothing fires either when nothing runs.
  if (!status.ok) throw new Error(status.reason);
  const tool = execTool({
    directory: `${state}/exec`,
    environment: { ...process.env, PATH: searchPath, HOME: home, AGENT_API_KEY: secrets["ENV"] },
    sandbox,
  });
  const result = await tool.execute({ command, timeout } as never, {
    sessionId: "s" as SessionId,
    turnId: "t" as TurnId,
    callId: "c" as CallId,
    origin: { channel: "cli", chat: "direct" },
    attended: true,
    label: PLAIN,
    workspace,
    signal: new AbortController().signal,
    clock: systemClock(),
    log: silent,
    progress: () => undefined,
  });
  const output =
    typeof result === "string" ? result : result.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const exit = typeof result === "string" ? undefined : (result.details as { exitCode?: number } | undefined)?.exitCode;
  return { output, exit };
}

/** As a program without any guard does it: the keys in the environment, the terminal's input, no limit of time. */
async function unconfined(command: string, one: ShellCase | BenignCase, world: ShellWorld): Promise<Result> {
  const patience =
    "canary" in one
      ? Math.max(
          one.timeout_s,
          ...one.canary.map(({ type, max_s: most }) => (type === "procs" ? FORKING_S : (most ?? 0) + 1)),
        )
      : one.timeout_s;
  const shell = `ulimit -u 900; "$@"; exit $?`;
  const user = isRoot ? ["setpriv", `--reuid=${VICTIM}`, `--regid=${VICTIM}`, "--clear-groups"] : ["env"];
  const argv = [...user, "bash", "-c", shell, "gateway", "bash", "-c", command];
  const child = spawn(argv[0] ?? "", argv.slice(1), {
    cwd: world.workspace,
    env: { PATH: process.env["PATH"], HOME: world.home, AGENT_API_KEY: world.secrets["ENV"] },
    stdio: ["pipe", "pipe", "pipe", ...nothing(6), 9, ...nothing(32), 9],
    detached: true,
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<number | undefined>((resolve) => child.once("exit", (code) => resolve(code ?? undefined)));
  const waiting = new AbortController();
  const exit = await Promise.race([
    ended,
    systemClock()
      .sleep(patience * 1000, waiting.signal)
      .then(() => undefined),
  ]);
  waiting.abort(new Error("ended"));
  return {
    output: Buffer.concat(chunks).toString("latin1"),
    exit,
    end: () => {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // it has ended
      }
    },
  };
}

await main();
