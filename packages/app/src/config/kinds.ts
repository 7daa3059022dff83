/** What a configuration value may be. Data, so that one table serves validation, help texts and the settings page. */
import { type Json } from "@margay/core";
import { isEgressEntry, isRepositoryEntry } from "@margay/core/internal";

export type Kind =
  | { readonly is: "boolean" }
  | { readonly is: "integer"; readonly min: number; readonly max: number }
  | { readonly is: "number"; readonly min: number; readonly max: number }
  | { readonly is: "choice"; readonly of: readonly string[] }
  | { readonly is: "text"; readonly max?: number }
  /** An id of a person or chat: text, compared exactly; a bare number is refused with a hint. */
  | { readonly is: "id" }
  /** `null` in the file: not set. */
  | { readonly is: "nothing" }
  | { readonly is: "time-zone" }
  | { readonly is: "path" }
  | { readonly is: "url" }
  /** Exact origin: scheme, host and port, nothing else. */
  | { readonly is: "origin" }
  /** Host name or address, with an optional port. */
  | { readonly is: "host" }
  /** Where confined programs may connect to: a name or `*.name`, with an optional port. Never an address. */
  | { readonly is: "destination" }
  /** `github.com/me/proj`, or `github.com/me/*` for all below. */
  | { readonly is: "repository" }
  /** `provider/model`. */
  | { readonly is: "model" }
  | { readonly is: "regex" }
  /** Name of an environment variable. */
  | { readonly is: "variable" }
  /** `HH-HH`, may cross midnight. */
  | { readonly is: "hours" }
  | { readonly is: "network" }
  | { readonly is: "chat" }
  | { readonly is: "any" }
  | { readonly is: "either"; readonly of: readonly Kind[] }
  | { readonly is: "list"; readonly of: Kind; readonly max?: number }
  /** Names chosen by the user → values of one kind. */
  | { readonly is: "map"; readonly of: Kind }
  | { readonly is: "object"; readonly fields: Readonly<Record<string, Kind>>; readonly required: readonly string[] };

export type ProfileName = "default" | "nanobot" | "countbot";

/** One key of `config.json`: a row of the knob table. */
export interface Key {
  /** Dotted; `*` stands for a name chosen by the user. */
  readonly path: string;
  readonly kind: Kind;
  /** Absent: the key has no value until someone sets it. */
  readonly default?: Json;
  /** Only where the profile differs from `default`. */
  readonly nanobot?: Json;
  readonly countbot?: Json;
  readonly secret?: true;
  /** A change is used at the next start. */
  readonly restart?: true;
  /** Variables that give the value when neither flag nor file does, first set one wins. */
  readonly environment?: readonly string[];
}

export type Problem =
  | "unknown"
  | "type"
  | "value"
  | "range"
  | "required"
  | "quote"
  | "variable"
  | "file"
  | "vault"
  | "keyring";

/** One thing wrong with the configuration; worded by `fault-text.ts`. */
export interface Fault {
  readonly path: string;
  readonly problem: Problem;
  /** As it stands in the file, never expanded; absent for secrets and unknown keys. */
  readonly value?: Json;
  readonly expected?: Kind;
  /** Nearest known key, or the name of the missing variable or file. */
  readonly hint?: string;
}

/** Everything wrong with `value`. `shown` is what the message may repeat. */
export function check(kind: Kind, value: unknown, path: string): readonly Fault[] {
  switch (kind.is) {
    case "any":
      return [];
    case "nothing":
      return value === null ? [] : [wrong("type", kind, value, path)];
    case "boolean":
      return typeof value === "boolean" ? [] : [wrong("type", kind, value, path)];
    case "integer":
    case "number":
      return checkNumber(kind, value, path);
    case "either":
      return checkEither(kind, value, path);
    case "list":
      return checkList(kind, value, path);
    case "map":
    case "object":
      return checkObject(kind, value, path);
    case "id":
      if (typeof value === "number") return [wrong("quote", kind, value, path)];
      return checkText(kind, value, path);
    case "choice":
    case "text":
    case "time-zone":
    case "path":
    case "url":
    case "origin":
    case "host":
    case "destination":
    case "repository":
    case "model":
    case "regex":
    case "variable":
    case "hours":
    case "network":
    case "chat":
      return checkText(kind, value, path);
  }
}

type NumberKind = Extract<Kind, { readonly is: "integer" | "number" }>;

