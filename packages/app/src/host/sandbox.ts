/** The sandbox of the configuration, and how it is doing in the reader's language. */
import { openSandbox } from "@margay/core/builtin";
import { type Sandbox, type SandboxOptions, type SandboxStatus } from "@margay/core/internal";
import type { Loaded } from "../config/load.ts";
import { gitIdentity } from "./git.ts";
import type { Translate } from "../texts/translate.ts";

/** Costs nothing until a program is to be confined. @param kept Told of what a program left behind and was kept aside. */
export function sandboxOf(
  loaded: Loaded,
  env: Readonly<Record<string, string | undefined>>,
  kept?: SandboxOptions["kept"],
): Sandbox {
  const { config, places, workspace } = loaded;
  return openSandbox({
    ...(kept !== undefined && { kept }),
    mode: config.tools.exec.sandbox,
    workspace,
    state: places.home,
    searchPath: env["PATH"] ?? "",
    git: gitIdentity(loaded, env),
  });
}

/**
 * For MCP servers, which run confined also where commands do not: theirs is a decision of its own (`mcpServers.*.sandbox`).
 * @param commands Of `sandboxOf`, to be tried only once.
 */
export function serverSandboxOf(
  loaded: Loaded,
  env: Readonly<Record<string, string | undefined>>,
  commands?: Sandbox,
  kept?: SandboxOptions["kept"],
): Sandbox {
  const { config } = loaded;
  const { exec } = config.tools;
  if (exec.sandbox !== "none") return commands ?? sandboxOf(loaded, env, kept);
  const tools = { ...config.tools, exec: { ...exec, sandbox: "required" as const } };
  return sandboxOf({ ...loaded, config: { ...config, tools } }, env, kept);
}

/** Why commands are not confined. */
export function sandboxFaultText({ fault = "off", detail = "" }: SandboxStatus, t: Translate): string {
  return t(`sandbox.${fault}`, { detail });
}
