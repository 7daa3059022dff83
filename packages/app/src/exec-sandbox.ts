/** How `exec` is confined. Required and missing means refused, never run without (R108). */
import type { Config } from "./config/config.ts";

export interface ExecConfinement {
  /** For the policy: commands are confined or refused, so they need not be asked for one by one. */
  readonly confined: boolean;
  /** Why every command is refused, as `{fact}. Next: {step}.`; undefined when commands can run. */
  readonly refusal?: string;
}

const NO_DRIVER =
  'exec is refused: this version of margay has no sandbox driver. Next: ask the operator to set tools.exec.sandbox to "none", after which each command is asked for.';

export function execConfinement({ tools }: Config): ExecConfinement {
  return tools.exec.sandbox === "none" ? { confined: false } : { confined: true, refusal: NO_DRIVER };
}
