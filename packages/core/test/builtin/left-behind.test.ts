// What a result says of files that a command left for later: kept aside, or to be started by somebody.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { execTool } from "../../src/builtin/exec/exec.ts";
import { keptAsideOf } from "../../src/internal-state.ts";
import type { JsonObject } from "../../src/contract/base.ts";
import { openUndo } from "../../src/undo/undo.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { createSandbox } from "../../src/machine/sandbox/create-sandbox.ts";
import { createMachine, silent } from "./machine.ts";
import { LIMITS } from "../undo/support.ts";

interface Bench {
  readonly workspace: string;
  /** @returns what the result says, and its details. */
  run(command: string): Promise<{ readonly text: string; readonly details: unknown; readonly isError: boolean }>;
  /** Changed files of the turn that run when somebody starts them. */
  started(): Promise<readonly string[]>;
}

function bench(): Bench {
  const machine = createMachine();
  onTestFinished(() => machine[Symbol.dispose]());
  fs.chmodSync(join(machine.workspace, ".."), 0o755);
  const { workspace, state } = machine;
  const undo = openUndo({
    ...LIMITS,
    directory: join(state, "undo"),
    workspace,
    clock: systemClock(),
    log: silent,
  });
  const sandbox = createSandbox({
    mode: "required",
    workspace,
    state,
    searchPath: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  });
  const tool = execTool({ directory: join(state, "exec"), environment: process.env, undo, sandbox });
  return {
    workspace,
    run: async (command) => {
      const { parts, details, isError = false } = await machine.run(tool, { command });
      return { text: parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"), details, isError };
    },
    started: async () => {
      const turns = await undo.list();
      return turns.flatMap(({ changes }) => changes.filter(({ starts }) => starts === true).map(({ path }) => path));
    },
  };
}

test("SC33 the result names what was kept aside, and how the person takes it back", async () => {
  const { run } = bench();
  const { text, details } = await run(
    "git init -q lib; git -C lib config core.fsmonitor ./x; echo evil > .envrc; echo done",
  );
  expect(text).toBe(
    "done\nExit code: 0\nKept aside: .envrc, lib/.git/config (core.fsmonitor). The person can take it back: margay quarantine",
  );
  expect(details).toMatchObject({
    exitCode: 0,
    keptAside: [
      { path: ".envrc", why: ".envrc" },
      { path: "lib/.git/config", why: "core.fsmonitor" },
    ],
  });
  const many = await run("for n in 1 2 3 4 5 6 7; do mkdir d$n; echo x > d$n/.envrc; done");
  expect(many.text).toMatch(/^Exit code: 0\nKept aside: (d\d\/\.envrc, ){4}d\d\/\.envrc and 2 more\. The person/);
  expect(keptAsideOf(many.details as JsonObject)).toMatchObject({ count: 7, named: { length: 7 } });
  const dozens = await run("for n in $(seq 1 30); do mkdir e$n; echo x > e$n/.envrc; done");
  expect(keptAsideOf(dozens.details as JsonObject)).toMatchObject({ count: 30, named: { length: 10 } });
});

test("SC31 where the configuration of a repository is closed to a command the result says how it is open", async () => {
  const { run } = bench();
  await run("git init -q lib");
  const { text, isError } = await run("cd lib; x=conf; git ${x}ig user.name me");
  expect(isError).toBe(true);
  expect(text).toContain("The configuration of a repository is read-only for this command. Next: use git config,");
  expect((await run("cd lib; git config user.name me && git config user.name")).text).toBe("me\nExit code: 0");
});

test("SC34 what runs when it is called stays, and is named when the part that runs has changed", async () => {
  const { run, workspace, started } = bench();
  const write = (name: string, value: unknown): string => `echo '${JSON.stringify(value)}' > ${name}`;
  const first = await run(
    [
      write("package.json", { version: "1.0.0", scripts: { test: "node --test" } }),
      "echo 'all:' > Makefile; mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml",
      "echo '#!/bin/sh' > run.sh; chmod +x run.sh; echo A=1 > .env; echo plain > notes.txt",
    ].join("; "),
  );
  expect(first.text).toBe(
    "Exit code: 0\nRuns when started: .env, .github/workflows/ci.yml, Makefile, package.json, run.sh.",
  );
  expect(await started()).toEqual([".env", ".github/workflows/ci.yml", "Makefile", "package.json", "run.sh"]);
  expect(fs.existsSync(join(workspace, "Makefile"))).toBe(true);
  const version = await run(write("package.json", { version: "1.0.1", scripts: { test: "node --test" } }));
  expect(version.text).toBe("Exit code: 0");
  const script = await run(
    write("package.json", { version: "1.0.1", scripts: { test: "node --test", postinstall: "./x" } }),
  );
  expect(script.text).toBe("Exit code: 0\nRuns when started: package.json.");
  expect((await run("echo more >> notes.txt; touch Makefile; chmod -x run.sh")).text).toBe("Exit code: 0");
  expect((await run("echo 'echo 2' >> run.sh; chmod +x run.sh")).text).toBe("Exit code: 0\nRuns when started: run.sh.");
});

// Only root can make a place that nothing moves away from.
if (process.getuid?.() === 0)
  test("SC33 what can't be moved away is an error that names it, and no command starts before it is gone", async () => {
    const { run, workspace } = bench();
    const running = run("touch began; while [ ! -e go ]; do sleep 0.02; done");
    while (!fs.existsSync(join(workspace, "began"))) await systemClock().sleep(5, new AbortController().signal);
    // There at once, together with what keeps it there.
    const made = join(workspace, "..", "made");
    fs.mkdirSync(made);
    fs.writeFileSync(join(made, ".envrc"), "evil");
    execFileSync("mount", ["--bind", join(made, ".envrc"), join(made, ".envrc")]);
    const folder = join(workspace, "lib");
    fs.renameSync(made, folder);
    const error = "Error: lib/.envrc runs by itself and could not be moved away. Next: remove it";
    try {
      fs.writeFileSync(join(workspace, "go"), "");
      const { text, isError } = await running;
      expect([text, isError]).toEqual([`Exit code: 0\n${error}, no command starts before.`, true]);
      expect((await run("touch ran")).text).toBe(`${error}.`);
      expect(fs.existsSync(join(workspace, "ran"))).toBe(false);
    } finally {
      execFileSync("umount", [join(folder, ".envrc")]);
    }
    fs.rmSync(folder, { recursive: true });
    expect((await run("touch ran")).text).toBe("Exit code: 0");
  });
