/** Every command: name, arguments, options, examples, in the order of `--help`. The code of a command is imported when it is used. */
import type { CommandSpec } from "./host/cli/command.ts";
import { ACCESS_COMMANDS } from "./features/access/commands.ts";
import { APPROVAL_COMMANDS } from "./features/approvals/commands.ts";
import { AUDIT_COMMANDS } from "./features/audit/commands.ts";
import { CHANNEL_COMMANDS } from "./features/channels/commands.ts";
import { CHAT_COMMANDS, CHAT_OPTIONS } from "./features/chat/commands.ts";
import { completionCommands } from "./features/completion/commands.ts";
import { CRON_COMMANDS } from "./features/cron/commands.ts";
import { EMERGENCY_STOP_COMMANDS } from "./features/emergency-stop/commands.ts";
import { EXPLAIN_COMMANDS } from "./features/explain/commands.ts";
import { GATEWAY_COMMANDS } from "./features/gateway/commands.ts";
import { IMPORT_COMMANDS } from "./features/import-home/commands.ts";
import { LABELS_COMMANDS } from "./features/labels/commands.ts";
import { MCP_COMMANDS } from "./features/mcp/commands.ts";
import { MEMORY_COMMANDS } from "./features/memory/commands.ts";
import type { Homes } from "./features/onboard/homes.ts";
import { onboardCommands } from "./features/onboard/commands.ts";
import { PEOPLE_COMMANDS } from "./features/people/commands.ts";
import { PLUGIN_COMMANDS } from "./features/plugins/commands.ts";
import { MODEL_COMMANDS } from "./features/providers/commands.ts";
import { QUARANTINE_COMMANDS } from "./features/quarantine/commands.ts";
import { SECRET_COMMANDS } from "./features/secrets/commands.ts";
import { SESSION_COMMANDS } from "./features/sessions/commands.ts";
import { CONFIG_COMMANDS } from "./features/settings/commands.ts";
import { SKILL_COMMANDS } from "./features/skills/commands.ts";
import { BACKUP_COMMANDS } from "./features/backup/commands.ts";
import { SYSTEM_COMMANDS } from "./features/system/commands.ts";
import { UNDO_COMMANDS } from "./features/undo/commands.ts";
import { USAGE_COMMANDS } from "./features/usage/commands.ts";

const homes = async (): Promise<Homes> => (await import("./features/import-home/offered/lend.ts")).HOMES;

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "",
    about: "about.chat",
    options: CHAT_OPTIONS,
    examples: ["margay", "margay -c", "margay --plain"],
    load: async () => {
      const { runDefault } = await import("./features/chat/command.ts");
      return runDefault(async (cli) => {
        const { firstSetUp } = await import("./features/onboard/command.ts");
        return firstSetUp(cli, await homes());
      });
    },
  },
  ...CHAT_COMMANDS,
  ...onboardCommands(homes),
  ...GATEWAY_COMMANDS,
  ...ACCESS_COMMANDS,
  ...SESSION_COMMANDS,
  ...UNDO_COMMANDS,
  ...LABELS_COMMANDS,
  ...EXPLAIN_COMMANDS,
  ...QUARANTINE_COMMANDS,
  ...IMPORT_COMMANDS,
  ...MODEL_COMMANDS,
  ...PLUGIN_COMMANDS,
  ...MCP_COMMANDS,
  ...CHANNEL_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...MEMORY_COMMANDS,
  ...SKILL_COMMANDS,
  ...CONFIG_COMMANDS,
  ...SECRET_COMMANDS,
  ...SYSTEM_COMMANDS,
  ...USAGE_COMMANDS,
  ...CRON_COMMANDS,
  ...EMERGENCY_STOP_COMMANDS,
  ...APPROVAL_COMMANDS,
  ...AUDIT_COMMANDS,
  ...BACKUP_COMMANDS,
  ...completionCommands(() => COMMANDS),
];
