/** All routes: the table and the OpenAPI document are made from these. */
import type { Route } from "../route.ts";
import { APPROVAL_ROUTES } from "./approvals.ts";
import { MEDIA_ROUTES } from "./media.ts";
import { MESSAGE_ROUTES } from "./messages.ts";
import { SEARCH_ROUTES } from "./search.ts";
import { SESSION_ACTION_ROUTES } from "./session-actions.ts";
import { SESSION_ROUTES } from "./sessions.ts";
import { WORKSPACE_ROUTES } from "./workspace.ts";
import { AUDIT_ROUTES } from "./audit.ts";
import { AUTH_ROUTES } from "./auth.ts";
import { BUDGET_ROUTES } from "./budgets.ts";
import { CALL_ROUTES } from "./calls.ts";
import { CRON_ROUTES } from "./cron.ts";
import { EXPLAIN_ROUTES } from "./explain.ts";
import { GREETING_ROUTES } from "./greeting.ts";
import { HEALTH_ROUTES } from "./health.ts";
import { HEARTBEAT_ROUTES } from "./heartbeat.ts";
import { MEMORY_ROUTES } from "./memory.ts";
import { NOTIFICATION_ROUTES } from "./notifications.ts";
import { OPENAI_ROUTES } from "./openai.ts";
import { PERSONA_ROUTES } from "./personas.ts";
import { SKILL_STAGE_ROUTES } from "./skill-stages.ts";
import { SKILL_ROUTES } from "./skills.ts";
import { TASK_ROUTES } from "./tasks.ts";
import { TOOL_ROUTES } from "./tools.ts";
import { TRANSCRIPTION_ROUTES } from "./transcriptions.ts";
import { USAGE_ROUTES } from "./usage.ts";
import { CHANNEL_ROUTES } from "./channels.ts";
import { CONFIG_ROUTES } from "./config.ts";
import { CONTACT_ROUTES } from "./contacts.ts";
import { ESTOP_ROUTES } from "./estop.ts";
import { HOOK_ROUTES } from "./hooks.ts";
import { METRICS_ROUTES } from "./metrics.ts";
import { LABEL_ROUTES } from "./labels.ts";
import { MCP_EXCHANGE_ROUTES } from "./mcp-exchange.ts";
import { MCP_REVIEW_ROUTES } from "./mcp-review.ts";
import { MCP_ROUTES } from "./mcp.ts";
import { MODEL_ROUTES } from "./models.ts";
import { openApiRoute } from "./openapi.ts";
import { OUTBOX_ROUTES } from "./outbox.ts";
import { PAIRING_ROUTES } from "./pairings.ts";
import { POLICY_ROUTES } from "./policy.ts";
import { PROVIDER_ROUTES } from "./providers.ts";
import { QUARANTINE_ROUTES } from "./quarantine.ts";
import { SETTINGS_ROUTES } from "./settings.ts";
import { SYSTEM_ROUTES } from "./system.ts";
import { UNDO_ROUTES } from "./undo.ts";

export const ROUTES: readonly Route[] = [
  ...HEALTH_ROUTES,
  ...METRICS_ROUTES,
  openApiRoute(() => ROUTES),
  ...AUTH_ROUTES,
  ...SESSION_ROUTES,
  ...SESSION_ACTION_ROUTES,
  ...MESSAGE_ROUTES,
  ...APPROVAL_ROUTES,
  ...MEDIA_ROUTES,
  ...TRANSCRIPTION_ROUTES,
  ...SEARCH_ROUTES,
  ...WORKSPACE_ROUTES,
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
  ...PERSONA_ROUTES,
  ...SKILL_ROUTES,
  ...SKILL_STAGE_ROUTES,
  ...TASK_ROUTES,
  ...USAGE_ROUTES,
  ...BUDGET_ROUTES,
  ...CALL_ROUTES,
  ...AUDIT_ROUTES,
  ...CHANNEL_ROUTES,
  ...CONFIG_ROUTES,
  ...CONTACT_ROUTES,
  ...ESTOP_ROUTES,
  ...HOOK_ROUTES,
  ...MCP_ROUTES,
  ...MCP_EXCHANGE_ROUTES,
  ...MCP_REVIEW_ROUTES,
  ...MODEL_ROUTES,
  ...OUTBOX_ROUTES,
  ...PAIRING_ROUTES,
  ...POLICY_ROUTES,
  ...PROVIDER_ROUTES,
  ...SETTINGS_ROUTES,
  ...SYSTEM_ROUTES,
  ...UNDO_ROUTES,
];
