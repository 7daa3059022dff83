// A sandbox around a temporary workspace, and programs that pretend to be others.
import { spawn } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "../../../src/machine/sandbox/create-sandbox.ts";
import type { LeftReport } from "../../../src/machine/sandbox/quarantine/keeper.ts";
import type { ConfinedCommand, Sandbox, SandboxOptions, SandboxRequest } from "../../../src/machine/sandbox/sandbox.ts";

export const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

export interface Place extends Disposable {
  readonly root: string;
  readonly workspace: string;
  readonly state: string;
  readonly programs: string;
  sandbox(options?: Partial<SandboxOptions>): Sandbox;
  request(command: string, change?: Partial<SandboxRequest>): SandboxRequest;
  /** An executable file in a folder, `programs` by default. @returns the folder. */
  program(name: string, script: string, folder?: string): string;
}

/** @param parent Another folder than that of temporary files, which is on a disk that other tests write to. */
export function createPlace(parent = tmpdir()): Place {
  const root = fs.realpathSync(fs.mkdtempSync(join(parent, "margay-sandbox-")));
  fs.chmodSync(root, 0o755);
  const [workspace, state, programs] = [join(root, "workspace"), join(root, "state"), join(root, "programs")] as const;
  for (const path of [workspace, state, programs]) fs.mkdirSync(path);
  return {
    root,
    workspace,
    state,
    programs,
    sandbox: (options) => createSandbox({ mode: "required", workspace, state, searchPath: SYSTEM_PATH, ...options }),
    request: (command, change) => ({
      workspace,
      directory: workspace,
      argv: ["/bin/bash", "-c", command],
      environment: { PATH: SYSTEM_PATH },
      ...change,
    }),
    program: (name, script, folder = programs) => {
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return folder;
    },
    [Symbol.dispose]: () => fs.rmSync(root, { recursive: true, force: true }),
  };
}

export interface Ended {
  readonly output: string;
  readonly code: number | null;
}

/** Runs the program to its end. */
export async function runIn(sandbox: Sandbox, request: SandboxRequest): Promise<Ended & LeftReport> {
  const command = await sandbox.wrap(request);
  if (typeof command === "string") throw new Error(command);
  const watch = await sandbox.keepAside(command.lease);
  const ended = await start(command);
  return { ...ended, ...(await watch.end()) };
}

/** @param inherited Descriptors that it gets from number 3 on. */
export async function start({ argv, environment }: ConfinedCommand, inherited: readonly number[] = []): Promise<Ended> {
  const stdio = ["ignore", "pipe", "pipe", ...inherited] as const;
  const child = spawn(argv[0], argv.slice(1), { env: { ...environment }, stdio: [...stdio] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { output, code };
}
