/** Reads `config.json`: all faults at once, never replaced by defaults when it cannot be read. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { messageOf, readIfExists, RuntimeError, systemTimeZone, type Json, type JsonObject } from "@margay/core";
import type { Translate } from "../i18n/translate.ts";
import type { Config } from "./config.ts";
import { faultText } from "./fault-text.ts";
import type { Fault } from "./kinds.ts";
import { parseConfig } from "./parse.ts";
import { pathIn, refuseHomeInside, type Places } from "./paths.ts";
import { resolve, type Entry } from "./resolve.ts";

export interface LoadOptions {
  readonly places: Places;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  /** In place of the file: a configuration of the same schema (R17). */
  readonly object?: JsonObject;
  /** Command-line values by key path. */
  readonly flags?: Readonly<Record<string, Json>>;
  readonly t: Translate;
}

export interface Loaded {
  readonly places: Places;
  readonly config: Config;
  /** Absolute. */
  readonly workspace: string;
  /** IANA name: `system` is resolved. */
  readonly timeZone: string;
  readonly entries: readonly Entry[];
  readonly secrets: readonly string[];
  /** The file as it stands, references unexpanded. */
  readonly raw: JsonObject;
  readonly exists: boolean;
}

/** The file's bytes as they were when read: a save compares them (CF2). */
export interface ConfigFile {
  readonly raw: JsonObject;
  readonly text: string;
  /** Undefined when there is no file. */
  readonly hash: string | undefined;
}

/**
 * @throws RuntimeError `config.unreadable` with line and column; `config.invalid` with every fault in the message and in
 * `details.faults`; `state.inside-workspace`.
 */
export function loadConfig(options: LoadOptions): Loaded {
  const { places, env, userHome, flags = {}, t } = options;
  const file =
    options.object === undefined
      ? readConfigFile(places.config, t)
      : { raw: options.object, text: "", hash: undefined };
  const references = { env, readFile: (path: string) => readSecretFile(pathIn(places.home, path, userHome)) };
  const { config, entries, faults, secrets } = resolve(file.raw, flags, references);
  if (faults.length > 0) throw invalid(places.config, faults, t);
  const workspace = pathIn(places.home, config.workspace, userHome);
  refuseHomeInside(places.home, workspace, t);
  const timeZone = config.timeZone === "system" ? systemTimeZone() : config.timeZone;
  return { places, config, workspace, timeZone, entries, secrets, raw: file.raw, exists: file.hash !== undefined };
}

/** @throws RuntimeError `config.unreadable`. A missing file is an empty object. */
export function readConfigFile(path: string, t: Translate): ConfigFile {
  let bytes: Buffer | undefined;
  try {
    bytes = readIfExists(path);
  } catch (error) {
    throw new RuntimeError("config.unreadable", t("config.unreadable", { path, reason: messageOf(error) }), {
      cause: error,
      details: { path },
    });
  }
  if (bytes === undefined) return { raw: {}, text: "", hash: undefined };
  const text = bytes.toString("utf8");
  const parsed = parseConfig(text);
  if (parsed.ok) return { raw: parsed.value, text, hash: hashOf(text) };
  const { line, column, reason } = parsed;
  throw new RuntimeError("config.unreadable", t("config.notJson", { path, line, column, reason }), {
    details: { path, line, column },
  });
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function invalid(path: string, faults: readonly Fault[], t: Translate): RuntimeError {
  const list = faults.map((fault) => `- ${faultText(fault, t)}`).join("\n");
  const details = {
    path,
    faults: faults.map((fault) => ({
      path: fault.path,
      problem: fault.problem,
      ...(fault.hint !== undefined && { hint: fault.hint }),
    })),
  };
  return new RuntimeError("config.invalid", t("config.faults", { path, count: faults.length, list }), { details });
}

function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch {
    return undefined; // reported as a fault that names the file
  }
}
