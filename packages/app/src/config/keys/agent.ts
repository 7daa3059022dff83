/** Keys of the loop. */
import type { Key } from "../kinds.ts";

export const AGENT_KEYS: readonly Key[] = [
  {
    path: "agent.maxIterations",
    kind: { is: "integer", min: 1, max: 500 },
    default: 40,
    countbot: 25,
  },
  {
    path: "agent.maxToolCalls",
    kind: {
      is: "either",
      of: [{ is: "nothing" }, { is: "integer", min: 1, max: 5000 }, { is: "choice", of: ["maxIterations"] }],
    },
    default: null,
    countbot: "maxIterations",
  },
  {
    path: "agent.limitNotice",
    kind: { is: "boolean" },
    default: true,
  },
  {
    path: "agent.limitSummary",
    kind: { is: "boolean" },
    default: false,
  },
  {
    path: "agent.temperature",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "number", min: 0, max: 2 }] },
    default: null,
    nanobot: 0.1,
    countbot: 0.7,
  },
  {
    path: "agent.maxTokens",
    kind: { is: "integer", min: 1, max: 2_000_000 },
    default: 8192,
    nanobot: 4096,
    countbot: 4096,
  },
  {
    path: "agent.thinking",
    kind: { is: "choice", of: ["off", "low", "medium", "high"] },
    default: "off",
  },
  {
    path: "agent.maxRetries",
    kind: { is: "integer", min: 1, max: 10 },
    default: 3,
    nanobot: 1,
  },
  {
    path: "agent.retryDelaySeconds",
    kind: { is: "number", min: 0, max: 60 },
    default: 1,
  },
  {
    path: "agent.parallelTools",
    kind: { is: "boolean" },
    default: true,
    nanobot: false,
    countbot: false,
  },
  {
    path: "agent.steering",
    kind: { is: "boolean" },
    default: true,
    nanobot: false,
    countbot: false,
  },
  {
    path: "agent.reflection",
    kind: { is: "boolean" },
    default: false,
  },
  {
    path: "agent.concurrency",
    kind: { is: "integer", min: 1, max: 256 },
    default: 8,
    nanobot: 1,
  },
  {
    path: "agent.replyText",
    kind: { is: "choice", of: ["final", "all"] },
    default: "final",
    countbot: "all",
  },
  {
    path: "agent.memoryWindow",
    kind: { is: "integer", min: 4, max: 10_000 },
    default: 100,
  },
  {
    path: "agent.maxPending",
    kind: { is: "integer", min: 1, max: 1000 },
    default: 100,
  },
  {
    path: "agent.maxUnattended",
    kind: { is: "integer", min: 0, max: 50 },
    default: 5,
  },
  {
    path: "agent.requestAttempts",
    kind: { is: "integer", min: 1, max: 10 },
    default: 4,
  },
  {
    path: "agent.requestTimeoutSeconds",
    kind: { is: "integer", min: 1, max: 3600 },
    default: 300,
  },
  {
    path: "agent.idleTimeoutSeconds",
    kind: { is: "integer", min: 1, max: 3600 },
    default: 90,
  },
  {
    path: "agent.firstTextSeconds",
    kind: { is: "integer", min: 1, max: 3600 },
    default: 180,
  },
  {
    path: "agent.transcriptionModel",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "model" }] },
    default: null,
  },
];
