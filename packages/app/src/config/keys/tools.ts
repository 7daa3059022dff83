/** Keys of what the agent can do: tools, subagents, skills. */
import type { Key } from "../kinds.ts";

export const TOOL_KEYS: readonly Key[] = [
  {
    path: "tools.restrictToWorkspace",
    kind: { is: "boolean" },
    default: true,
    nanobot: false,
    countbot: false,
    restart: true,
  },
  {
    path: "tools.maxResultChars",
    kind: { is: "integer", min: 1000, max: 200_000 },
    default: 16_000,
    restart: true,
  },
  {
    path: "tools.timeoutSeconds",
    kind: { is: "integer", min: 1, max: 3600 },
    default: 60,
  },
  {
    path: "tools.exec.enabled",
    kind: { is: "boolean" },
    default: true,
    restart: true,
  },
  {
    path: "tools.exec.timeoutSeconds",
    kind: { is: "integer", min: 1, max: 3600 },
    default: 60,
    restart: true,
  },
  {
    path: "tools.exec.maxOutputChars",
    kind: { is: "integer", min: 1000, max: 200_000 },
    default: 10_000,
    restart: true,
  },
  {
    path: "tools.exec.pathAppend",
    kind: { is: "text" },
    default: "",
    restart: true,
  },
  {
    path: "tools.exec.env",
    kind: { is: "list", of: { is: "variable" } },
    default: [],
    restart: true,
  },
  {
    path: "tools.exec.denyPatterns",
    kind: { is: "list", of: { is: "regex" } },
    default: [],
    restart: true,
  },
  {
    path: "tools.exec.allowPatterns",
    kind: { is: "list", of: { is: "regex" } },
    default: [],
    restart: true,
  },
  {
    path: "tools.exec.denyAction",
    kind: { is: "choice", of: ["ask", "refuse"] },
    default: "ask",
    nanobot: "refuse",
    countbot: "refuse",
    restart: true,
  },
  {
    path: "tools.exec.sandbox",
    kind: { is: "choice", of: ["required", "srt", "none"] },
    default: "required",
    restart: true,
  },
  {
    path: "tools.exec.network",
    kind: {
      is: "list",
      of: {
        is: "either",
        of: [
          { is: "destination" },
          {
            is: "object",
            fields: { host: { is: "destination" }, trusted: { is: "boolean" } },
            required: ["host"],
          },
        ],
      },
      max: 200,
    },
    default: [],
    restart: true,
  },
  {
    path: "tools.exec.dependencies",
    kind: { is: "choice", of: ["loaded", "untrusted"] },
    default: "loaded",
    restart: true,
  },
  {
    path: "tools.exec.git.name",
    kind: { is: "text", max: 200 },
    restart: true,
  },
  {
    path: "tools.exec.git.email",
    kind: { is: "text", max: 200 },
    restart: true,
  },
  {
    path: "tools.undo.maxMegabytes",
    kind: { is: "integer", min: 0, max: 1_000_000 },
    default: 1024,
    restart: true,
  },
  {
    path: "tools.undo.maxFileMegabytes",
    kind: { is: "integer", min: 1, max: 100 },
    default: 50,
    restart: true,
  },
  {
    path: "tools.undo.keepTurns",
    kind: { is: "integer", min: 1, max: 10_000 },
    default: 100,
    restart: true,
  },
  {
    path: "tools.undo.keepDays",
    kind: { is: "integer", min: 1, max: 3650 },
    default: 14,
    restart: true,
  },
  {
    path: "tools.undo.exclude",
    kind: { is: "list", of: { is: "text" } },
    default: ["node_modules", ".venv", "__pycache__"],
    restart: true,
  },
  {
    path: "tools.webSearch.engine",
    kind: { is: "choice", of: ["auto", "brave", "tavily", "searxng", "duckduckgo"] },
    default: "auto",
    nanobot: "brave",
    countbot: "brave",
    restart: true,
  },
  {
    path: "tools.webSearch.apiKey",
    kind: { is: "text" },
    secret: true,
    environment: ["BRAVE_API_KEY", "TAVILY_API_KEY"],
    restart: true,
  },
  {
    path: "tools.webSearch.baseUrl",
    kind: { is: "url" },
    restart: true,
  },
  {
    path: "tools.webSearch.count",
    kind: { is: "integer", min: 1, max: 10 },
    default: 5,
    restart: true,
  },
  {
    path: "tools.webFetch.maxChars",
    kind: { is: "integer", min: 100, max: 100_000 },
    default: 16_000,
    restart: true,
  },
  {
    path: "tools.webFetch.allowHosts",
    kind: { is: "list", of: { is: "host" } },
    default: [],
    restart: true,
  },
  {
    path: "subagents.maxIterations",
    kind: { is: "integer", min: 1, max: 500 },
    default: 15,
  },
  {
    path: "subagents.concurrency",
    kind: { is: "integer", min: 1, max: 64 },
    default: 4,
  },
  {
    path: "subagents.timeoutSeconds",
    kind: { is: "integer", min: 10, max: 86_400 },
    default: 1200,
  },
  {
    path: "skills.disabled",
    kind: { is: "list", of: { is: "text" } },
    default: [],
  },
];