function checkNumber(kind: NumberKind, value: unknown, path: string): readonly Fault[] {
  if (typeof value !== "number" || !Number.isFinite(value)) return [wrong("type", kind, value, path)];
  if (kind.is === "integer" && !Number.isInteger(value)) return [wrong("value", kind, value, path)];
  return value < kind.min || value > kind.max ? [wrong("range", kind, value, path)] : [];
}

function checkEither(kind: Extract<Kind, { is: "either" }>, value: unknown, path: string): readonly Fault[] {
  const results = kind.of.map((one) => check(one, value, path));
  if (results.some((faults) => faults.length === 0)) return [];
  // A number outside the range of the numeric alternative is a range fault, not a wrong type.
  const nearest = results.flat().find((fault) => fault.problem === "range");
  return [wrong(nearest?.problem ?? "type", kind, value, path)];
}

function checkList(kind: Extract<Kind, { is: "list" }>, value: unknown, path: string): readonly Fault[] {
  if (!Array.isArray(value)) return [wrong("type", kind, value, path)];
  if (kind.max !== undefined && value.length > kind.max) return [wrong("range", kind, value.length, path)];
  return value.flatMap((item: unknown, index) => check(kind.of, item, `${path}[${index}]`));
}

function checkObject(kind: Extract<Kind, { is: "map" | "object" }>, value: unknown, path: string): readonly Fault[] {
  if (!isObject(value)) return [wrong("type", kind, value, path)];
  const names = Object.keys(value);
  if (kind.is === "map") return names.flatMap((name) => check(kind.of, value[name], `${path}.${name}`));
  const faults: Fault[] = [];
  for (const name of names) {
    const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
    if (field === undefined) faults.push({ path: `${path}.${name}`, problem: "unknown" });
    else faults.push(...check(field, value[name], `${path}.${name}`));
  }
  for (const name of kind.required)
    if (!Object.hasOwn(value, name)) faults.push({ path: `${path}.${name}`, problem: "required" });
  return faults;
}

type TextKind = Exclude<
  Kind,
  { readonly is: "boolean" | "integer" | "number" | "either" | "list" | "map" | "object" | "any" | "nothing" }
>;

function checkText(kind: TextKind, value: unknown, path: string): readonly Fault[] {
  if (typeof value !== "string") return [wrong("type", kind, value, path)];
  if (kind.is === "text" && kind.max !== undefined && [...value].length > kind.max)
    return [wrong("range", kind, value, path)];
  return accepts(kind, value) ? [] : [wrong("value", kind, value, path)];
}

function accepts(kind: TextKind, text: string): boolean {
  switch (kind.is) {
    case "choice":
      return kind.of.includes(text);
    case "text":
      return true;
    case "id":
      return text.trim() !== "";
    case "path":
      return text !== "" && !text.includes("\0");
    case "time-zone":
      return text === "system" || isTimeZone(text);
    case "url":
      return isUrl(text);
    case "origin":
      return isUrl(text) && new URL(text).origin === text.replace(/\/$/, "").toLowerCase();
    case "host":
      return /^(\[[0-9a-f:.]+\]|[0-9a-z_.-]+|[0-9a-f:]+)(:\d{1,5})?$/i.test(text);
    case "destination":
      return isEgressEntry(text);
    case "repository":
      return isRepositoryEntry(text);
    case "model":
      return /^[a-z0-9][a-z0-9_.-]*\/\S+$/i.test(text);
    case "regex":
      return isRegex(text);
    case "variable":
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
    case "hours":
      return /^([01]\d|2[0-3])-([01]\d|2[0-3])$/.test(text);
    case "network":
      return /^[0-9a-f:.]+(\/\d{1,3})?$/i.test(text) && !text.endsWith("/0");
    case "chat":
      return /^[a-z0-9_-]+:.+$/i.test(text);
  }
}

/** Whether this JavaScript knows the IANA zone. */
export function isTimeZone(name: string): boolean {
  try {
    return name !== "" && new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false; // RangeError is how Intl says "no such zone"
  }
}

function isUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

function isRegex(text: string): boolean {
  try {
    return new RegExp(text, "i").source !== "";
  } catch {
    return false; // a SyntaxError is the answer
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(problem: Problem, expected: Kind, value: unknown, path: string): Fault {
  // Values come from JSON.parse or from the command line's JSON, so they are Json.
  return { path, problem, expected, ...(value !== undefined && { value: value as Json }) };
}
