// The sandbox of a process, whose code is loaded when the first program is to be confined.
import type { Millis } from "../../contract/base.ts";
import { systemClock } from "../system/clock.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

/** Programs that were running when a process was killed are found in the first seconds of the next. */
const MAX_WRITTEN = 1_000;

/** Does nothing until it is used: a chat without commands need not wait for it. */
export function openSandbox(options: SandboxOptions): Sandbox {
  let created: Promise<Sandbox> | undefined;
  let used: Sandbox | undefined;
  /** A program that a killed process started may be found only after that. */
  const written: (readonly [path: string, at: Millis])[] = [];
  const create = async (): Promise<Sandbox> => {
    const { createSandbox } = await import("./create-sandbox.ts");
    used = createSandbox(options);
    for (const [path, at] of written.splice(0)) used.writing(path, at);
    return used;
  };
  const sandbox = (): Promise<Sandbox> => (created ??= create());
  return {
    status: async () => (await sandbox()).status(),
    wrap: async (request) => (await sandbox()).wrap(request),
    account: async (workspace) => (await sandbox()).account(workspace),
    hold: async (lease, pid) => (await sandbox()).hold(lease, pid),
    keepAside: async (lease, since) => (await sandbox()).keepAside(lease, since),
    writing: (path, at = systemClock().now()) => {
      if (used !== undefined) used.writing(path, at);
      else if (written.push([path, at]) > MAX_WRITTEN) written.shift();
    },
  };
}
