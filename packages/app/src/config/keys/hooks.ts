/** Keys of incoming webhooks. No profile sets any of them. */
import type { Key } from "../key.ts";

export const HOOK_KEYS = [
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
  },
  { path: "gateway.hooks.*.secret", kind: { is: "text" }, secret: true },
  {
    path: "gateway.hooks.*.session",
    kind: { is: "text" },
    default: "own",
  },
  {
    path: "gateway.hooks.*.prompt",
    kind: { is: "text", max: 20_000 },
    default: "{{body}}",
  },
  {
    path: "gateway.hooks.*.deliver",
    kind: { is: "list", of: { is: "chat" } },
    default: [],
  },
  {
    path: "gateway.hooks.*.filter",
    kind: { is: "text" },
  },
  {
    path: "gateway.hooks.*.budgetUsdPerDay",
    kind: { is: "number", min: 0, max: 100_000 },
  },
  { path: "gateway.hooks.*.agent", kind: { is: "text", max: 32 } },
] as const satisfies readonly Key[];
