/** Keys of agents, and of what they are for. No profile sets any of them: they decide who may do what. */
import type { Key } from "../key.ts";

const NAMES = { is: "list", of: { is: "text", max: 80 }, max: 200 } as const;

export const AGENTS_KEYS = [
  { path: "agents.*.persona", kind: { is: "text", max: 80 } },
  { path: "agents.*.model", kind: { is: "model" } },
  { path: "agents.*.tools", kind: NAMES },
  { path: "agents.*.skills", kind: NAMES },
  {
    path: "agents.*.budget",
    kind: { is: "object", fields: { tokensPerDay: { is: "integer", min: 1, max: 1_000_000_000 } }, required: [] },
  },
  { path: "agents.*.workspace", kind: { is: "choice", of: ["own"] } },
  { path: "agents.*.for", kind: NAMES },
  {
    path: "bindings",
    kind: {
      is: "list",
      of: {
        is: "object",
        fields: {
          channel: { is: "text", max: 80 },
          chat: { is: "id" },
          thread: { is: "id" },
          person: { is: "text", max: 32 },
          agent: { is: "text", max: 32 },
        },
        required: ["agent"],
      },
      max: 1000,
    },
    default: [],
  },
] as const satisfies readonly Key[];
