// Parameters against their table: what Telegram knows and which type it has.

import { isRecord, type Body, type Upload } from "./http.ts";
import { badRequest } from "./refusal.ts";

type Scalar = "string" | "integer" | "float" | "boolean" | "chat" | "file" | "any";

/** What a parameter is; `!` when it must be there. */
export type Kind = Scalar | `${Scalar}!` | ObjectKind | ListKind;

export interface ObjectKind {
  readonly label: string;
  readonly fields: Readonly<Record<string, Kind>>;
  readonly required?: boolean;
}

export interface ListKind {
  readonly label: string;
  readonly items: Kind;
  readonly required?: boolean;
}

/** Parameters that passed. Absent ones are absent. */
export type Params = Readonly<Record<string, unknown>>;

/** What a missing parameter is called. Telegram has no one sentence for it. */
const MISSING: Readonly<Record<string, string>> = {
  chat_id: "chat_id is empty",
  text: "message text is empty",
  message_id: "message identifier is not specified",
  user_id: "invalid user_id specified",
  file_id: "file_id is not specified",
  draft_id: "draft_id must be non-zero",
  action: "wrong parameter action in request",
};

/**
 * @param complain called for what the real API does not know, or knows as another type.
 * @throws Refusal for a missing parameter or a wrong type. Unknown ones are passed over, as Telegram does.
 */
export function checkParams(
  table: Readonly<Record<string, Kind>>,
  body: Body,
  complain: (text: string) => void,
): { readonly params: Params; readonly files: ReadonlyMap<string, Upload> } {
  const params: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body.values)) {
    const kind = Object.hasOwn(table, name) ? table[name] : undefined;
    if (kind === undefined) complain(`unknown parameter ${name}`);
    else if (value !== null && value !== undefined)
      params[name] = read(kind, body.form ? fromText(kind, value) : value, name, complain);
  }
  for (const name of body.files.keys()) {
    const kind = Object.hasOwn(table, name) ? table[name] : undefined;
    if (kind !== undefined) params[name] = `attach://${name}`;
    else if (!JSON.stringify(params).includes(`"attach://${name}"`)) complain(`file ${name} belongs to nothing`);
  }
  for (const [name, kind] of Object.entries(table))
    if (isRequired(kind) && params[name] === undefined) {
      complain(`${name} is missing`);
      throw badRequest(
        scalarOf(kind) === "file"
          ? `there is no ${name} in the request`
          : (MISSING[name] ?? `parameter "${name}" is required`),
      );
    }
  return { params, files: body.files };
}

function isRequired(kind: Kind): boolean {
  return typeof kind === "string" ? kind.endsWith("!") : kind.required === true;
}

function scalarOf(kind: Kind): Scalar | undefined {
  return typeof kind === "string" ? (kind.replace("!", "") as Scalar) : undefined; // that is how the type is made
}

/** A value of a form is text: numbers and booleans are read, objects are JSON. */
function fromText(kind: Kind, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const scalar = scalarOf(kind);
  if (scalar === "integer" || scalar === "float") return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (scalar === "boolean")
    return ["true", "1", "yes"].includes(value.toLowerCase()) || (isFalse(value) ? false : value);
  return value;
}

function isFalse(value: string): boolean {
  return ["false", "0", "no", ""].includes(value.toLowerCase());
}

function read(kind: Kind, value: unknown, path: string, complain: (text: string) => void): unknown {
  if (typeof kind === "string") {
    const scalar = scalarOf(kind);
    if (scalar !== undefined && fits(scalar, value)) return value;
    complain(`${path} is no ${String(scalar)}`);
    throw badRequest(MISSING[path] ?? `can't parse parameter "${path}"`);
  }
  const given = typeof value === "string" ? parsed(kind.label, value) : value;
  return "items" in kind ? readList(kind, given, path, complain) : readObject(kind, given, path, complain);
}

function readList(kind: ListKind, value: unknown, path: string, complain: (text: string) => void): unknown {
  if (!Array.isArray(value)) {
    complain(`${path} is no list`);
    throw badRequest(`expected an Array of ${kind.label}`);
  }
  return value.map((item: unknown, index) => read(kind.items, item, `${path}[${index}]`, complain));
}

function readObject(kind: ObjectKind, value: unknown, path: string, complain: (text: string) => void): unknown {
  if (!isRecord(value)) {
    complain(`${path} is no object`);
    throw badRequest(`object expected as ${kind.label}`);
  }
  const result: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const field = Object.hasOwn(kind.fields, name) ? kind.fields[name] : undefined;
    if (field === undefined) complain(`unknown field ${path}.${name}`);
    else if (inner !== null && inner !== undefined) result[name] = read(field, inner, `${path}.${name}`, complain);
  }
  for (const [name, field] of Object.entries(kind.fields))
    if (isRequired(field) && result[name] === undefined) {
      complain(`${path}.${name} is missing`);
      throw badRequest(`can't parse ${kind.label}: can't find field "${name}"`);
    }
  return result;
}

function parsed(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`can't parse ${label} JSON object`);
  }
}

function fits(kind: Scalar, value: unknown): boolean {
  switch (kind) {
    case "string":
    case "file":
      return typeof value === "string";
    case "integer":
      return Number.isSafeInteger(value);
    case "float":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "chat":
      return Number.isSafeInteger(value) || typeof value === "string";
    case "any":
      return true;
  }
}
