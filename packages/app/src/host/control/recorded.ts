/** What commands may put into the audit log. */
import type { AuditEvent } from "../audit-events.ts";

export const RECORDED = [
  "mcp.approved",
  "mcp.refused",
  "pairing.approved",
  "pairing.refused",
  "pairing.removed",
  "person.added",
  "person.invited",
  "person.removed",
  "person.linked",
  "person.unlinked",
  "estop.on",
  "estop.off",
  "schedule.released",
] as const satisfies readonly AuditEvent[];

export type RecordedName = (typeof RECORDED)[number];
