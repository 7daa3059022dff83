// The sandbox of a process, whose code is loaded when the first program is to be confined.
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

/** Does nothing until it is used: a chat without commands need not wait for it. */
export function openSandbox(options: SandboxOptions): Sandbox {
  let created: Promise<Sandbox> | undefined;
  let used: Sandbox | undefined;
  const sandbox = (): Promise<Sandbox> =>
    (created ??= import("./create-sandbox.ts").then(({ createSandbox }) => (used = createSandbox(options))));
  return {
    status: async () => (await sandbox()).status(),
    wrap: async (request) => (await sandbox()).wrap(request),
    account: async (workspace) => (await sandbox()).account(workspace),
    hold: async (lease, pid) => (await sandbox()).hold(lease, pid),
    keepAside: async (lease, since) => (await sandbox()).keepAside(lease, since),
    writing: (path) => used?.writing(path), // else nothing runs that could be meant
  };
}
