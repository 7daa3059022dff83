// What becomes of a command when margay is killed, whether it is confined or not.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { execTool } from "../../src/builtin/exec/exec.ts";
import type { CallId } from "../../src/contract/base.ts";
import type { NotStarted, ToolContext, ToolResult } from "../../src/contract/tool.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { SUPERVISOR_SCRIPT } from "../../src/machine/process/supervisor-script.ts";
import { COMPILED } from "../../src/testing/compiled.ts";
import { openSandbox } from "../../src/machine/sandbox/open-sandbox.ts";
import { createMachine, textOf, type Machine } from "./machine.ts";

const host = fileURLToPath(new URL("fixtures/exec-host.ts", import.meta.url));
const INTERRUPTED = "Interrupted by a restart: it may or may not have taken effect. Check before you repeat it.";

interface ExecArguments {
  readonly command: string;
  readonly timeout?: number;
}

async function killHost(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await systemClock().sleep(5, new AbortController().signal);
}

const callFile = (machine: Machine, callId: string, name: string): string =>
  join(machine.state, "exec/s-1", callId, name);
/** Where a supervisor says which process it is. */
const pidFile = (machine: Machine, callId: string): string => {
  const name = fs.readdirSync(callFile(machine, callId, "")).find((each) => each.startsWith("pid."));
  return callFile(machine, callId, name ?? "none");
};
const WAIT = "echo started; echo run >> count; while [ ! -e go ]; do sleep 0.02; done; ";

function processesWith(text: string): readonly string[] {
  return fs.readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(text));
}

function commandLine(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
}

/** `execute`: it starts the call again. */
interface NewProcess {
  readonly what?: "recover" | "execute";
  readonly sameBoot?: boolean;
}

