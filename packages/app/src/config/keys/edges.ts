/** Keys of chat channels, policy, budgets and the log. No profile sets a security key here. */
import type { Key } from "../kinds.ts";

export const EDGE_KEYS: readonly Key[] = [
  {
    path: "channels.sendProgress",
    kind: { is: "boolean" },
    default: true,
    countbot: false,
    en: "Show progress of long work in chats.",
    zh: "在聊天中显示长任务的进度。",
  },
  {
    path: "channels.sendToolHints",
    kind: { is: "boolean" },
    default: false,
    nanobot: true,
    en: "Show the names of tools at work in chats.",
    zh: "在聊天中显示正在使用的工具。",
  },
  {
    path: "channels.retryHours",
    kind: { is: "integer", min: 1, max: 168 },
    default: 24,
    en: "How long an undelivered reply is tried again.",
    zh: "未送达回复的重试时长（小时）。",
  },
  {
    path: "channels.*.enabled",
    kind: { is: "boolean" },
    default: false,
    en: "Receive and send on this channel.",
    zh: "启用该渠道的收发。",
  },
  {
    path: "channels.*.allowFrom",
    kind: { is: "list", of: { is: "id" } },
    default: [],
    en: "Exact ids of people who may write; empty: nobody.",
    zh: "允许写入的用户的准确 id；为空表示无人。",
  },
  {
    path: "channels.*.token",
    kind: { is: "text" },
    secret: true,
    en: "Bot token of the platform.",
    zh: "平台的机器人令牌。",
  },
  {
    path: "channels.*.secret",
    kind: { is: "text" },
    secret: true,
    en: "Signing or application secret of the platform.",
    zh: "平台的签名或应用密钥。",
  },
  { path: "channels.*.baseUrl", kind: { is: "url" }, en: "Address of the platform's interface.", zh: "平台接口地址。" },
  {
    path: "channels.*.options",
    kind: { is: "map", of: { is: "any" } },
    secret: true,
    en: "Further settings of this channel, checked by it.",
    zh: "该渠道自行检查的其他设置。",
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
        },
        required: ["tool", "action"],
      },
      max: 1000,
    },
    default: [],
    en: "What tools may do; the first matching rule decides.",
    zh: "工具权限规则；第一条匹配的生效。",
  },
  {
    path: "policy.approvalTimeoutSeconds",
    kind: { is: "integer", min: 10, max: 86_400 },
    default: 300,
    en: "How long an approval is waited for.",
    zh: "等待批准的时间（秒）。",
  },
  {
    path: "budgets",
    kind: {
      is: "list",
      of: {
        is: "object",
        fields: {
          scope: { is: "choice", of: ["turn", "session", "day", "month", "source"] },
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
    en: "Bounds on spending.",
    zh: "花费上限。",
  },
  {
    path: "log.level",
    kind: { is: "choice", of: ["debug", "info", "warn", "error"] },
    default: "info",
    en: "Least important log line that is written.",
    zh: "写入日志的最低级别。",
  },
];
