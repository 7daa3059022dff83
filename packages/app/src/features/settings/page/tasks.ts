/** Settings by what a person wants: each task with the keys that belong to it, in the order of their use. */
import type { IconName } from "../../../web/ui/icon.tsx";
import type { Entry } from "./model.ts";

export interface Task {
  readonly id: TaskId;
  readonly icon: IconName;
  /** Paths of keys. */
  readonly keys: readonly string[];
  /** Pages that hold the rest of it. */
  readonly pages: readonly TaskPage[];
}

export type TaskPage = "approvals" | "memory" | "notifications" | "usage" | "channels" | "models" | "personas";

const TASK_IDS = ["assistant", "safety", "memory", "notifications", "limits", "browser", "machine"] as const;
type TaskId = (typeof TASK_IDS)[number];

export const TASKS: readonly Task[] = [
  {
    id: "assistant",
    icon: "mask",
    keys: [
      "persona.name",
      "persona.userName",
      "persona.userAddress",
      "persona.preset",
      "persona.custom",
      "model",
      "agent.thinking",
      "agent.temperature",
      "agent.steering",
      "agent.replyText",
      "agent.reflection",
      "agent.transcriptionModel",
      "speech.reply",
      "speech.model",
      "speech.voice",
      "agent.titles",
    ],
    pages: ["personas", "models"],
  },
  {
    id: "safety",
    icon: "shield",
    keys: [
      "tools.restrictToWorkspace",
      "tools.exec.enabled",
      "tools.exec.sandbox",
      "tools.exec.network",
      "tools.exec.denyAction",
      "tools.exec.denyPatterns",
      "tools.exec.dependencies",
      "policy.approvalTimeoutSeconds",
      "policy.strictUnattended",
      "policy.ownRepositories",
      "tools.webFetch.allowHosts",
    ],
    pages: ["approvals"],
  },
  {
    id: "memory",
    icon: "book",
    keys: [
      "memory.inject",
      "memory.maxChars",
      "memory.model",
      "agent.memoryWindow",
      "memory.keep",
      "memory.timing",
      "memory.tokenTrigger",
      "memory.tokenTarget",
      "tools.undo.keepDays",
      "tools.undo.keepTurns",
      "tools.undo.maxMegabytes",
    ],
    pages: ["memory"],
  },
  {
    id: "notifications",
    icon: "bell",
    keys: [
      "greeting.quietHours",
      "heartbeat.enabled",
      "heartbeat.intervalMinutes",
      "heartbeat.target",
      "heartbeat.silent",
      "greeting.enabled",
      "greeting.idleHours",
      "greeting.maxPerDay",
      "greeting.target",
      "channels.sendProgress",
      "channels.sendToolHints",
      "channels.retryHours",
    ],
    pages: ["notifications", "channels"],
  },
  {
    id: "limits",
    icon: "bolt",
    keys: [
      "agent.maxIterations",
      "agent.maxToolCalls",
      "agent.maxTokens",
      "agent.limitNotice",
      "agent.limitSummary",
      "tools.exec.timeoutSeconds",
      "tools.timeoutSeconds",
      "agent.firstTextSeconds",
      "agent.requestAttempts",
      "agent.maxRetries",
      "agent.maxUnattended",
      "subagents.concurrency",
      "subagents.maxIterations",
      "subagents.timeoutSeconds",
      "cron.concurrency",
      "cron.jobTimeoutSeconds",
      "cron.misfire",
    ],
    pages: ["usage"],
  },
  { id: "browser", icon: "sun", keys: [], pages: [] },
  {
    id: "machine",
    icon: "server",
    keys: [
      "workspace",
      "language",
      "timeZone",
      "tools.webSearch.engine",
      "tools.webSearch.apiKey",
      "tools.webSearch.baseUrl",
      "gateway.host",
      "gateway.port",
      "gateway.publicUrl",
      "gateway.auth.idleMs",
      "cron.enabled",
      "tools.exec.pathAppend",
      "log.level",
      "backup.target",
      "backup.passphrase",
      "backup.schedule",
      "backup.workspace",
      "backup.maxMegabytes",
      "backup.drillDays",
      "backup.prune",
    ],
    pages: [],
  },
];

/** The entries of a task, in its order. */
export function entriesOf(task: Task, entries: readonly Entry[]): readonly Entry[] {
  return task.keys.flatMap((path) => entries.find((entry) => entry.path === path) ?? []);
}

/** The page on which a key has a form of its own, beside what it does. */
export const OWN_PAGES: Readonly<Record<string, TaskPage>> = {
  "policy.rules": "approvals",
  budgets: "usage",
};
