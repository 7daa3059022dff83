/** Keys of who the agent is and which models it uses. */
import type { Key } from "../key.ts";
import { AGENT, PERSON } from "./countbot.zh.ts";

export const IDENTITY_KEYS = [
  {
    path: "profile",
    kind: { is: "choice", of: ["default", "nanobot", "countbot"] },
    default: "default",
    restart: true,
  },
  {
    path: "language",
    kind: { is: "choice", of: ["en", "zh-CN"] },
    default: "en",
    countbot: "zh-CN",
    restart: true,
    agentName: "language",
  },
  {
    path: "timeZone",
    kind: { is: "time-zone" },
    default: "system",
    restart: true,
  },
  {
    path: "workspace",
    kind: { is: "path" },
    default: "workspace",
    restart: true,
  },
  {
    path: "model",
    kind: { is: "either", of: [{ is: "model" }, { is: "nothing" }] },
    default: null,
  },
  {
    path: "fallbackModels",
    kind: { is: "list", of: { is: "model" } },
    default: [],
  },
  {
    path: "providers.*.apiKey",
    kind: { is: "text" },
    secret: true,
  },
  {
    path: "providers.*.apiKeys",
    kind: { is: "list", of: { is: "text" } },
    secret: true,
  },
  {
    path: "providers.*.baseUrl",
    kind: { is: "url" },
  },
  {
    path: "providers.*.api",
    kind: { is: "choice", of: ["anthropic", "openai-chat", "openai-responses", "google"] },
  },
  {
    path: "providers.*.headers",
    kind: { is: "map", of: { is: "text" } },
    secret: true,
  },
  {
    path: "providers.*.options",
    kind: { is: "map", of: { is: "text" } },
  },
  {
    path: "models.*.contextWindow",
    kind: { is: "integer", min: 1024, max: 20_000_000 },
  },
  {
    path: "models.*.price",
    kind: {
      is: "object",
      fields: {
        input: { is: "number", min: 0, max: 100_000 },
        output: { is: "number", min: 0, max: 100_000 },
        cacheRead: { is: "number", min: 0, max: 100_000 },
        cacheWrite: { is: "number", min: 0, max: 100_000 },
      },
      required: ["input", "output"],
    },
  },
  {
    path: "persona.name",
    kind: { is: "text", max: 100 },
    default: "margay",
    countbot: AGENT,
  },
  {
    path: "persona.userName",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "text", max: 100 }] },
    default: null,
    countbot: PERSON,
  },
  {
    path: "persona.userAddress",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "text", max: 100 }] },
    default: null,
  },
  {
    path: "persona.preset",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "text", max: 64 }] },
    default: null,
    countbot: "grumpy",
  },
  {
    path: "persona.custom",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "text", max: 2000 }] },
    default: null,
  },
] as const satisfies readonly Key[];
