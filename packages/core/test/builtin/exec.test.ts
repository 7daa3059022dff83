// What `exec` does, whether its commands are confined or not.
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { execTool, type ExecOptions } from "../../src/builtin/exec/exec.ts";
import type { CallId, TurnId } from "../../src/contract/base.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { UNTRUSTED_MARK } from "../../src/tools/untrusted.ts";
import { openSandbox } from "../../src/machine/sandbox/open-sandbox.ts";
import type { LeftWatch, SandboxHold } from "../../src/machine/sandbox/sandbox.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { validateParams } from "../../src/tools/define.ts";
import { createMachine, textOf, type Machine } from "./machine.ts";

/** Numbers no other process on the machine sleeps for. */
let marks = 1_000_000 + process.pid * 1_000;
const nextMark = (): string => String(++marks);

/** The pids of processes whose command line holds this text. */
function processesWith(text: string): readonly string[] {
  return fs.readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || name === String(process.pid)) return false;
    try {
      return fs.readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text);
    } catch {
      return false; // ended meanwhile
    }
  });
}

async function appears(text: string): Promise<void> {
  while (processesWith(text).length === 0) await systemClock().sleep(5, new AbortController().signal);
}

for (const confined of [false, true])
  describe(`in a sandbox: ${confined}`, () => {
    const exec = (machine: Machine, options: Partial<ExecOptions> = {}): Tool => {
      const { workspace, state } = machine;
      const sandbox = openSandbox({ mode: "required", workspace, state, searchPath: process.env["PATH"] ?? "" });
      return execTool({
        directory: join(state, "exec"),
        environment: process.env,
        ...(confined && { sandbox }),
        ...options,
      });
    };

    test("R103 the result is stdout, STDERR: and stderr, and the exit code as last line; a code other than 0 is an error", async () => {
      using machine = createMachine();
      const result = await machine.run(exec(machine), { command: "echo out; echo err >&2; exit 3" });
      expect(result).toEqual({
        parts: [{ type: "text", text: "out\nSTDERR:\nerr\nExit code: 3" }],
        details: { exitCode: 3 },
        isError: true,
        confidentiality: "personal",
      });
    });

    test("R90 R103 exit code 0 is ok whatever the command printed; without output there is only the code", async () => {
      using machine = createMachine();
      const tool = exec(machine);
      const printed = await machine.run(tool, { command: "printf Error" });
      expect(printed.isError).toBeUndefined();
      expect(textOf(printed)).toBe("Error\nExit code: 0");
      expect(textOf(await machine.run(tool, { command: "true" }))).toBe("Exit code: 0");
    });

    test("R103 a command killed by a signal reports 128 plus its number", async () => {
      using machine = createMachine();
      expect(textOf(await machine.run(exec(machine), { command: "kill -9 $$" }))).toBe("Exit code: 137");
    });

    test("R103 a command that signals its own process group still gets a result", async () => {
      using machine = createMachine();
      expect(textOf(await machine.run(exec(machine), { command: "echo a; kill 0; sleep 5" }))).toBe(
        "a\nExit code: 143",
      );
    });

    test("R103 EX12 the directory is the workspace unless working_dir says otherwise; links out of it are refused when restricted", async () => {
      using machine = createMachine();
      fs.mkdirSync(join(machine.workspace, "sub"));
      fs.symlinkSync("/usr", join(machine.workspace, "away"));
      fs.writeFileSync(join(machine.workspace, "file"), "");
      const tool = exec(machine, { restrict: true });
      expect(textOf(await machine.run(tool, { command: "pwd" }))).toBe(`${machine.workspace}\nExit code: 0`);
      expect(textOf(await machine.run(tool, { command: "pwd", working_dir: "sub" }))).toBe(
        `${machine.workspace}/sub\nExit code: 0`,
      );
      const refused = `is outside the workspace. Next: use a path inside ${machine.workspace}.`;
      for (const path of ["away", "..", "/", "sub/../.."]) {
        expect(textOf(await machine.run(tool, { command: "pwd", working_dir: path }))).toBe(
          `Error: ${path} ${refused}`,
        );
      }
      expect(textOf(await machine.run(tool, { command: "pwd", working_dir: "none" }))).toBe(
        "Error: none does not exist. Next: look with list_dir.",
      );
      expect(textOf(await machine.run(tool, { command: "pwd", working_dir: "file" }))).toBe(
        "Error: file is not a directory. Next: look with list_dir.",
      );
      expect(textOf(await machine.run(exec(machine), { command: "pwd", working_dir: "away" }))).toBe(
        "/usr\nExit code: 0",
      );
    });

    test("EX5 standard input is closed and there is no terminal", async () => {
      using machine = createMachine();
      const result = await machine.run(exec(machine), { command: "cat; read -r x < /dev/tty && echo asked; echo end" });
      expect(textOf(result)).toContain("end\n");
      expect(textOf(result)).not.toContain("asked");
    });

    test("R109 EX1 the environment holds exactly the listed names; pathAppend is appended and never executed", async () => {
      using machine = createMachine();
      const environment = {
        HOME: "/home/someone",
        PATH: "/usr/bin:/bin",
        LANG: "en_US.UTF-8",
        TZ: "Asia/Tokyo",
        OPENAI_API_KEY: "sk-not-for-you",
        MARGAY_HOME: "/state",
        EDITOR: "vi",
        BASH_ENV: "/tmp/evil",
        LD_PRELOAD: "/tmp/evil.so",
      };
      const pathAppend = `/opt/$(touch ${machine.workspace}/executed)/;touch ${machine.workspace}/executed;`;
      const tool = exec(machine, { environment, env: ["EDITOR", "MISSING", "MARGAY_HOME"], pathAppend });
      const lines = textOf(await machine.run(tool, { command: "env" }))
        .split("\n")
        .slice(0, -1);
      // PWD, OLDPWD, SHLVL and _ are made by the shells themselves.
      const passed = lines.filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line)).sort();
      expect(passed).toEqual([
        "EDITOR=vi",
        ...(confined ? ["GIT_CONFIG_GLOBAL=/run/gitconfig"] : []),
        confined ? "HOME=/run/home" : "HOME=/home/someone",
        "LANG=en_US.UTF-8",
        `PATH=/usr/bin:/bin:${pathAppend}`,
        "TERM=dumb",
        "TZ=Asia/Tokyo",
      ]);
      await machine.run(tool, { command: "no-such-program" });
      expect(fs.existsSync(join(machine.workspace, "executed"))).toBe(false);
    });

    test("EX1 the shell is no login shell and reads no start-up file", async () => {
      using machine = createMachine();
      fs.writeFileSync(join(machine.workspace, ".profile"), "echo profile");
      fs.writeFileSync(join(machine.workspace, ".bashrc"), "echo bashrc");
      fs.writeFileSync(join(machine.workspace, ".bash_profile"), "echo bash_profile");
      const tool = exec(machine, { environment: { ...process.env, HOME: machine.workspace } });
      expect(textOf(await machine.run(tool, { command: "echo hi" }))).toBe("hi\nExit code: 0");
    });

    test("R104 EX2 after the timeout the command and its background children are gone, and the output so far is told", async () => {
      using machine = createMachine();
      const mark = nextMark();
      const result = await machine.run(exec(machine, { timeoutSeconds: 0.5 }), {
        command: `echo begun; sleep ${mark} & sleep ${mark}`,
      });
      expect(textOf(result)).toBe(
        "Error: exec timed out after 0.5 seconds. Next: set a longer timeout (up to 3600) or split the work.\nbegun\nExit code: 143",
      );
      expect(result.isError).toBe(true);
      expect(processesWith(mark)).toEqual([]);
    });

    test("R104 a command that ignores SIGTERM is killed two seconds later", async () => {
      using machine = createMachine();
      const mark = nextMark();
      const result = await machine.run(exec(machine), {
        command: `trap '' TERM INT HUP; sleep ${mark}; sleep ${mark}`,
        timeout: 1,
      });
      expect(textOf(result)).toMatch(/\nExit code: 137$/);
      expect(processesWith(mark)).toEqual([]);
    });

    test("R104 R356 the default timeout is 60 s of the clock, at most 3600 can be asked for", async () => {
      const clock = fakeClock();
      using machine = createMachine(clock);
      const mark = nextMark();
      const tool = exec(machine);
      const running = machine.run(tool, { command: `sleep ${mark}` });
      await clock.waitForSleep(60_000, 60_000);
      await clock.advance(60_000);
      expect(textOf(await running)).toMatch(/^Error: exec timed out after 60 seconds\. Next: /);
      expect(processesWith(mark)).toEqual([]);
      expect(await validateParams(tool, { command: "true", timeout: 3_601 })).toEqual([
        "timeout must be an integer from 1 to 3600",
      ]);
    });

    const escapes: readonly (readonly [string, (mark: string) => string])[] = [
      ["a background child", (mark) => `sleep ${mark} & echo done`],
      ["a new session", (mark) => `setsid sleep ${mark} </dev/null >/dev/null 2>&1 & echo done`],
      [
        "a new session that ignores signals",
        (mark) => `setsid -f sh -c 'trap "" TERM HUP; sleep ${mark}' </dev/null >/dev/null 2>&1; echo done`,
      ],
      ["a double fork", (mark) => `( ( setsid sleep ${mark} </dev/null >/dev/null 2>&1 & ) & ); echo done`],
      [
        "a double fork with an empty environment",
        (mark) => `( env -i setsid sh -c '(sleep ${mark} &) </dev/null >/dev/null 2>&1' & ); echo done`,
      ],
      [
        "a detached child of node",
        (mark) =>
          `node -e "require('child_process').spawn('sleep',['${mark}'],{detached:true,stdio:'ignore',env:{}}).unref()"; echo done`,
      ],
    ];
    for (const [name, command] of escapes) {
      test(`EX2 nothing survives the normal end: ${name}`, async () => {
        using machine = createMachine();
        const mark = nextMark();
        expect(textOf(await machine.run(exec(machine), { command: command(mark) }))).toBe("done\nExit code: 0");
        expect(processesWith(mark)).toEqual([]);
      });
      test(`EX2 nothing survives the timeout: ${name}`, async () => {
        using machine = createMachine();
        const mark = nextMark();
        await machine.run(exec(machine, { timeoutSeconds: 0.2 }), { command: `${command(mark)}; sleep ${mark}` });
        expect(processesWith(mark)).toEqual([]);
      });
    }

    test("R67 R393 a stop kills the whole group and rejects with the reason", async () => {
      using machine = createMachine();
      const mark = nextMark();
      const stop = new AbortController();
      const running = machine.run(
        exec(machine),
        { command: `setsid sleep ${mark} & sleep ${mark}` },
        { signal: stop.signal },
      );
      await appears(mark);
      stop.abort(new Error("stopped by the user"));
      await expect(running).rejects.toThrow("stopped by the user");
      expect(processesWith(mark)).toEqual([]);
    });

    test("EX2 a stop before the command has started starts nothing", async () => {
      using machine = createMachine();
      const stop = new AbortController();
      const running = machine.run(exec(machine), { command: "sleep 1; touch ran" }, { signal: stop.signal });
      stop.abort(new Error("stopped at once"));
      await expect(running).rejects.toThrow("stopped at once");
      expect(fs.existsSync(join(machine.workspace, "ran"))).toBe(false);
    });

    test("EX2 neither the command nor its supervisor stays as a zombie", async () => {
      using machine = createMachine();
      await machine.run(exec(machine), { command: "true & (true &); true" });
      const children = fs
        .readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
        .trim()
        .split(" ")
        .filter(Boolean);
      const zombies = children.filter((pid) => {
        try {
          return / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
        } catch {
          return false; // ended meanwhile
        }
      });
      expect(zombies).toEqual([]);
    });

    test("R105 longer output keeps head and tail halves around the count of what was left out", async () => {
      using machine = createMachine();
      const result = textOf(
        await machine.run(exec(machine, { maxOutputChars: 1_000 }), { command: "seq 1 10000; echo last >&2" }),
      );
      const [head = "", tail = ""] = result.split(/\n?… \d+ characters left out …\n/);
      const left = Number(/… (\d+) characters left out …/.exec(result)?.[1]);
      expect(head.length + tail.length).toBeLessThanOrEqual(1_020);
      expect(head.startsWith("1\n2\n3\n")).toBe(true);
      expect(tail.endsWith("\n9999\n10000\nSTDERR:\nlast\nExit code: 0")).toBe(true);
      expect(left).toBe(48_894 + "STDERR:\nlast\n".length - 1_000);
    });

    test("R105 EX3 characters of several bytes are never split, at a cut or between two writes", async () => {
      using machine = createMachine();
      const slow = await machine.run(exec(machine), { command: "printf '\\346\\227'; sleep 0.05; printf '\\245'" });
      expect(textOf(slow)).toBe("日\nExit code: 0");
      const cut = textOf(
        await machine.run(exec(machine, { maxOutputChars: 1_001 }), {
          command: "for i in $(seq 3000); do printf 😀; done",
        }),
      );
      expect(cut).not.toMatch(/�/);
      expect(cut).not.toMatch(/(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])/);
    });

    test("EX4 invalid bytes become U+FFFD and a NUL byte does not end the output", async () => {
      using machine = createMachine();
      expect(textOf(await machine.run(exec(machine), { command: "printf 'a\\377b\\000c\\303'" }))).toBe(
        "a\ufffdb\0c\ufffd\nExit code: 0",
      );
    });

    test("R105 EX3 a gigabyte of output ends in a short result, with little memory and little disk", async () => {
      using machine = createMachine();
      const before = process.memoryUsage.rss();
      const result = textOf(
        await machine.run(
          exec(machine),
          { command: "head -c 1000000000 /dev/zero | tr '\\0' x" },
          { callId: "big" as CallId },
        ),
      );
      expect(result.length).toBeLessThanOrEqual(10_200);
      const [, characters, bytes] = /… (\d+) characters and (\d+) more bytes left out …/.exec(result) ?? [];
      expect(Number(characters) + Number(bytes)).toBe(999_990_000);
      // What is garbage at once takes up to 140 MB before it is collected, as the engine likes.
      expect(process.memoryUsage.rss() - before).toBeLessThan(192 * 1024 * 1024);
      // The middle is given back by a program of its own, which is not waited for.
      await expect
        .poll(() => fs.statSync(join(machine.state, "exec/s-1/big/stdout")).blocks * 512, { timeout: 5_000 })
        .toBeLessThan(8 * 1024 * 1024);
    });

    test("SC43 R105 what was not read when a command ended is passed over: its head, its tail and the count are right", async () => {
      using machine = createMachine();
      // Sparse in its middle: nobody has to write, and nobody could read it in the time there is.
      const command = `seq 1 300000; python3 -c "import os; os.ftruncate(1, 10**9)"; seq 1 300000; echo 日本 >&2`;
      const result = await machine.run(exec(machine), { command }, { callId: "much" as CallId });
      const text = textOf(result);
      const [, characters, bytes] = /… (\d+) characters and (\d+) more bytes left out …/.exec(text) ?? [];
      expect(text.startsWith("1\n2\n3\n")).toBe(true);
      expect(text.endsWith("\n299999\n300000\nSTDERR:\n日本\nExit code: 0")).toBe(true);
      const printed = fs.statSync(join(machine.state, "exec/s-1/much/stdout")).size;
      expect(Number(characters) + Number(bytes)).toBe(printed + "STDERR:\n日本\n".length - 10_000);
      expect(Number(bytes)).toBeGreaterThan(500_000_000);
    });

    if (confined)
      test("SC42 a command that makes files without end is ended and told why", async () => {
        using machine = createMachine();
        const program = "import os, itertools\nfor n in itertools.count(): os.mknod(str(n))";
        const result = await machine.run(exec(machine), { command: `exec python3 -c '${program}'` });
        expect(textOf(result)).toBe(
          "Error: exec was stopped: it made more than 50000 new files. Next: work in smaller steps.",
        );
        expect(result.isError).toBe(true);
        expect(fs.readdirSync(machine.workspace).length).toBeGreaterThan(50_000);
      });

    test("EX13 output is shown while the command runs", async () => {
      using machine = createMachine();
      const go = join(machine.workspace, "go");
      const seen = Promise.withResolvers<void>();
      const running = machine.run(
        exec(machine),
        { command: "echo first; while [ ! -e go ]; do sleep 0.02; done; echo second" },
        { progress: (text) => void (text.includes("first") && seen.resolve()) },
      );
      await seen.promise;
      fs.writeFileSync(go, "");
      expect(textOf(await running)).toBe("first\nsecond\nExit code: 0");
    });

    test("R106 a listed command is refused without a process when unattended or when the action is refuse", async () => {
      using machine = createMachine();
      const text =
        "Error: exec refused: the command matches the deny list (\\brm\\s+.*-[a-zA-Z]*r[a-zA-Z]*f). Next: use a safer command or ask the operator.";
      fs.mkdirSync(join(machine.workspace, "kept"));
      const refused = await machine.run(exec(machine, { denyAction: "refuse" }), { command: "rm -rf kept" });
      expect(refused).toEqual({ parts: [{ type: "text", text }], isError: true });
      expect(textOf(await machine.run(exec(machine), { command: "rm -rf kept" }, { attended: false }))).toBe(text);
      expect(fs.existsSync(join(machine.workspace, "kept"))).toBe(true);
      expect(fs.existsSync(join(machine.state, "exec"))).toBe(false);
      // Attended with `ask`: the policy has asked, and the person said yes.
      expect(textOf(await machine.run(exec(machine), { command: "rm -rf kept" }))).toBe("Exit code: 0");
      expect(fs.existsSync(join(machine.workspace, "kept"))).toBe(false);
    });

    const BOTH_FLAGS = String.raw`\brm\b(?=[^;&|\n]*\s(?:-[a-zA-Z]*r|--recursive\b))(?=[^;&|\n]*\s(?:-[a-zA-Z]*f|--force\b))`;
    // A command that matches, a near miss that works, and the promised pattern; the two in between are of the superset.
    test.each([
      ["rm -rf build", "mkdir build && rm -r build", String.raw`\brm\s+.*-[a-zA-Z]*r[a-zA-Z]*f`],
      ["rm -fr build", "touch a && rm -f a", BOTH_FLAGS],
      ["rm --recursive --force build", "mkdir b && rm --recursive b", BOTH_FLAGS],
      ["mkfs --version", "echo mkfsx", String.raw`\bmkfs\b`],
      ["dd if=/dev/zero of=/dev/null count=1", "dd if=/dev/zero of=null count=1", String.raw`\bdd\b.*\bof=\/`],
      ["chmod 777 .", "chmod 755 .", String.raw`\bchmod\s+777\b`],
      ["echo x > /dev/sd_none", "echo x > /dev/null", String.raw`>\s*\/dev\/sd`],
      ["shutdown --help", "echo shutdowns", String.raw`\bshutdown\b`],
      ["reboot --help", "echo rebooted", String.raw`\breboot\b`],
    ])("R408 R106 `%s` starts no process, `%s` runs", async (listed, nearMiss, pattern) => {
      using machine = createMachine();
      const text = new RegExp(
        String.raw`^Error: exec refused: the command matches the deny list \((.*)\)\. Next: use a safer command or ask the operator\.$`,
      );
      const refuse = exec(machine, { denyAction: "refuse" }); // as in the profiles nanobot and countbot
      for (const refused of [
        await machine.run(refuse, { command: listed }),
        await machine.run(exec(machine), { command: listed }, { attended: false }),
      ]) {
        expect(refused.isError).toBe(true);
        const [, found] = text.exec(textOf(refused)) ?? [];
        expect(found).toBe(pattern);
      }
      expect(fs.existsSync(join(machine.state, "exec"))).toBe(false); // what a process that runs is noted in
      expect(textOf(await machine.run(refuse, { command: nearMiss }))).toContain("Exit code: 0");
    });

    test("R108 the sandbox is given the whole command and may refuse it", async () => {
      using machine = createMachine();
      let held = 0;
      const hold = async (): Promise<SandboxHold> => ({
        exceeded: new Promise(() => undefined),
        [Symbol.dispose]: () => void (held -= 1),
      });
      const keepAside = async (): Promise<LeftWatch> => ({
        end: async () => ({ kept: [], stuck: [], complete: true }),
      });
      const wrapped = exec(machine, {
        sandbox: {
          wrap: async ({ argv, environment, directory, workspace, inbox }) => ({
            argv: ["/usr/bin/env", `IN=${directory === workspace} ${inbox}`, ...argv],
            environment,
            lease: {},
          }),
          hold: () => {
            held += 1;
            return hold();
          },
          keepAside,
        },
      });
      expect(textOf(await machine.run(wrapped, { command: "echo $IN" }))).toBe("true false\nExit code: 0");
      expect(textOf(await machine.run(wrapped, { command: "echo $IN # inbox/a" }))).toBe(
        `${UNTRUSTED_MARK}\ntrue true\nExit code: 0`,
      );
      expect(held).toBe(0);
      const none = exec(machine, {
        sandbox: { wrap: async () => "no sandbox is installed. Next: install bubblewrap", hold, keepAside },
      });
      const result = await machine.run(none, { command: "touch ran" });
      expect(textOf(result)).toBe("Error: no sandbox is installed. Next: install bubblewrap.");
      expect(fs.existsSync(join(machine.workspace, "ran"))).toBe(false);
    });

    test("a command is waited for although what earlier calls left cannot be removed", async () => {
      using machine = createMachine();
      fs.mkdirSync(join(machine.state, "exec/s-1"), { recursive: true });
      fs.writeFileSync(join(machine.state, "exec/s-1/stray"), "");
      expect(textOf(await machine.run(exec(machine), { command: "echo done" }))).toBe("done\nExit code: 0");
    });

    test("R76 a call is never started twice", async () => {
      using machine = createMachine();
      const tool = exec(machine);
      const twice = { callId: "same" as CallId };
      await machine.run(tool, { command: "echo run >> count" }, twice);
      await expect(machine.run(tool, { command: "echo run >> count" }, twice)).rejects.toThrow("EEXIST");
      expect(fs.readFileSync(join(machine.workspace, "count"), "utf8")).toBe("run\n");
    });

    test("what calls of earlier turns left on disk is removed once their results are long committed", async () => {
      using machine = createMachine();
      const tool = exec(machine);
      const old = join(machine.state, "exec/s-1/old");
      const recent = join(machine.state, "exec/s-1/recent");
      await machine.run(tool, { command: "true" }, { callId: "old" as CallId, turnId: "t-1" as TurnId });
      await machine.run(tool, { command: "true" }, { callId: "recent" as CallId, turnId: "t-1" as TurnId });
      const longAgo = new Date(Date.now() - 11 * 60_000);
      fs.utimesSync(join(old, "receipt"), longAgo, longAgo);
      await machine.run(tool, { command: "true" }, { turnId: "t-2" as TurnId });
      while (fs.existsSync(old)) await systemClock().sleep(5, new AbortController().signal);
      expect(fs.existsSync(join(recent, "receipt"))).toBe(true);
    });
  });
