/** The audit log of a state directory. */
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { openAudit, systemClock, type AuditOptions } from "@margay/core";
import type { AppAudit } from "./audit-events.ts";
import type { Places } from "./config/paths.ts";

/** By default nothing is taken out of what is recorded: commands record ids only. */
export function auditOf({ home }: Pick<Places, "home">, options: Partial<AuditOptions> = {}): AppAudit {
  return openAudit({
    directory: join(home, "audit"),
    clock: systemClock(),
    redact: (text) => text,
    // The log is made before the first conversation.
    expected: () => hasConversations(join(home, "sessions")),
    ...options,
  });
}

function hasConversations(directory: string): boolean {
  try {
    return readdirSync(directory).some((name) => name.endsWith(".journal"));
  } catch {
    return false; // nobody has said anything yet
  }
}

/**
 * Keeps a log that is broken as it is, and begins a new one that says so. The caller holds the lock.
 * @returns the name the old one has now; undefined when all of it was gone.
 */
export async function renewAudit(places: Pick<Places, "home">, by: string): Promise<string | undefined> {
  const { broken } = await auditOf(places).verify();
  const name = `audit-${new Date(systemClock().now()).toISOString().replaceAll(/[:.]/g, "")}`;
  const aside = existsSync(join(places.home, "audit")) ? name : undefined;
  if (aside !== undefined) renameSync(join(places.home, "audit"), join(places.home, aside));
  await using audit = auditOf(places, { expected: () => false });
  audit.record("audit.renewed", { by, what: broken?.message ?? "", ...(aside !== undefined && { aside }) });
  await audit.flush();
  return aside;
}
