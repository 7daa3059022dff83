/** Every command: name, arguments, options, examples. The code of a command is imported when it is used. */
import type { CommandSpec, OptionSpec } from "./command.ts";
import { CHANNEL_COMMANDS } from "./channels-commands.ts";
import { MCP_COMMANDS } from "./mcp-commands.ts";

const LIMIT: OptionSpec = { flags: "--limit <count>", about: "opt.limit" };
const YES: OptionSpec = { flags: "-y, --yes", about: "opt.yes" };

export const COMMANDS: readonly CommandSpec[] = [
  { name: "", about: "about.chat", load: async () => (await import("./agent.ts")).runDefault },
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
      "git diff | margay agent --session cli:review",
    ],
    load: async () => (await import("./agent.ts")).runAgent,
  },
  {
    name: "onboard",
    about: "about.onboard",
    options: [YES],
    examples: ["margay onboard", "margay onboard --yes"],
    load: async () => (await import("./onboard.ts")).runOnboard,
  },

  { name: "sessions", about: "about.sessions", examples: ["margay sessions list", "margay sessions show cli:direct"] },
  {
    name: "sessions list",
    about: "about.sessions.list",
    options: [LIMIT],
    load: async () => (await import("./sessions.ts")).listSessions,
  },
  {
    name: "sessions show",
    args: "<key>",
    about: "about.sessions.show",
    options: [LIMIT],
    examples: ["margay sessions show telegram:42 --limit 20"],
    load: async () => (await import("./sessions.ts")).showSession,
  },
  {
    name: "sessions search",
    args: "<text>",
    about: "about.sessions.search",
    options: [LIMIT],
    examples: ["margay sessions search deadline"],
    load: async () => (await import("./sessions.ts")).searchSessions,
  },
  {
    name: "sessions export",
    args: "<key>",
    about: "about.sessions.export",
    options: [{ flags: "--format <format>", about: "opt.format", choices: ["seed", "journal"] }],
    examples: ["margay sessions export cli:direct --format seed > direct.jsonl"],
    load: async () => (await import("./sessions-files.ts")).exportSession,
  },
  {
    name: "sessions import",
    args: "<file>",
    about: "about.sessions.import",
    options: [{ flags: "--key <key>", about: "opt.key" }],
    examples: ["margay sessions import direct.jsonl --key cli:old"],
    load: async () => (await import("./sessions-files.ts")).importSession,
  },
  {
    name: "sessions fork",
    args: "<key> <new-key>",
    about: "about.sessions.fork",
    options: [{ flags: "--seq <number>", about: "opt.seq" }],
    examples: ["margay sessions fork cli:direct cli:try --seq 120"],
    load: async () => (await import("./sessions.ts")).forkSession,
  },
  {
    name: "sessions delete",
    args: "<key>",
    about: "about.sessions.delete",
    options: [YES],
    examples: ["margay sessions delete cli:old --yes"],
    load: async () => (await import("./sessions.ts")).deleteSession,
  },
  {
    name: "explain",
    args: "<session>",
    about: "about.explain",
    options: [
      { flags: "--turn <number>", about: "opt.turn" },
      { flags: "--replay", about: "opt.replay" },
    ],
    examples: ["margay explain cli:direct --turn 3", "margay explain cli:direct --replay"],
    load: async () => (await import("./explain.ts")).runExplain,
  },

  {
    name: "import",
    args: "<path>",
    about: "about.import",
    options: [{ flags: "--dry-run", about: "opt.dryRun" }],
    examples: ["margay import ~/.nanobot --dry-run", "margay import ~/.openclaw"],
    load: async () => (await import("./import.ts")).runImport,
  },

  { name: "models", about: "about.models", examples: ["margay models list", "margay models use openai/gpt-5"] },
  {
    name: "models list",
    args: "[text]",
    about: "about.models.list",
    load: async () => (await import("./models.ts")).listModels,
  },
  {
    name: "models test",
    args: "[ref]",
    about: "about.models.test",
    examples: ["margay models test anthropic/claude-sonnet-4-5"],
    load: async () => (await import("./models.ts")).testModel,
  },
  {
    name: "models use",
    args: "<ref>",
    about: "about.models.use",
    examples: ["margay models use ollama/qwen3"],
    load: async () => (await import("./models.ts")).useModel,
  },

  {
    name: "plugin",
    about: "about.plugin",
    examples: ["margay plugin list", "margay plugin add provider-bedrock"],
  },
  {
    name: "plugin list",
    about: "about.plugin.list",
    load: async () => (await import("./plugin.ts")).listPlugins,
  },
  {
    name: "plugin add",
    args: "<plugin>",
    about: "about.plugin.add",
    examples: ["margay plugin add provider-azure", "margay plugin add ./margay-provider-bedrock-0.1.0.tgz"],
    load: async () => (await import("./plugin.ts")).addPlugin,
  },
  {
    name: "plugin remove",
    args: "<plugin>",
    about: "about.plugin.remove",
    examples: ["margay plugin remove provider-azure"],
    load: async () => (await import("./plugin.ts")).removePlugin,
  },

  ...MCP_COMMANDS,
  ...CHANNEL_COMMANDS,

  {
    name: "memory",
    about: "about.memory",
    examples: ["margay memory show", 'margay memory search "green tea"', "margay memory log --limit 5"],
  },
  { name: "memory show", about: "about.memory.show", load: async () => (await import("./memory.ts")).showMemory },
  {
    name: "memory edit",
    about: "about.memory.edit",
    examples: ["EDITOR=nano margay memory edit"],
    load: async () => (await import("./memory.ts")).editMemory,
  },
  {
    name: "memory search",
    args: "<text>",
    about: "about.memory.search",
    options: [LIMIT],
    examples: ['margay memory search "green tea"'],
    load: async () => (await import("./memory.ts")).searchMemory,
  },
  {
    name: "memory log",
    about: "about.memory.log",
    options: [LIMIT],
    load: async () => (await import("./memory.ts")).showLog,
  },

  {
    name: "skills",
    about: "about.skills",
    examples: ["margay skills list", "margay skills add ./my-skill", "margay skills approve my-skill"],
  },
  { name: "skills list", about: "about.skills.list", load: async () => (await import("./skills.ts")).listSkills },
  {
    name: "skills show",
    args: "<name>",
    about: "about.skills.show",
    load: async () => (await import("./skills.ts")).showSkill,
  },
  {
    name: "skills validate",
    args: "<name>",
    about: "about.skills.validate",
    examples: ["margay skills validate weather", "margay skills validate ./my-skill"],
    load: async () => (await import("./skills.ts")).validateSkill,
  },
  {
    name: "skills add",
    args: "<source>",
    about: "about.skills.add",
    options: [YES, { flags: "--only <name>", about: "opt.only", repeat: true }],
    examples: [
      "margay skills add ./my-skill",
      "margay skills add my-skill.tgz --yes",
      "margay skills add @someone/skills --only weather",
    ],
    load: async () => (await import("./skills-install.ts")).addSkill,
  },
  {
    name: "skills approve",
    args: "<name>",
    about: "about.skills.approve",
    options: [YES],
    load: async () => (await import("./skills-install.ts")).approveSkill,
  },
  {
    name: "skills remove",
    args: "<name>",
    about: "about.skills.remove",
    options: [YES],
    load: async () => (await import("./skills-install.ts")).removeSkill,
  },
  {
    name: "skills enable",
    args: "<name>",
    about: "about.skills.enable",
    load: async () => (await import("./skills.ts")).enableSkill,
  },
  {
    name: "skills disable",
    args: "<name>",
    about: "about.skills.disable",
    load: async () => (await import("./skills.ts")).disableSkill,
  },

  {
    name: "config",
    about: "about.config",
    examples: [
      "margay config show",
      "margay config set agent.maxIterations 20",
      "margay config set providers.openai.apiKey -",
    ],
  },
  {
    name: "config show",
    args: "[prefix]",
    about: "about.config.show",
    options: [{ flags: "--profile <name>", about: "opt.profile", choices: ["default", "nanobot", "countbot"] }],
    examples: ["margay config show --profile nanobot", "margay config show agent --json"],
    load: async () => (await import("./config.ts")).showConfig,
  },
  {
    name: "config get",
    args: "<key>",
    about: "about.config.get",
    examples: ["margay config get agent.maxIterations"],
    load: async () => (await import("./config.ts")).getConfig,
  },
  {
    name: "config set",
    args: "<key> [value]",
    about: "about.config.set",
    examples: [
      "margay config set agent.maxIterations 20",
      "margay config set fallbackModels '[\"openai/gpt-5-mini\"]'",
      "printenv KEY | margay config set providers.openai.apiKey -",
    ],
    load: async () => (await import("./config.ts")).setConfig,
  },
  {
    name: "config unset",
    args: "<key>",
    about: "about.config.unset",
    examples: ["margay config unset agent.maxIterations"],
    load: async () => (await import("./config.ts")).unsetConfig,
  },
  { name: "config check", about: "about.config.check", load: async () => (await import("./config.ts")).checkConfig },
  { name: "config path", about: "about.config.path", load: async () => (await import("./config.ts")).configPath },

  {
    name: "doctor",
    about: "about.doctor",
    options: [{ flags: "--fix", about: "opt.fix" }],
    examples: ["margay doctor", "margay doctor --fix"],
    load: async () => (await import("./doctor.ts")).runDoctor,
  },
  { name: "status", about: "about.status", load: async () => (await import("./status.ts")).runStatus },
  {
    name: "usage",
    about: "about.usage",
    options: [{ flags: "--by <group>", about: "opt.by", choices: ["day", "model", "session", "source"] }],
    examples: ["margay usage --by model"],
    load: async () => (await import("./usage.ts")).runUsage,
  },

  {
    name: "cron",
    about: "about.cron",
    examples: [
      'margay cron add --cron "0 9 * * MON-FRI" --message "summarize my inbox" --to cli:direct',
      "margay cron list",
    ],
  },
  { name: "cron list", about: "about.cron.list", load: async () => (await import("./cron.ts")).listJobs },
  {
    name: "cron add",
    about: "about.cron.add",
    options: [
      { flags: "--every <interval>", about: "opt.cron.every" },
      { flags: "--cron <expression>", about: "opt.cron.cron" },
      { flags: "--at <time>", about: "opt.cron.at" },
      { flags: "--tz <zone>", about: "opt.cron.tz" },
      { flags: "--message <text>", about: "opt.cron.message" },
      { flags: "--to <chat>", about: "opt.cron.to" },
      { flags: "--deliver", about: "opt.cron.deliver" },
      { flags: "--misfire <policy>", about: "opt.cron.misfire", choices: ["skip", "latest_once", "all"] },
      { flags: "--name <label>", about: "opt.cron.name" },
    ],
    examples: [
      'margay cron add --every 2h --message "drink water" --deliver --to cli:direct',
      'margay cron add --at 2026-12-24T18:00 --tz Europe/Berlin --message "light the candles" --to cli:direct',
    ],
    load: async () => (await import("./cron.ts")).addJob,
  },
  {
    name: "cron remove",
    args: "<id>",
    about: "about.cron.remove",
    load: async () => (await import("./cron.ts")).removeJob,
  },
  {
    name: "cron enable",
    args: "<id>",
    about: "about.cron.enable",
    load: async () => (await import("./cron.ts")).enableJob,
  },
  {
    name: "cron disable",
    args: "<id>",
    about: "about.cron.disable",
    load: async () => (await import("./cron.ts")).disableJob,
  },
  { name: "cron run", args: "<id>", about: "about.cron.run", load: async () => (await import("./cron.ts")).runJob },
  { name: "cron runs", args: "<id>", about: "about.cron.runs", load: async () => (await import("./cron.ts")).showRuns },

  { name: "approvals", about: "about.approvals", examples: ["margay approvals list", "margay approvals allow call-1"] },
  {
    name: "approvals list",
    about: "about.approvals.list",
    load: async () => (await import("./approvals.ts")).listApprovals,
  },
  {
    name: "approvals allow",
    args: "<code>",
    about: "about.approvals.allow",
    load: async () => (await import("./approvals.ts")).allowApproval,
  },
  {
    name: "approvals deny",
    args: "<code>",
    about: "about.approvals.deny",
    load: async () => (await import("./approvals.ts")).denyApproval,
  },

  { name: "audit", about: "about.audit", examples: ["margay audit list --limit 50", "margay audit verify"] },
  {
    name: "audit list",
    about: "about.audit.list",
    options: [LIMIT],
    load: async () => (await import("./audit.ts")).listAudit,
  },
  { name: "audit verify", about: "about.audit.verify", load: async () => (await import("./audit.ts")).verifyAudit },
];
