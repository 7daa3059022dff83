/** Keys of backups: where they go and when. No profile sets any of them. */
import type { Key } from "../key.ts";

export const BACKUP_KEYS = [
  { path: "backup.target", kind: { is: "either", of: [{ is: "nothing" }, { is: "text", max: 1000 }] }, default: null },
  { path: "backup.passphrase", kind: { is: "text" }, secret: true },
  { path: "backup.user", kind: { is: "text", max: 200 } },
  { path: "backup.password", kind: { is: "text" }, secret: true },
  { path: "backup.schedule", kind: { is: "choice", of: ["off", "hourly", "daily", "weekly"] }, default: "off" },
  { path: "backup.workspace", kind: { is: "choice", of: ["none", "list", "files"] }, default: "files" },
  { path: "backup.maxMegabytes", kind: { is: "integer", min: 1, max: 1_000_000 }, default: 1024 },
  { path: "backup.drillDays", kind: { is: "integer", min: 0, max: 365 }, default: 7 },
  { path: "backup.prune", kind: { is: "boolean" }, default: false },
] as const satisfies readonly Key[];
