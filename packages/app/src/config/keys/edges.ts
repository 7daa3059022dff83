/** Keys of chat channels, policy, budgets and the log. No profile sets a security key here. */
import type { Key } from "../key.ts";

const SESSIONS = ["perThread", "perChat", "perSender"] as const;
const APPROVALS = ["private", "here"] as const;
const GROUP_MODES = ["off", "named", "all", "listen"] as const;

export const EDGE_KEYS = [
  {
    path: "channels.sendProgress",
    kind: { is: "boolean" },
    default: true,
    countbot: false,
    agentName: "sendProgress",
  },
  {
    path: "channels.sendToolHints",
    kind: { is: "boolean" },
    default: false,
    nanobot: true,
    agentName: "sendToolHints",
  },
  {
    path: "channels.retryHours",
    kind: { is: "integer", min: 1, max: 168 },
    default: 24,
    agentName: "deliveryRetryMs",
    agentFactor: 3_600_000,
  },
  {
    path: "channels.*.enabled",
    kind: { is: "boolean" },
    default: false,
  },
  { path: "channels.*.kind", kind: { is: "text", max: 40 } },
  {
    path: "channels.*.allowFrom",
    kind: { is: "list", of: { is: "id" } },
    default: [],
  },
  {
    path: "channels.*.operators",
    kind: { is: "list", of: { is: "id", one: true } },
    default: [],
  },
  { path: "channels.*.groups", kind: { is: "choice", of: GROUP_MODES }, default: "off" },
  {
    path: "channels.*.chats",
    kind: {
      is: "map",
      of: {
        is: "object",
        fields: {
          groups: { is: "choice", of: GROUP_MODES },
          session: { is: "choice", of: SESSIONS },
          allowFrom: { is: "list", of: { is: "id" } },
          approvals: { is: "choice", of: APPROVALS },
        },
        required: [],
      },
    },
    default: {},
  },
  { path: "channels.*.session", kind: { is: "choice", of: SESSIONS }, default: "perThread" },
  { path: "channels.*.approvals", kind: { is: "choice", of: APPROVALS }, default: "private" },
  { path: "channels.*.names", kind: { is: "list", of: { is: "text", max: 80 }, max: 20 } },
  { path: "channels.*.follow", kind: { is: "boolean" }, default: false },
  { path: "channels.*.live", kind: { is: "choice", of: ["private", "on", "off"] }, default: "private" },
  { path: "channels.*.typing", kind: { is: "choice", of: ["on", "off"] }, default: "on" },
  {
    path: "channels.*.ack",
    kind: { is: "either", of: [{ is: "emoji" }, { is: "nothing" }] },
  },
  { path: "channels.*.uncertain", kind: { is: "choice", of: ["again", "ask"] }, default: "again" },
  { path: "channels.*.quote", kind: { is: "choice", of: ["auto", "off"] }, default: "auto" },
  { path: "channels.*.reactions", kind: { is: "choice", of: ["count", "tell"] }, default: "count" },
  { path: "channels.*.burstMs", kind: { is: "integer", min: 0, max: 10_000 }, default: 0 },
  { path: "channels.*.backfillHours", kind: { is: "integer", min: 0, max: 168 }, default: 24 },
  { path: "channels.*.media.maxBytes", kind: { is: "integer", min: 1, max: 26_214_400 }, default: 26_214_400 },
  { path: "channels.*.bots", kind: { is: "choice", of: ["heard", "named"] }, default: "heard" },
  {
    path: "channels.*.token",
    kind: { is: "text" },
    secret: true,
  },
  {
    path: "channels.*.secret",
    kind: { is: "text" },
    secret: true,
  },
  {
    path: "channels.*.baseUrl",
    kind: { is: "url" },
  },
  {
    path: "channels.*.options",
    kind: { is: "map", of: { is: "any" } },
    secret: "named",
  },
  {
    path: "policy.rules",
    kind: {
      is: "list",
      of: {
        is: "object",
        fields: {
          tool: { is: "text" },
          action: { is: "choice", of: ["allow", "ask", "deny"] },
          match: { is: "regex" },
          session: { is: "text" },
          untrusted: { is: "boolean" },
        },
        required: ["tool", "action"],
      },
      max: 1000,
    },
    default: [],
  },
  {
    path: "policy.approvalTimeoutSeconds",
    kind: { is: "integer", min: 10, max: 86_400 },
    default: 300,
    agentName: "approvalTimeoutMs",
    agentFactor: 1000,
  },
  {
    path: "policy.strictUnattended",
    kind: { is: "boolean" },
    default: false,
    restart: true,
    agentName: "strictUnattended",
  },
  {
    path: "policy.ownRepositories",
    kind: { is: "list", of: { is: "repository" }, max: 1000 },
    default: [],
    restart: true,
  },
  {
    path: "budgets",
    kind: {
      is: "list",
      of: {
        is: "object",
        fields: {
          scope: { is: "choice", of: ["turn", "session", "day", "month", "source", "unattended", "guest", "guests"] },
          source: { is: "text" },
          tokens: { is: "integer", min: 1, max: Number.MAX_SAFE_INTEGER },
          usd: { is: "number", min: 0, max: 1_000_000 },
          action: { is: "choice", of: ["stop", "warn"] },
        },
        required: ["scope"],
      },
      max: 100,
    },
    default: [],
    agentName: "budgets",
  },
  {
    path: "log.level",
    kind: { is: "choice", of: ["debug", "info", "warn", "error"] },
    default: "info",
    restart: true,
  },
] as const satisfies readonly Key[];
