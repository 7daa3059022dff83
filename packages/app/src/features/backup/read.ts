/** An uploaded file → a backup in our words: our own, or a nanobot `config.json`. */
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { camelKeys, nanobotSettings } from "../import-home/nanobot/nanobot-config.ts";
import { emptySource } from "../import-home/source.ts";
import type { Translate } from "../../texts/translate.ts";
import { isChannel } from "../../compose/manage-channels.ts";
import { findVendor } from "../../models/catalog.ts";
import { parseJson } from "../../host/http/json.ts";
import { Problem } from "../../host/api/problem.ts";
import { BackupFile, type Backup, type ImportView } from "./schema.ts";
import { findKey } from "../../config/schema.ts";
import { BACKUP_VERSION, hashOfBackup } from "./export.ts";
import { put } from "./secrets-of.ts";

export interface Upload {
  readonly format: ImportView["format"];
  readonly sections: Backup["sections"];
  readonly sealed: Backup["secrets"];
  readonly skipped: readonly string[];
}

/** @throws Problem `import.invalid`, `import.version`. */
export function readUpload(bytes: Uint8Array, t: Translate): Upload {
  const value = parse(bytes);
  if (value["format"] === "margay") return readOwn(value);
  if (isRecord(value["agents"])) return readNanobot(value, t);
  throw invalid(
    "The file is neither a backup of margay nor a config.json of nanobot.",
    "该文件既不是 margay 的备份，也不是 nanobot 的 config.json。",
  );
}

function parse(bytes: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    throw invalid(
      `The file is not JSON: ${error instanceof Problem ? error.message : "it cannot be read"}`,
      "该文件不是 JSON。",
    );
  }
  if (isRecord(value as Json)) return value as JsonObject; // of a JSON parser
  throw invalid("The file is not a JSON object.", "该文件不是 JSON 对象。");
}

function readOwn(value: JsonObject): Upload {
  const { version } = value;
  if (typeof version === "number" && version > BACKUP_VERSION)
    throw new Problem("import.version", {
      detail: `The backup has version ${version}; this margay reads ${BACKUP_VERSION}.`,
      remedy: "Import it with the margay that wrote it, or a newer one.",
      zh: {
        detail: `备份版本为 ${version}，此 margay 只能读取版本 ${BACKUP_VERSION}。`,
        remedy: "请用写入它的 margay 或更新的版本导入。",
      },
    });
  const parsed = BackupFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(
      `The backup is damaged at ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
      `备份在 ${issue?.path.join(".") ?? ""} 处损坏。`,
    );
  }
  const { sections, secrets, hash } = parsed.data;
  if (hashOfBackup({ sections: value["sections"], secrets: value["secrets"] }) !== hash)
    throw invalid("The backup is not complete: its hash is another one.", "备份不完整：校验值不符。");
  return { format: "margay", sections, sealed: secrets, skipped: [] };
}

/** Only its settings: chats, memory and jobs are imported from its folder, with `margay import`. */
function readNanobot(value: JsonObject, t: Translate): Upload {
  const found = emptySource("nanobot", "");
  nanobotSettings(found, camelKeys(value), { isProvider: (id) => findVendor(id) !== undefined, isChannel });
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

function invalid(detail: string, zh: string): Problem {
  return new Problem("import.invalid", {
    detail,
    remedy: "Choose another file. Nothing was changed.",
    zh: { detail: zh, remedy: "请选择其他文件。未做任何更改。" },
  });
}
