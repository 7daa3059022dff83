/** key + language → text. The catalog is the sum of the text files of those who speak. */
import { asTyped } from "./command.ts";
import { CHANNEL_TEXTS } from "../features/channels/texts.en.ts";
import { CHANNEL_TEXTS_ZH } from "../features/channels/texts.zh.ts";
import { CLI_TEXTS } from "../host/cli/texts.en.ts";
import { CLI_TEXTS_ZH } from "../host/cli/texts.zh.ts";
import { COMPLETION_TEXTS } from "../features/completion/texts.en.ts";
import { COMPLETION_TEXTS_ZH } from "../features/completion/texts.zh.ts";
import { CONFIG_TEXTS } from "../config/texts.en.ts";
import { CONFIG_TEXTS_ZH } from "../config/texts.zh.ts";
import { CRON_TEXTS } from "../features/cron/texts.en.ts";
import { CRON_TEXTS_ZH } from "../features/cron/texts.zh.ts";
import { GATEWAY_TEXTS } from "../features/gateway/texts.en.ts";
import { GATEWAY_TEXTS_ZH } from "../features/gateway/texts.zh.ts";
import { HELP_TEXTS } from "../host/cli/help.en.ts";
import { HELP_TEXTS_ZH } from "../host/cli/help.zh.ts";
import { IMPORT_TEXTS } from "../features/import-home/texts.en.ts";
import { IMPORT_TEXTS_ZH } from "../features/import-home/texts.zh.ts";
import { MCP_TEXTS } from "../features/mcp/texts.en.ts";
import { MCP_TEXTS_ZH } from "../features/mcp/texts.zh.ts";
import { MEMORY_TEXTS } from "../features/memory/texts.en.ts";
import { MEMORY_TEXTS_ZH } from "../features/memory/texts.zh.ts";
import { PEOPLE_TEXTS } from "../features/people/texts.en.ts";
import { PEOPLE_TEXTS_ZH } from "../features/people/texts.zh.ts";
import { PLUGIN_TEXTS } from "../features/plugins/texts.en.ts";
import { PLUGIN_TEXTS_ZH } from "../features/plugins/texts.zh.ts";
import { QUARANTINE_TEXTS } from "../features/quarantine/texts.en.ts";
import { QUARANTINE_TEXTS_ZH } from "../features/quarantine/texts.zh.ts";
import { SANDBOX_TEXTS } from "../host/sandbox.en.ts";
import { SANDBOX_TEXTS_ZH } from "../host/sandbox.zh.ts";
import { SECRET_TEXTS } from "../features/secrets/texts.en.ts";
import { SECRET_TEXTS_ZH } from "../features/secrets/texts.zh.ts";
import { SKILL_TEXTS } from "../features/skills/texts.en.ts";
import { SKILL_TEXTS_ZH } from "../features/skills/texts.zh.ts";
import { SYSTEM_TEXTS } from "../features/system/texts.en.ts";
import { SYSTEM_TEXTS_ZH } from "../features/system/texts.zh.ts";
import { TRUST_TEXTS } from "../features/labels/texts.en.ts";
import { TRUST_TEXTS_ZH } from "../features/labels/texts.zh.ts";
import { BACKUP_TEXTS } from "../features/backup/texts.en.ts";
import { BACKUP_TEXTS_ZH } from "../features/backup/texts.zh.ts";
import { UNDO_TEXTS } from "../features/undo/texts.en.ts";
import { UNDO_TEXTS_ZH } from "../features/undo/texts.zh.ts";
import type { Texts } from "@margay/core/internal";
import { fill, type Language, type Values } from "./text.ts";

/** Not one object each: to copy fifteen hundred texts costs a start five milliseconds. */
const EN = [
  CHANNEL_TEXTS,
  CLI_TEXTS,
  COMPLETION_TEXTS,
  CONFIG_TEXTS,
  CRON_TEXTS,
  GATEWAY_TEXTS,
  HELP_TEXTS,
  IMPORT_TEXTS,
  MCP_TEXTS,
  MEMORY_TEXTS,
  PEOPLE_TEXTS,
  PLUGIN_TEXTS,
  QUARANTINE_TEXTS,
  SANDBOX_TEXTS,
  SECRET_TEXTS,
  SKILL_TEXTS,
  SYSTEM_TEXTS,
  TRUST_TEXTS,
  BACKUP_TEXTS,
  UNDO_TEXTS,
] as const;

type KeyOf<One> = One extends unknown ? keyof One : never;
export type TextKey = KeyOf<(typeof EN)[number]>;
type Catalog = Readonly<Partial<Record<TextKey, string>>>;
type Translated<List extends readonly Readonly<Record<string, string>>[]> = {
  readonly [At in keyof List]: Texts<List[At]>;
};

const ZH: Translated<typeof EN> = [
  CHANNEL_TEXTS_ZH,
  CLI_TEXTS_ZH,
  COMPLETION_TEXTS_ZH,
  CONFIG_TEXTS_ZH,
  CRON_TEXTS_ZH,
  GATEWAY_TEXTS_ZH,
  HELP_TEXTS_ZH,
  IMPORT_TEXTS_ZH,
  MCP_TEXTS_ZH,
  MEMORY_TEXTS_ZH,
  PEOPLE_TEXTS_ZH,
  PLUGIN_TEXTS_ZH,
  QUARANTINE_TEXTS_ZH,
  SANDBOX_TEXTS_ZH,
  SECRET_TEXTS_ZH,
  SKILL_TEXTS_ZH,
  SYSTEM_TEXTS_ZH,
  TRUST_TEXTS_ZH,
  BACKUP_TEXTS_ZH,
  UNDO_TEXTS_ZH,
];

/** The catalogs of a language; no key stands in two of them. */
export const TEXTS: Readonly<Record<Language, readonly Catalog[]>> = { en: EN, "zh-CN": ZH };

export type Translate = (key: TextKey, values?: Values) => string;

/** @param command What the person types for `margay`. */
export function translator(language: Language, command = "margay"): Translate {
  return (key, values) => asTyped(fill(textOf(language, key), values), command);
}

function textOf(language: Language, key: TextKey): string {
  for (const catalog of TEXTS[language]) {
    const text = catalog[key];
    if (text !== undefined) return text;
  }
  return key; // the types make it impossible
}
