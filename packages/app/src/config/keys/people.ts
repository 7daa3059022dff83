/** Keys of persons beside the owner. No profile sets any of them: they decide who may read what. */
import type { Key } from "../key.ts";

/** What a room can have and has not by itself; tools of MCP servers come by `mcpServers.*.for`. */
const MORE_TOOLS = { is: "list", of: { is: "choice", of: ["exec"] }, max: 20 } as const;

export const PEOPLE_KEYS = [
  {
    path: "people.*.ids",
    kind: { is: "list", of: { is: "identity" }, max: 100 },
    default: [],
  },
  { path: "people.*.name", kind: { is: "text", max: 80 } },
  { path: "people.*.role", kind: { is: "choice", of: ["member", "operator"] }, default: "member" },
  { path: "people.*.agent", kind: { is: "text", max: 32 } },
  { path: "people.*.heartbeat", kind: { is: "boolean" } },
  { path: "people.*.supervised", kind: { is: "boolean" } },
  { path: "people.*.timeZone", kind: { is: "time-zone" } },
  { path: "people.*.quietHours", kind: { is: "hours" } },
  { path: "people.*.tokensPerDay", kind: { is: "integer", min: 1, max: 1_000_000_000 } },
  { path: "roles.member.tools", kind: MORE_TOOLS, default: [] },
  { path: "roles.operator.tools", kind: MORE_TOOLS, default: [] },
] as const satisfies readonly Key[];
