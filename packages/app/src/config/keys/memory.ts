/** Keys of what stays in the context: memory, media order, transcripts. */
import type { Key } from "../kinds.ts";

export const MEMORY_KEYS: readonly Key[] = [
  {
    path: "memory.trigger",
    kind: { is: "choice", of: ["reach", "exceed"] },
    default: "reach",
    countbot: "exceed",
  },
  {
    path: "memory.tokenTrigger",
    kind: { is: "number", min: 0.1, max: 1 },
    default: 0.8,
    nanobot: 1,
    countbot: 1,
  },
  {
    path: "memory.tokenTarget",
    kind: { is: "number", min: 0.1, max: 1 },
    default: 0.5,
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
  },
  {
    path: "memory.timing",
    kind: { is: "choice", of: ["background", "before-turn"] },
    default: "background",
    countbot: "before-turn",
  },
  {
    path: "memory.format",
    kind: { is: "choice", of: ["tool", "json", "summary"] },
    default: "tool",
    countbot: "summary",
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
  },
  {
    path: "sessions.toolResultChars",
    kind: { is: "integer", min: 100, max: 16_000 },
    default: 500,
    restart: true,
  },
];
