/** Keys of what happens without a message: heartbeat, greeting, cron. */
import type { Key } from "../key.ts";

export const SCHEDULE_KEYS = [
  {
    path: "heartbeat.enabled",
    kind: { is: "boolean" },
    default: true,
    countbot: false,
  },
  {
    path: "heartbeat.intervalMinutes",
    kind: { is: "integer", min: 1, max: 1440 },
    default: 30,
  },
  {
    path: "heartbeat.target",
    kind: { is: "either", of: [{ is: "choice", of: ["last", "web"] }, { is: "chat" }] },
    default: "last",
  },
  { path: "heartbeat.silent", kind: { is: "boolean" }, default: false },
  {
    path: "greeting.enabled",
    kind: { is: "boolean" },
    default: false,
    countbot: true,
  },
  {
    path: "greeting.idleHours",
    kind: { is: "integer", min: 1, max: 72 },
    default: 4,
  },
  {
    path: "greeting.maxPerDay",
    kind: { is: "integer", min: 1, max: 5 },
    default: 2,
  },
  {
    path: "greeting.quietHours",
    kind: { is: "hours" },
    default: "21-08",
  },
  {
    path: "greeting.target",
    kind: { is: "either", of: [{ is: "choice", of: ["last", "web"] }, { is: "chat" }, { is: "nothing" }] },
    default: "last",
  },
  {
    path: "cron.enabled",
    kind: { is: "boolean" },
    default: true,
    restart: true,
  },
  {
    path: "cron.misfire",
    kind: { is: "choice", of: ["skip", "latest_once", "all"] },
    default: "latest_once",
    nanobot: "skip",
    countbot: "skip",
  },
  {
    path: "cron.maxCatchUp",
    kind: { is: "integer", min: 1, max: 1000 },
    default: 20,
  },
  {
    path: "cron.concurrency",
    kind: { is: "integer", min: 1, max: 64 },
    default: 3,
  },
  {
    path: "cron.jobTimeoutSeconds",
    kind: { is: "integer", min: 10, max: 86_400 },
    default: 1200,
  },
] as const satisfies readonly Key[];
