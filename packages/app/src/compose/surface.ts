/** What a process serves: the routes and sockets of the API, and what commands ask for. Loaded when somebody asks. */
import { ACCESS_OPERATIONS } from "../features/access/actions.ts";
import { APPROVAL_OPERATIONS } from "../features/approvals/resolve-approval.ts";
import { RULE_OPERATIONS } from "../features/approvals/rule-actions.ts";
import { AUDIT_OPERATIONS } from "../features/audit/actions.ts";
import { CHAT_OPERATIONS } from "../features/chat/actions.ts";
import { CRON_OPERATIONS } from "../features/cron/actions.ts";
import { EMERGENCY_STOP_OPERATIONS } from "../features/emergency-stop/actions.ts";
import { TRUST_OPERATIONS } from "../features/labels/actions.ts";
import { QUARANTINE_OPERATIONS } from "../features/quarantine/actions.ts";
import { SESSION_OPERATIONS } from "../features/sessions/actions.ts";
import { CHANNEL_OPERATIONS } from "../features/channels/actions.ts";
import { PEOPLE_OPERATIONS } from "../features/people/invite.ts";
import { BACKUP_OPERATIONS } from "../features/backup/actions.ts";
import { PROVIDER_OPERATIONS } from "../features/providers/actions.ts";
import { pushPart } from "../features/push/service.ts";
import { UNDO_OPERATIONS } from "../features/undo/actions.ts";
import type { Surface } from "../host/control/surface.ts";
import { DOCTOR_CHECKS } from "./doctor-checks.ts";
import { ROUTES } from "./routes.ts";
import { SOCKETS } from "./sockets.ts";

export const SURFACE: Surface = {
  routes: ROUTES,
  sockets: SOCKETS,
  checks: DOCTOR_CHECKS,
  parts: [pushPart],
  operations: {
    ...ACCESS_OPERATIONS,
    ...APPROVAL_OPERATIONS,
    ...AUDIT_OPERATIONS,
    ...CHAT_OPERATIONS,
    ...CRON_OPERATIONS,
    ...EMERGENCY_STOP_OPERATIONS,
    ...QUARANTINE_OPERATIONS,
    ...RULE_OPERATIONS,
    ...SESSION_OPERATIONS,
    ...TRUST_OPERATIONS,
    ...CHANNEL_OPERATIONS,
    ...PEOPLE_OPERATIONS,
    ...BACKUP_OPERATIONS,
    ...PROVIDER_OPERATIONS,
    ...UNDO_OPERATIONS,
  },
};
