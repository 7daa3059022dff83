/** Keys of incoming webhooks. No profile sets any of them. */
import type { Key } from "../kinds.ts";

export const HOOK_KEYS: readonly Key[] = [
  {
    path: "gateway.hooks.*.scheme",
    kind: {
      is: "either",
      of: [
        { is: "choice", of: ["standard", "github", "slack"] },
        {
          is: "object",
          fields: {
            header: { is: "text" },
            algorithm: { is: "choice", of: ["hmac-sha256"] },
            encoding: { is: "choice", of: ["hex", "base64"] },
            prefix: { is: "text" },
            timestampHeader: { is: "text" },
            idHeader: { is: "text" },
          },
          required: ["header", "algorithm", "encoding"],
        },
      ],
    },
    default: "standard",
    en: "How the sender signs.",
    zh: "发送方的签名方式。",
  },
  { path: "gateway.hooks.*.secret", kind: { is: "text" }, secret: true, en: "Signing secret.", zh: "签名密钥。" },
  {
    path: "gateway.hooks.*.session",
    kind: { is: "text" },
    default: "own",
    en: "`own`, `fresh`, or a session key.",
    zh: "`own`、`fresh` 或会话键。",
  },
  {
    path: "gateway.hooks.*.prompt",
    kind: { is: "text", max: 20_000 },
    default: "{{body}}",
    en: "Message made from the call.",
    zh: "由请求生成的消息模板。",
  },
  {
    path: "gateway.hooks.*.deliver",
    kind: { is: "list", of: { is: "chat" } },
    default: [],
    en: "Chats that get the answer.",
    zh: "接收回答的聊天。",
  },
  {
    path: "gateway.hooks.*.filter",
    kind: { is: "text" },
    en: "Only calls that fit are used.",
    zh: "只处理符合条件的请求。",
  },
  {
    path: "gateway.hooks.*.budgetUsdPerDay",
    kind: { is: "number", min: 0, max: 100_000 },
    en: "Spending of this hook a day.",
    zh: "该入口每天的花费上限（美元）。",
  },
];
