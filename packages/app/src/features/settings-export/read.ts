/** An uploaded file → a backup in our words: our own, or a nanobot `config.json`. */
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import type { Translate } from "../../texts/translate.ts";
import { parseJson } from "../../host/http/json.ts";
import { Problem } from "../../host/api/problem.ts";
import { BackupFile, type Backup, type ImportView } from "./schema.ts";
import { findKey } from "../../config/schema.ts";
import { BACKUP_VERSION, hashOfBackup } from "./export.ts";
import type { BackupParts } from "./parts.ts";
import { put } from "./secrets-of.ts";
import { filled, told } from "../../host/api/words.ts";
import type { Text } from "../../texts/text.ts";
import { TEXT } from "./api-texts.ts";

export interface Upload {
  readonly format: ImportView["format"];
  readonly sections: Backup["sections"];
  readonly sealed: Backup["secrets"];
  readonly skipped: readonly string[];
}

/** @throws Problem `import.invalid`, `import.version`. */
export function readUpload(bytes: Uint8Array, t: Translate, { nanobotSettings }: BackupParts): Upload {
  const value = parse(bytes);
  if (value["format"] === "margay") return readOwn(value);
  if (isRecord(value["agents"])) return readNanobot(nanobotSettings(value), t);
  throw invalid(TEXT.fileNeitherBackup);
}

function parse(bytes: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    throw invalid(
      filled(TEXT.fileJson, { why: because(error instanceof Problem ? error.message : "it cannot be read") }),
    );
  }
  if (isRecord(value as Json)) return value as JsonObject; // of a JSON parser
  throw invalid(TEXT.fileJsonObject);
}

/** A parser says it in English alone. */
function because(reason: string): Text {
  return { en: `: ${reason}`, "zh-CN": "" };
}

function readOwn(value: JsonObject): Upload {
  const { version } = value;
  if (typeof version === "number" && version > BACKUP_VERSION)
    throw new Problem(
      "import.version",
      told(
        { detail: TEXT.backupHasVersion, remedy: TEXT.importMargayWrote },
        { version, backupVersion: BACKUP_VERSION },
      ),
    );
  const parsed = BackupFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(
      filled(TEXT.backupDamagedAt, { path: issue?.path.join(".") ?? "", why: because(issue?.message ?? "") }),
    );
  }
  const { sections, secrets, hash } = parsed.data;
  if (hashOfBackup({ sections: value["sections"], secrets: value["secrets"] }) !== hash)
    throw invalid(TEXT.backupCompleteHash);
  return { format: "margay", sections, sealed: secrets, skipped: [] };
}

/** Only its settings: chats, memory and jobs are imported from its folder, with `margay import`. */
function readNanobot(found: ReturnType<BackupParts["nanobotSettings"]>, t: Translate): Upload {
  let config: JsonObject = {};
  const skipped = found.skipped.map(({ from, reason }) => `${from}: ${t(reason.key, reason.values)}`);
  for (const { path, from, value: setting } of found.settings) {
    const key = findKey(path);
    if (key === undefined) skipped.push(from);
    else config = put(config, [...key.names, ...key.inside], setting);
  }
  return {
    format: "nanobot",
    sections: { settings: { config: config as NonNullable<Backup["sections"]["settings"]>["config"], secrets: [] } }, // JSON
    sealed: undefined,
    skipped,
  };
}

function invalid(detail: Text): Problem {
  return new Problem("import.invalid", told({ detail, remedy: TEXT.chooseAnotherFile }));
}
