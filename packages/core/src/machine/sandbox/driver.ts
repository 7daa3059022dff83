// What a way of confining programs has to offer.
import type { Fault } from "./faults.ts";
import type { ConfinedCommand, SandboxRequest } from "./sandbox.ts";

export interface Driver {
  /** @returns a string: why this program cannot be confined, as `{fact}. Next: {step}`. */
  wrap(request: SandboxRequest): Promise<ConfinedCommand | string>;
  /** The user id that programs of a workspace get; undefined: that of this process. */
  account(workspace: string): Promise<number | undefined>;
  /** What its last words mean when the self-test did not even begin. */
  diagnose(said: string): Fault;
}

export interface Failing {
  readonly failure: Fault;
}

export function isFailing(found: Driver | Failing): found is Failing {
  return "failure" in found;
}
