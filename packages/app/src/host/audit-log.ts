/** The audit log of a state directory. */
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { openAudit, systemClock, type AuditOptions } from "@margay/core/internal";
import type { AppAudit } from "./audit-events.ts";
import { isLogExpected, markBegun, owedToLog } from "./audit-owed.ts";
import type { Places } from "../config/paths.ts";

/** By default nothing is taken out of what is recorded: commands record ids only. */
export function auditOf({ home }: Pick<Places, "home">, options: Partial<AuditOptions> = {}): AppAudit {
  return openAudit({
    directory: join(home, "audit"),
    clock: systemClock(),
    redact: (text) => text,
    expected: () => isLogExpected(home),
    begun: () => markBegun(home),
    owed: (since) => owedToLog(home, since),
    ...options,
  });
}

/**
 * Keeps a log that is broken as it is, and begins a new one that says so. The caller holds the lock.
 * @returns the name the old one has now; undefined when all of it was gone.
 */
export async function renewAudit(
  places: Pick<Places, "home">,
  { by, what }: { readonly by: string; readonly what: string },
): Promise<string | undefined> {
  const name = `audit-${new Date(systemClock().now()).toISOString().replaceAll(/[:.]/g, "")}`;
  const keptAs = existsSync(join(places.home, "audit")) ? name : undefined;
  if (keptAs !== undefined) renameSync(join(places.home, "audit"), join(places.home, keptAs));
  await using audit = auditOf(places, { expected: () => false });
  audit.record("audit.renewed", { by, what, ...(keptAs !== undefined && { aside: keptAs }) });
  await audit.flush();
  return keptAs;
}
