/** key + language → text. The catalog is the sum of the text files beside this one. */
import { asTyped } from "./command.ts";
import { CHANNEL_TEXTS } from "../features/channels/texts.ts";
import { CLI_TEXTS } from "../host/cli/texts.ts";
import { CONFIG_TEXTS } from "../config/texts.ts";
import { CRON_TEXTS } from "../features/cron/texts.ts";
import { GATEWAY_TEXTS } from "../features/gateway/texts.ts";
import { HELP_TEXTS } from "../host/cli/help.ts";
import { IMPORT_TEXTS } from "../features/import-home/texts.ts";
import { MCP_TEXTS } from "../features/mcp/texts.ts";
import { MEMORY_TEXTS } from "../features/memory/texts.ts";
import { PLUGIN_TEXTS } from "../features/plugins/texts.ts";
import { QUARANTINE_TEXTS } from "../features/quarantine/texts.ts";
import { SANDBOX_TEXTS } from "../config/sandbox-texts.ts";
import { SECRET_TEXTS } from "../features/secrets/texts.ts";
import { SKILL_TEXTS } from "../features/skills/texts.ts";
import { SYSTEM_TEXTS } from "../features/system/texts.ts";
import { TRUST_TEXTS } from "../features/labels/texts.ts";
import { UNDO_TEXTS } from "../features/undo/texts.ts";
import { fill, type Language, type Text, type Values } from "./text.ts";

export type TextKey =
  | keyof typeof CONFIG_TEXTS
  | keyof typeof CLI_TEXTS
  | keyof typeof SYSTEM_TEXTS
  | keyof typeof CRON_TEXTS
  | keyof typeof MEMORY_TEXTS
  | keyof typeof PLUGIN_TEXTS
  | keyof typeof MCP_TEXTS
  | keyof typeof GATEWAY_TEXTS
  | keyof typeof HELP_TEXTS
  | keyof typeof IMPORT_TEXTS
  | keyof typeof CHANNEL_TEXTS
  | keyof typeof QUARANTINE_TEXTS
  | keyof typeof SANDBOX_TEXTS
  | keyof typeof SECRET_TEXTS
  | keyof typeof SKILL_TEXTS
  | keyof typeof TRUST_TEXTS
  | keyof typeof UNDO_TEXTS;

export const TEXTS: Readonly<Record<TextKey, Text>> = {
  ...CONFIG_TEXTS,
  ...CLI_TEXTS,
  ...SYSTEM_TEXTS,
  ...CRON_TEXTS,
  ...MEMORY_TEXTS,
  ...PLUGIN_TEXTS,
  ...MCP_TEXTS,
  ...GATEWAY_TEXTS,
  ...HELP_TEXTS,
  ...IMPORT_TEXTS,
  ...CHANNEL_TEXTS,
  ...QUARANTINE_TEXTS,
  ...SANDBOX_TEXTS,
  ...SECRET_TEXTS,
  ...SKILL_TEXTS,
  ...TRUST_TEXTS,
  ...UNDO_TEXTS,
};

export type Translate = (key: TextKey, values?: Values) => string;

/** @param command What the person types for `margay`. */
export function translator(language: Language, command = "margay"): Translate {
  return (key, values) => asTyped(fill(TEXTS[key][language], values), command);
}
