/** The sandbox of the configuration, and how it is doing in the reader's language. */
import { openSandbox, type Sandbox, type SandboxStatus } from "@margay/core/builtin";
import type { Loaded } from "./config/load.ts";
import type { Translate } from "./i18n/translate.ts";

/** Costs nothing until a program is to be confined. */
export function sandboxOf(
  { config, places, workspace }: Loaded,
  env: Readonly<Record<string, string | undefined>>,
): Sandbox {
  return openSandbox({
    mode: config.tools.exec.sandbox,
    workspace,
    state: places.home,
    searchPath: env["PATH"] ?? "",
  });
}

/** Why commands are not confined. */
export function sandboxFaultText({ fault = "off", detail = "" }: SandboxStatus, t: Translate): string {
  return t(`sandbox.${fault}`, { detail });
}
