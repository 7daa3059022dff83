/** All routes: the table and the OpenAPI document are made from these. */
import type { Route } from "../host/api/route.ts";
import { APPROVAL_ROUTES } from "../features/approvals/routes.ts";
import { MEDIA_ROUTES } from "../features/chat/media-routes.ts";
import { MESSAGE_ROUTES } from "../features/chat/routes.ts";
import { SEARCH_ROUTES } from "../features/sessions/search-routes.ts";
import { SESSION_ACTION_ROUTES } from "../features/sessions/action-routes.ts";
import { SESSION_ROUTES } from "../features/sessions/routes.ts";
import { FOLDER_ROUTES } from "../features/workspace/folder-routes.ts";
import { WORKSPACE_ROUTES } from "../features/workspace/routes.ts";
import { AUDIT_ROUTES } from "../features/audit/routes.ts";
import { AUTH_ROUTES } from "../features/access/routes.ts";
import { BACKUP_ROUTES } from "../features/backup/routes.ts";
import { BUDGET_ROUTES } from "../features/usage/budget-routes.ts";
import { CALL_ROUTES } from "../features/tools/call-routes.ts";
import { CRON_ROUTES } from "../features/cron/routes.ts";
import { EXPLAIN_ROUTES } from "../features/explain/routes.ts";
import { GREETING_ROUTES } from "../features/heartbeat/greeting-routes.ts";
import { HEALTH_ROUTES } from "../features/system/health-routes.ts";
import { HEARTBEAT_ROUTES } from "../features/heartbeat/routes.ts";
import { MEMORY_ROUTES } from "../features/memory/routes.ts";
import { NOTIFICATION_ROUTES } from "../features/notifications/routes.ts";
import { OPENAI_ROUTES } from "../features/openai-api/routes.ts";
import { PERSONA_ROUTES } from "../features/personas/routes.ts";
import { SKILL_STAGE_ROUTES } from "../features/skills/stage-routes.ts";
import { SKILL_ROUTES } from "../features/skills/routes.ts";
import { TASK_ROUTES } from "../features/tasks/routes.ts";
import { TOOL_ROUTES } from "../features/tools/routes.ts";
import { TRANSCRIPTION_ROUTES } from "../features/speech/routes.ts";
import { USAGE_ROUTES } from "../features/usage/routes.ts";
import { GROUP_ROUTES } from "../features/channels/groups/routes.ts";
import { CHANNEL_LOGIN_ROUTES } from "../features/channels/login/routes.ts";
import { CHANNEL_ROUTES } from "../features/channels/routes.ts";
import { configRoutes } from "../features/settings-export/routes.ts";
import { CONTACT_ROUTES } from "../features/access/contact-routes.ts";
import { ESTOP_ROUTES } from "../features/emergency-stop/routes.ts";
import { homeRoutes } from "../features/home/routes.ts";
import { HOOK_ROUTES } from "../features/hooks/routes.ts";
import { METRICS_ROUTES } from "../features/system/metrics-routes.ts";
import { LABEL_ROUTES } from "../features/labels/routes.ts";
import { MCP_EXCHANGE_ROUTES } from "../features/mcp/exchange-routes.ts";
import { MCP_REVIEW_ROUTES } from "../features/mcp/review-routes.ts";
import { MCP_ROUTES } from "../features/mcp/routes.ts";
import { MODEL_ROUTES } from "../features/providers/model-routes.ts";
import { openApiRoute } from "../features/system/openapi.ts";
import { OUTBOX_ROUTES } from "../features/channels/outbox-routes.ts";
import { PAIRING_ROUTES } from "../features/access/pairing-routes.ts";
import { AGENT_ROUTES } from "../features/people/agent-routes.ts";
import { INVITE_ROUTES } from "../features/people/invite-routes.ts";
import { PEOPLE_ROUTES } from "../features/people/routes.ts";
import { SHARE_ROUTES } from "../features/people/share-routes.ts";
import { POLICY_ROUTES } from "../features/approvals/policy-routes.ts";
import { PROVIDER_ROUTES } from "../features/providers/routes.ts";
import { PRESET_ROUTES } from "../features/presets/routes.ts";
import { PUSH_ROUTES } from "../features/push/routes.ts";
import { QUARANTINE_ROUTES } from "../features/quarantine/routes.ts";
import { SETTINGS_ROUTES } from "../features/settings/routes.ts";
import { IMPORT_HOME_ROUTES } from "../features/import-home/routes.ts";
import { nanobotConfigAlone } from "../features/import-home/nanobot/nanobot-config.ts";
import { sharedFiles } from "../features/memory/shared-files.ts";
import { DOCTOR_CHECKS } from "./doctor-checks.ts";
import { runChecks } from "../features/system/doctor.ts";
import { systemRoutes } from "../features/system/routes.ts";
import { UNDO_ROUTES } from "../features/undo/routes.ts";

export const ROUTES: readonly Route[] = [
  ...HEALTH_ROUTES,
  ...METRICS_ROUTES,
  openApiRoute(() => ROUTES),
  ...BACKUP_ROUTES,
  ...AUTH_ROUTES,
  ...SESSION_ROUTES,
  ...SESSION_ACTION_ROUTES,
  ...MESSAGE_ROUTES,
  ...APPROVAL_ROUTES,
  ...MEDIA_ROUTES,
  ...TRANSCRIPTION_ROUTES,
  ...SEARCH_ROUTES,
  ...WORKSPACE_ROUTES,
  ...FOLDER_ROUTES,
  ...LABEL_ROUTES,
  ...QUARANTINE_ROUTES,
  ...OPENAI_ROUTES,
  ...CRON_ROUTES,
  ...MEMORY_ROUTES,
  ...TOOL_ROUTES,
  ...EXPLAIN_ROUTES,
  ...HEARTBEAT_ROUTES,
  ...GREETING_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...PRESET_ROUTES,
  ...PUSH_ROUTES,
  ...PERSONA_ROUTES,
  ...SKILL_ROUTES,
  ...SKILL_STAGE_ROUTES,
  ...TASK_ROUTES,
  ...USAGE_ROUTES,
  ...BUDGET_ROUTES,
  ...CALL_ROUTES,
  ...AUDIT_ROUTES,
  ...CHANNEL_ROUTES,
  ...CHANNEL_LOGIN_ROUTES,
  ...GROUP_ROUTES,
  ...configRoutes({ sharedFiles, nanobotSettings: nanobotConfigAlone }),
  ...IMPORT_HOME_ROUTES,
  ...CONTACT_ROUTES,
  ...ESTOP_ROUTES,
  ...HOOK_ROUTES,
  ...MCP_ROUTES,
  ...MCP_EXCHANGE_ROUTES,
  ...MCP_REVIEW_ROUTES,
  ...MODEL_ROUTES,
  ...OUTBOX_ROUTES,
  ...PAIRING_ROUTES,
  ...PEOPLE_ROUTES,
  ...INVITE_ROUTES,
  ...AGENT_ROUTES,
  ...SHARE_ROUTES,
  ...POLICY_ROUTES,
  ...PROVIDER_ROUTES,
  ...SETTINGS_ROUTES,
  ...systemRoutes(DOCTOR_CHECKS),
  ...homeRoutes((call) => runChecks(DOCTOR_CHECKS, call, false)),
  ...UNDO_ROUTES,
];
