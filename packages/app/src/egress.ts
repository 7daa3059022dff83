/** Ways out of the sandbox: one proxy for each list of hosts, every connection a line of the audit log. */
import { join } from "node:path";
import type { Clock } from "@margay/core";
import { openEgressSocket, type EgressSocket, type GitDoorOptions } from "@margay/core/builtin";
import type { AppAudit } from "./audit-events.ts";
import type { Loaded } from "./config/load.ts";

export interface EgressServices {
  readonly clock: Clock;
  readonly audit: Pick<AppAudit, "record">;
}

/** @param by Who is let out: `exec`, or `mcp.` and the server's name. @param git Absent: git has no door of its own. */
export function egressOf(
  { config, places }: Loaded,
  { clock, audit }: EgressServices,
  by: string,
  hosts: readonly string[],
  git?: GitDoorOptions,
): EgressSocket {
  return openEgressSocket({
    directory: join(places.home, "egress"),
    clock,
    hosts: () => hosts,
    ...(git !== undefined && { git }),
    // The operator's exceptions to the check of addresses hold for every way out.
    allowHosts: config.tools.webFetch.allowHosts,
    record: (attempt) => audit.record("egress", { by, ...attempt }),
  });
}
