/** Every command: name, arguments, options, examples. The code of a command is imported when it is used. */
import { CHANNEL_COMMANDS } from "./features/channels/commands.ts";
import { LIMIT, YES } from "./host/cli/command-options.ts";
import type { CommandSpec } from "./host/cli/command.ts";
import { CONFIG_COMMANDS } from "./features/settings/commands.ts";
import { CRON_COMMANDS } from "./features/cron/commands.ts";
import { GATEWAY_COMMANDS } from "./features/gateway/commands.ts";
import { MCP_COMMANDS } from "./features/mcp/commands.ts";
import { QUARANTINE_COMMANDS } from "./features/quarantine/commands.ts";
import { SECRET_COMMANDS } from "./features/secrets/commands.ts";
import { SESSION_COMMANDS } from "./features/sessions/commands.ts";
import { SKILL_COMMANDS } from "./features/skills/commands.ts";

export const COMMANDS: readonly CommandSpec[] = [
  { name: "", about: "about.chat", load: async () => (await import("./features/chat/command.ts")).runDefault },
  {
    name: "agent",
    about: "about.agent",
    options: [
      { flags: "-m, --message <text>", about: "opt.message" },
      { flags: "--session <key>", about: "opt.session" },
      { flags: "--model <ref>", about: "opt.model" },
      { flags: "--image <file>", about: "opt.image", repeat: true },
      { flags: "--no-stream", about: "opt.noStream" },
    ],
    examples: [
      'margay agent -m "read notes.txt and tell me the deadline"',
      'margay agent -m "what is this?" --image photo.jpg',
      'git diff | margay agent -m "review this" --session cli:review',
    ],
    load: async () => (await import("./features/chat/command.ts")).runAgent,
  },
  {
    name: "onboard",
    about: "about.onboard",
    options: [YES],
    examples: ["margay onboard", "margay onboard --yes"],
    load: async () => (await import("./features/onboard/command.ts")).runOnboard,
  },

  ...GATEWAY_COMMANDS,

  ...SESSION_COMMANDS,
  ...QUARANTINE_COMMANDS,

  {
    name: "import",
    args: "<path>",
    about: "about.import",
    options: [{ flags: "--dry-run", about: "opt.dryRun" }],
    examples: ["margay import ~/.nanobot --dry-run", "margay import ~/.openclaw"],
    load: async () => (await import("./features/import-home/command.ts")).runImport,
  },

  { name: "models", about: "about.models", examples: ["margay models list", "margay models use openai/gpt-5"] },
  {
    name: "models list",
    args: "[text]",
    about: "about.models.list",
    load: async () => (await import("./features/providers/command.ts")).listModels,
  },
  {
    name: "models test",
    args: "[ref]",
    about: "about.models.test",
    examples: ["margay models test anthropic/claude-sonnet-4-5"],
    load: async () => (await import("./features/providers/command.ts")).testModel,
  },
  {
    name: "models use",
    args: "<ref>",
    about: "about.models.use",
    examples: ["margay models use ollama/qwen3"],
    load: async () => (await import("./features/providers/command.ts")).useModel,
  },

  {
    name: "plugin",
    about: "about.plugin",
    examples: ["margay plugin list", "margay plugin add provider-bedrock"],
  },
  {
    name: "plugin list",
    about: "about.plugin.list",
    load: async () => (await import("./features/plugins/command.ts")).listPlugins,
  },
  {
    name: "plugin add",
    args: "<plugin>",
    about: "about.plugin.add",
    examples: ["margay plugin add provider-azure", "margay plugin add ./margay-provider-bedrock-0.1.0.tgz"],
    load: async () => (await import("./features/plugins/command.ts")).addPlugin,
  },
  {
    name: "plugin remove",
    args: "<plugin>",
    about: "about.plugin.remove",
    examples: ["margay plugin remove provider-azure"],
    load: async () => (await import("./features/plugins/command.ts")).removePlugin,
  },

  ...MCP_COMMANDS,
  ...CHANNEL_COMMANDS,

  {
    name: "memory",
    about: "about.memory",
    examples: ["margay memory show", 'margay memory search "green tea"', "margay memory log --limit 5"],
  },
  {
    name: "memory show",
    about: "about.memory.show",
    load: async () => (await import("./features/memory/command.ts")).showMemory,
  },
  {
    name: "memory edit",
    about: "about.memory.edit",
    examples: ["EDITOR=nano margay memory edit"],
    load: async () => (await import("./features/memory/command.ts")).editMemory,
  },
  {
    name: "memory search",
    args: "<text>",
    about: "about.memory.search",
    options: [LIMIT],
    examples: ['margay memory search "green tea"'],
    load: async () => (await import("./features/memory/command.ts")).searchMemory,
  },
  {
    name: "memory log",
    about: "about.memory.log",
    options: [LIMIT],
    load: async () => (await import("./features/memory/command.ts")).showLog,
  },

  ...SKILL_COMMANDS,
  ...CONFIG_COMMANDS,
  ...SECRET_COMMANDS,

  {
    name: "doctor",
    about: "about.doctor",
    options: [{ flags: "--fix", about: "opt.fix" }],
    examples: ["margay doctor", "margay doctor --fix"],
    load: async () => (await import("./features/system/command-doctor.ts")).runDoctor,
  },
  {
    name: "status",
    about: "about.status",
    load: async () => (await import("./features/system/command-status.ts")).runStatus,
  },
  {
    name: "usage",
    about: "about.usage",
    options: [{ flags: "--by <group>", about: "opt.by", choices: ["day", "model", "session", "source"] }],
    examples: ["margay usage --by model"],
    load: async () => (await import("./features/usage/command.ts")).runUsage,
  },

  ...CRON_COMMANDS,

  {
    name: "stop",
    about: "about.stop",
    options: [{ flags: "--all", about: "opt.stop.all" }],
    examples: ["margay stop --all"],
    load: async () => (await import("./features/emergency-stop/command.ts")).stopAll,
  },
  {
    name: "resume",
    about: "about.resume",
    options: [{ flags: "--all", about: "opt.stop.all" }],
    examples: ["margay resume --all"],
    load: async () => (await import("./features/emergency-stop/command.ts")).resumeAll,
  },

  { name: "approvals", about: "about.approvals", examples: ["margay approvals list", "margay approvals allow call-1"] },
  {
    name: "approvals list",
    about: "about.approvals.list",
    load: async () => (await import("./features/approvals/command.ts")).listApprovals,
  },
  {
    name: "approvals allow",
    args: "<code>",
    about: "about.approvals.allow",
    options: [{ flags: "--remember <how>", about: "opt.remember", choices: ["once", "session", "always"] }],
    examples: ["margay approvals allow 3f2a9c01 --remember session"],
    load: async () => (await import("./features/approvals/command.ts")).allowApproval,
  },
  {
    name: "approvals deny",
    args: "<code>",
    about: "about.approvals.deny",
    load: async () => (await import("./features/approvals/command.ts")).denyApproval,
  },
  {
    name: "approvals rules",
    about: "about.approvals.rules",
    load: async () => (await import("./features/approvals/command-rules.ts")).listRules,
  },
  {
    name: "approvals forget",
    args: "<id>",
    about: "about.approvals.forget",
    examples: ["margay approvals forget 3f2a9c01"],
    load: async () => (await import("./features/approvals/command-rules.ts")).forgetRule,
  },

  { name: "audit", about: "about.audit", examples: ["margay audit list --limit 50", "margay audit verify"] },
  {
    name: "audit list",
    about: "about.audit.list",
    options: [LIMIT],
    load: async () => (await import("./features/audit/command.ts")).listAudit,
  },
  {
    name: "audit verify",
    about: "about.audit.verify",
    options: [{ flags: "--head <head>", about: "opt.audit.head" }],
    examples: ["margay audit verify", "margay audit verify --head $(cat /mnt/elsewhere/margay-head)"],
    load: async () => (await import("./features/audit/command.ts")).verifyAudit,
  },
  {
    name: "audit head",
    about: "about.audit.head",
    examples: ["margay audit head > /mnt/elsewhere/margay-head"],
    load: async () => (await import("./features/audit/command.ts")).showHead,
  },
  {
    name: "audit renew",
    about: "about.audit.renew",
    load: async () => (await import("./features/audit/command.ts")).renewLog,
  },
];
