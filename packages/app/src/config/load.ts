/** Reads `config.json`: all faults at once, never replaced by defaults when it cannot be read. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { RuntimeError, type Json, type JsonObject } from "@margay/core";
import { messageOf, systemTimeZone, type Doc } from "@margay/core/internal";
import type { Translate } from "../texts/translate.ts";
import type { Config } from "./config.ts";
import type { References } from "./expand.ts";
import { faultText } from "./faults.ts";
import type { Fault } from "./key.ts";
import { openKeyring } from "./secrets/keyring.ts";
import { parseConfig } from "./parse.ts";
import { pathIn, refuseHomeInside, type Places } from "./paths.ts";
import { resolve, type Entry } from "./resolve.ts";
import type { KeyPlace } from "./secrets/vault-key.ts";
import { openVault, SECRET_NAME } from "./secrets/vault.ts";

export interface LoadOptions {
  readonly places: Places;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  /** In place of the file: a configuration of the same schema. */
  readonly object?: JsonObject;
  /** Command-line values by key path. */
  readonly flags?: Readonly<Record<string, Json>>;
  readonly t: Translate;
  /** What only shows the configuration leaves the vault closed and the keyring alone. */
  readonly secrets?: "left";
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

/** The file's bytes as they were when read: a save compares them. */
export interface ConfigFile {
  readonly raw: JsonObject;
  readonly text: string;
  /** Undefined when there is no file. */
  readonly hash: string | undefined;
  /** As `Doc.rev`; 0 when there is none. */
  readonly rev: number;
}

export const CONFIG_DOC = "config.json";

/**
 * @throws RuntimeError `config.unreadable` with line and column; `config.invalid` with every fault in the message and in
 * `details.faults`; `state.inside-workspace`.
 */
export function loadConfig(options: LoadOptions): Loaded {
  const { places, userHome, flags = {}, t } = options;
  const file =
    options.object === undefined
      ? readConfigFile(places, t)
      : { raw: options.object, text: "", hash: undefined, rev: 0 };
  const references = referencesOf(options);
  const { config, entries, faults, secrets } = resolve(file.raw, flags, references);
  if (faults.length > 0) throw invalid(places.config, faults, t);
  const workspace = pathIn(places.home, config.workspace, userHome);
  refuseHomeInside(places.home, workspace, t);
  const timeZone = zoneNamed(config.timeZone);
  return { places, config, workspace, timeZone, entries, secrets, raw: file.raw, exists: file.hash !== undefined };
}

/** The zone that times mean and are told in. @param person Absent, the owner, or nobody of the configuration: the home's. */
export function timeZoneOf(
  { config, timeZone }: Pick<Loaded, "timeZone"> & { readonly config: Pick<Config, "people"> },
  person = OWNER,
): string {
  const own = person !== OWNER && Object.hasOwn(config.people, person) ? config.people[person]?.timeZone : undefined;
  return own === undefined ? timeZone : zoneNamed(own);
}

const OWNER = "owner";

function zoneNamed(name: string): string {
  return name === "system" ? systemTimeZone() : name;
}

/** What `${…}` in the file stands for. Nothing is opened before it is asked for. */
export function referencesOf({ places, env, userHome, t, secrets }: LoadOptions): References {
  return {
    env,
    readFile: (path) => readSecretFile(pathIn(places.home, path, userHome)),
    ...(secrets === "left" ? LEFT : kept({ home: places.home, docs: places.docs, env, t })),
  };
}

const LEFT: Pick<References, "vault" | "keyring"> = {
  vault: (name) => `\${vault:${name}}`,
  keyring: (name) => `\${keyring:${name}}`,
};

/** A key that is kept twice is fetched once. */
function kept(place: KeyPlace): Pick<References, "vault" | "keyring"> {
  const once = (get: (name: string) => string | undefined): ((name: string) => string | undefined) => {
    const known = new Map<string, string | undefined>();
    return (name) => {
      if (!known.has(name)) known.set(name, get(name));
      return known.get(name);
    };
  };
  const vault = openVault(place); // reads nothing yet
  return {
    vault: once((name) => vault.get(name)),
    keyring: once((name) => (SECRET_NAME.test(name) ? openKeyring(place).get(name) : undefined)),
  };
}

/** @throws RuntimeError `config.unreadable`. A missing file is an empty object. */
export function readConfigFile({ config: path, docs }: Pick<Places, "config" | "docs">, t: Translate): ConfigFile {
  let doc: Doc | undefined;
  try {
    doc = docs.peek(CONFIG_DOC);
  } catch (error) {
    throw new RuntimeError("config.unreadable", t("config.unreadable", { path, reason: messageOf(error) }), {
      cause: error,
      details: { path },
    });
  }
  if (doc === undefined) return { raw: {}, text: "", hash: undefined, rev: 0 };
  const { body: text, rev } = doc;
  const parsed = parseConfig(text);
  if (parsed.ok) return { raw: parsed.value, text, hash: hashOf(text), rev };
  const { line, column, reason } = parsed;
  throw new RuntimeError("config.unreadable", t("config.notJson", { path, line, column, reason }), {
    details: { path, line, column },
  });
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function invalid(path: string, faults: readonly Fault[], t: Translate): RuntimeError {
  return faulty("config.faults", path, faults, t);
}

/** The value is wrong that somebody wanted to save; the file is not. */
export function refused(path: string, faults: readonly Fault[], t: Translate): RuntimeError {
  return faulty("config.refused", path, faults, t);
}

function faulty(
  key: "config.faults" | "config.refused",
  path: string,
  faults: readonly Fault[],
  t: Translate,
): RuntimeError {
  const list = faults.map((fault) => `- ${faultText(fault, t)}`).join("\n");
  const details = {
    path,
    faults: faults.map((fault) => ({
      path: fault.path,
      problem: fault.problem,
      ...(fault.hint !== undefined && { hint: fault.hint }),
    })),
  };
  return new RuntimeError("config.invalid", t(key, { path, count: faults.length, list }), { details });
}

function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch {
    return undefined; // reported as a fault that names the file
  }
}
