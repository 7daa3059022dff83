/** Keys of persons beside the owner. No profile sets any of them: they decide who may read what. */
import type { Key } from "../key.ts";

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
  { path: "people.*.quietHours", kind: { is: "hours" } },
  { path: "people.*.tokensPerDay", kind: { is: "integer", min: 1, max: 1_000_000_000 } },
] as const satisfies readonly Key[];
