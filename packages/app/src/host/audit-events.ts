/** Names of what the program writes into the audit log beside calls and turns. */
import type { Audit } from "@margay/core/internal";

export const AUDIT_EVENTS = [
  "audit.renewed",
  "auth.browser-closed",
  "auth.confirmed",
  "auth.login",
  "auth.logout",
  "auth.password-set",
  "auth.refused",
  "auth.token-created",
  "auth.token-revoked",
  "auth.token-rotated",
  "config.exported",
  "config.imported",
  "contact.changed",
  "contact.removed",
  "egress",
  "estop.off",
  "estop.on",
  "file.trusted",
  "hook.changed",
  "hook.refused",
  "hook.removed",
  "mcp.approved",
  "mcp.changed",
  "mcp.refused",
  "mcp.removed",
  "mcp.signed-in",
  "memory.edited",
  "pairing.approved",
  "pairing.refused",
  "pairing.rejected",
  "pairing.removed",
  "quarantine.kept",
  "quarantine.removed",
  "quarantine.taken-back",
  "rule.removed",
  "rule.saved",
  "sandbox.off",
  "sandbox.on",
  "schedule.held",
  "schedule.released",
  "settings.changed",
  "skill.approved",
  "undo.finished",
  "undo.started",
] as const;

export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** The audit log of this program: what it records has a name of the list. */
export type AppAudit = Audit<AuditEvent>;