for (const confined of [false, true])
  describe(`in a sandbox: ${confined}`, () => {
    /** A process that runs the command as margay would. */
    function startHost(machine: Machine, callId: string, input: ExecArguments): ChildProcess {
      const directory = join(machine.state, "exec");
      const argv = ["--conditions=margay-source", host, directory, machine.workspace, callId, JSON.stringify(input)];
      if (confined) argv.push(machine.state);
      return spawn(process.execPath, argv, {
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, ...COMPILED },
      });
    }

    /** What a new process would do: another tool object, the same directory. */
    async function recover(
      machine: Machine,
      callId: string,
      input: ExecArguments,
      { what = "recover", sameBoot = true, ...change }: Partial<ToolContext> & NewProcess = {},
    ): Promise<ToolResult | NotStarted | undefined> {
      const { workspace, state } = machine;
      const sandbox = openSandbox({ mode: "required", workspace, state, searchPath: process.env["PATH"] ?? "" });
      const tool = execTool({
        directory: join(state, "exec"),
        environment: process.env,
        sameBoot,
        ...(confined && { sandbox }),
      });
      return await tool[what]?.(input as never, machine.context({ ...change, callId: callId as CallId }));
    }

    test("R76 a command that ended while margay was dead yields its real output and code", async () => {
      using machine = createMachine();
      const input = { command: `${WAIT} echo real; echo problem >&2; exit 7` };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      fs.writeFileSync(join(machine.workspace, "go"), "");
      await until(() => fs.existsSync(callFile(machine, "c1", "receipt")));
      expect(await recover(machine, "c1", input)).toEqual({
        parts: [{ type: "text", text: "started\nreal\nSTDERR:\nproblem\nExit code: 7" }],
        details: { exitCode: 7 },
        isError: true,
        confidentiality: "personal",
      });
      expect(fs.readFileSync(join(machine.workspace, "count"), "utf8")).toBe("run\n");
    });

    test("R76 LP4 a command that still runs is re-attached: its output is shown and its result is real", async () => {
      using machine = createMachine();
      const input = { command: `${WAIT} echo real` };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      const shown = Promise.withResolvers<void>();
      const result = recover(machine, "c1", input, { progress: () => shown.resolve() });
      fs.writeFileSync(join(machine.workspace, "go"), "");
      expect(textOf(await result)).toBe("started\nreal\nExit code: 0");
      await shown.promise;
      expect(fs.readFileSync(join(machine.workspace, "count"), "utf8")).toBe("run\n");
    });

    test("R76 R393 a re-attached command can be stopped", async () => {
      using machine = createMachine();
      const input = { command: `${WAIT} echo real` };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      const stop = new AbortController();
      const result = recover(machine, "c1", input, { signal: stop.signal });
      stop.abort(new Error("stopped"));
      await expect(result).rejects.toThrow("stopped");
      expect(fs.readFileSync(callFile(machine, "c1", "receipt"), "utf8")).toBe("143\n");
    });

    test("R104 EX2 the deadline holds while margay is dead, for what left the process group too", async () => {
      using machine = createMachine();
      const mark = String(2_000_000 + process.pid);
      const input = { command: `echo begun; echo run > count; setsid sleep ${mark} & sleep ${mark}`, timeout: 1 };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      await until(() => fs.existsSync(callFile(machine, "c1", "receipt")));
      expect(textOf(await recover(machine, "c1", input))).toBe(
        "Error: exec timed out after 1 seconds. Next: set a longer timeout (up to 3600) or split the work.\nbegun\nExit code: 143",
      );
      // The supervisor itself leaves a moment after its receipt.
      await until(() => processesWith(mark).length === 0);
    });

    test("EX2 what a command leaves running is killed at its end although margay is dead", async () => {
      using machine = createMachine();
      const mark = String(3_000_000 + process.pid);
      const input = { command: `setsid sleep ${mark} & ${WAIT} echo real` };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      await until(() => fs.existsSync(callFile(machine, "c1", "alone")));
      fs.writeFileSync(join(machine.workspace, "go"), "");
      await until(() => processesWith(mark).length === 0);
      expect(textOf(await recover(machine, "c1", input))).toBe("started\nreal\nExit code: 0");
    });

    test("R76 without a receipt and a supervisor the result is unknown, with the output so far, and nothing keeps running", async () => {
      using machine = createMachine();
      const input = { command: `${WAIT} touch late` };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      process.kill(Number.parseInt(fs.readFileSync(pidFile(machine, "c1"), "utf8"), 10), "SIGKILL");
      expect(await recover(machine, "c1", input)).toEqual({
        parts: [{ type: "text", text: `${INTERRUPTED}\nstarted` }],
        isError: true,
        status: "interrupted",
        confidentiality: "personal",
      });
      fs.writeFileSync(join(machine.workspace, "go"), "");
      expect(fs.existsSync(join(machine.workspace, "late"))).toBe(false);
    });

    test("R104 a command whose time was up before its supervisor was killed has timed out", async () => {
      using machine = createMachine();
      const input = { command: `${WAIT} touch late`, timeout: 600 };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      process.kill(Number.parseInt(fs.readFileSync(pidFile(machine, "c1"), "utf8"), 10), "SIGKILL");
      fs.writeFileSync(callFile(machine, "c1", "timeout"), ""); // as the supervisor writes it, before it ends the command
      expect(textOf(await recover(machine, "c1", input))).toBe(
        "Error: exec timed out after 600 seconds. Next: set a longer timeout (up to 3600) or split the work.\nstarted",
      );
    });

    test("R76 a process that has been given the same pid meanwhile is neither waited for nor killed", async () => {
      using machine = createMachine();
      const input = { command: `${WAIT} echo real` };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      const path = pidFile(machine, "c1");
      const [pid = "", ...fields] = fs.readFileSync(path, "utf8").split(" ");
      process.kill(Number(pid), "SIGKILL");
      fs.writeFileSync(path, [String(process.pid), ...fields].join(" "));
      expect(textOf(await recover(machine, "c1", input))).toBe(`${INTERRUPTED}\nstarted`);
    });

    test("DF15 R424 a call without an intent did not run, unless the machine was restarted: then nobody knows", async () => {
      using machine = createMachine();
      expect(await recover(machine, "c1", { command: "true" })).toEqual({ started: false });
      expect(await recover(machine, "c1", { command: "true" }, { sameBoot: false })).toBeUndefined();
    });

    test("R76 what an older margay started, which named no tag, is found after the update", async () => {
      using machine = createMachine();
      const input = { command: `${WAIT} echo real` };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await killHost(child);
      fs.renameSync(pidFile(machine, "c1"), callFile(machine, "c1", "pid"));
      const result = recover(machine, "c1", input);
      fs.writeFileSync(join(machine.workspace, "go"), "");
      expect(textOf(await result)).toBe("started\nreal\nExit code: 0");
    });

    test("R76 R424 a supervisor of an earlier start that comes late does not make a command forgotten that ran meanwhile", async () => {
      using machine = createMachine();
      const late = async (callId: string): Promise<void> => {
        const argv = [
          "-c",
          SUPERVISOR_SCRIPT,
          "margay-exec",
          callFile(machine, callId, ""),
          "4711",
          "0",
          "touch",
          "twice",
        ];
        await once(
          spawn("/bin/sh", argv, { cwd: machine.workspace, stdio: ["ignore", "ignore", "ignore", "pipe"] }),
          "exit",
        );
      };
      const input = { command: `${WAIT} echo real` };
      const child = startHost(machine, "c1", input);
      await until(() => fs.existsSync(join(machine.workspace, "count")));
      await late("c1"); // as it runs
      await killHost(child);
      const result = recover(machine, "c1", input);
      await late("c1"); // as it is waited for
      fs.writeFileSync(join(machine.workspace, "go"), "");
      expect(textOf(await result)).toBe("started\nreal\nExit code: 0");
      await late("c1"); // as it is over
      expect(textOf(await recover(machine, "c1", input))).toBe("started\nreal\nExit code: 0");
      // Neither "twice", nor what confining it had put there.
      expect(fs.readdirSync(machine.workspace).toSorted()).toEqual(["count", "go"]);
    });

    test("R76 DF15 R424 killed at any moment, a command runs at most once and ends with its own result, an unknown one, or is run again", async () => {
      using machine = createMachine();
      for (let round = 0; round < 6; round++) {
        const callId = `k${round}`;
        const count = join(machine.workspace, `count-${callId}`);
        const input = { command: `echo run >> ${count}; echo real` };
        const child = startHost(machine, callId, input);
        // The moments that matter lie around the creation of the call's directory.
        await until(() => fs.existsSync(callFile(machine, callId, "")) || child.exitCode !== null);
        await systemClock().sleep(2 * round, new AbortController().signal);
        await killHost(child);
        const counted = (): string => (fs.existsSync(count) ? fs.readFileSync(count, "utf8") : "");
        const real = "real\nExit code: 0";
        const found = textOf(await recover(machine, callId, input));
        const isFree = found === "not started";
        expect(isFree ? counted() : "").toBe("");
        const text = isFree ? textOf(await recover(machine, callId, input, { what: "execute" })) : found;
        const runs = counted();
        expect(isFree ? [real] : [real, INTERRUPTED, `${INTERRUPTED}\nreal`]).toContain(text);
        expect(text.startsWith("real") ? ["run\n"] : ["", "run\n"]).toContain(runs);
        // A second look gives the same answer.
        expect(textOf(await recover(machine, callId, input))).toBe(text);
      }
    });
  });
