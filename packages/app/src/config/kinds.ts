/** Whether a value is of a kind. */
import type { Json } from "@margay/core";
import { isEgressEntry, isEmoji, isRecord, isRepositoryEntry } from "@margay/core/internal";
import type { Fault, Kind, Problem } from "./key.ts";

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
    case "identity":
      if (typeof value === "string" && /:(?:@[^:]*|\*)$/.test(value.trim())) return [wrong("name", kind, value, path)];
      return checkText(kind, value, path);
    case "id":
      if (typeof value === "number") return [wrong("quote", kind, value, path)];
      if (kind.one === true && typeof value === "string" && /^(?:@[^:]*$|\*$)/.test(value.trim()))
        return [wrong("name", kind, value, path)];
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
    case "emoji":
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
  if (!isRecord(value)) return [wrong("type", kind, value, path)];
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
    case "identity":
      return /^[a-z0-9_-]+:\S.*$/i.test(text);
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
    case "emoji":
      return isEmoji(text);
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

function wrong(problem: Problem, expected: Kind, value: unknown, path: string): Fault {
  // Values come from JSON.parse or from the command line's JSON, so they are Json.
  return { path, problem, expected, ...(value !== undefined && { value: value as Json }) };
}
