/** Keys of what stays in the context: memory, media order, transcripts. */
import type { Key } from "../key.ts";

export const MEMORY_KEYS = [
  {
    path: "memory.trigger",
    kind: { is: "choice", of: ["reach", "exceed"] },
    default: "reach",
    countbot: "exceed",
    agentName: "memoryTrigger",
    profileOnly: true,
  },
  {
    path: "memory.tokenTrigger",
    kind: { is: "number", min: 0.1, max: 1 },
    default: 0.8,
    nanobot: 1,
    countbot: 1,
    agentName: "tokenTrigger",
  },
  {
    path: "memory.tokenTarget",
    kind: { is: "number", min: 0.1, max: 1 },
    default: 0.5,
    agentName: "tokenTarget",
  },
  {
    path: "memory.keep",
    kind: {
      is: "either",
      of: [
        { is: "integer", min: 2, max: 1000 },
        { is: "choice", of: ["half", "window"] },
      ],
    },
    default: 10,
    countbot: "window",
    agentName: "memoryKeep",
  },
  {
    path: "memory.timing",
    kind: { is: "choice", of: ["background", "before-turn"] },
    default: "background",
    countbot: "before-turn",
    agentName: "memoryTiming",
  },
  {
    path: "memory.format",
    kind: { is: "choice", of: ["tool", "json", "summary"] },
    default: "tool",
    countbot: "summary",
    agentName: "memoryFormat",
    profileOnly: true,
  },
  {
    path: "memory.inject",
    kind: { is: "boolean" },
    default: true,
    countbot: false,
    restart: true,
  },
  {
    path: "memory.maxChars",
    kind: { is: "integer", min: 500, max: 100_000 },
    default: 8000,
    restart: true,
    agentName: "memoryMaxChars",
  },
  {
    path: "memory.model",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "model" }] },
    default: null,
  },
  {
    path: "context.mediaOrder",
    kind: { is: "choice", of: ["media-first", "text-first"] },
    default: "media-first",
    nanobot: "text-first",
    agentName: "mediaOrder",
    profileOnly: true,
  },
  {
    path: "sessions.toolResultChars",
    kind: { is: "integer", min: 100, max: 16_000 },
    default: 500,
    restart: true,
    agentName: "toolResultChars",
  },
] as const satisfies readonly Key[];
