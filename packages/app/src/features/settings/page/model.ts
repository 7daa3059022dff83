/** The settings as the page works with them: one entry per key, and a patch from what was edited. */
import { isRecord } from "@margay/core/internal/state";
import type { z } from "zod";
import type { FieldSchema } from "../schema.ts";
import { withRemovals } from "../../../web/panel-kit/removals.ts";
import { readField, type Field, type JsonSchema, type Shape } from "../../../web/ui/form-shape.ts";

type FieldView = z.infer<typeof FieldSchema>;

export interface Settings {
  readonly values: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, FieldView>>;
  readonly schema: JsonSchema;
  readonly profile: string;
  readonly pendingRestart: readonly string[];
  readonly hash: string;
}

export interface Entry extends FieldView {
  readonly path: string;
  /** The path in parts: names of people's own may hold dots. */
  readonly names: readonly string[];
  readonly value: unknown;
  readonly field: Field;
  /** What its kind is called in the schema, as `margay-hours`. */
  readonly format: string | undefined;
}

/** @param word What stands for a value of a choice. */
export function readEntries(settings: Settings, word: (path: string, value: string) => string): readonly Entry[] {
  return Object.entries(settings.fields).flatMap(([path, view]) => {
    if (path.includes("*")) return [];
    const names = namesOf(path, settings.values);
    const schema = schemaAt(settings.schema, names);
    if (schema === undefined) return [];
    const read = readField(path, schema, false);
    const field = { ...read, shape: worded(read.shape, (value) => word(path, value)) };
    return [{ ...view, path, names, value: valueAt(settings.values, names), field, format: formatOf(schema) }];
  });
}

function worded(shape: Shape, word: (value: string) => string): Shape {
  if (shape.is === "either") return { ...shape, of: shape.of.map((one) => worded(one, word)) };
  if (shape.is !== "choice" && shape.is !== "choices") return shape;
  return { ...shape, words: new Map(shape.of.map((value) => [value, word(value)])) };
}

/** Of the value itself, where one may also be none. */
function formatOf(schema: JsonSchema): string | undefined {
  const options = Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isRecord) : [schema];
  const [first, ...more] = options.filter((one) => one["type"] !== "null");
  const format = more.length === 0 ? first?.["format"] : undefined;
  return typeof format === "string" ? format : undefined;
}

/** Along the values that are there; what is not there yet has no dots in its names. */
function namesOf(path: string, values: unknown): readonly string[] {
  if (isRecord(values))
    for (const name of Object.keys(values).toSorted((a, b) => b.length - a.length)) {
      if (path === name) return [name];
      if (path.startsWith(`${name}.`)) return [name, ...namesOf(path.slice(name.length + 1), values[name])];
    }
  return path.split(".");
}

function schemaAt(schema: JsonSchema, names: readonly string[]): JsonSchema | undefined {
  let at: unknown = schema;
  for (const name of names) {
    if (!isRecord(at)) return undefined;
    const properties = at["properties"];
    at = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : at["additionalProperties"];
  }
  return isRecord(at) ? at : undefined;
}

function valueAt(values: unknown, names: readonly string[]): unknown {
  let at = values;
  for (const name of names) at = isRecord(at) ? at[name] : undefined;
  return at;
}

/** Edits by path → a JSON Merge Patch. */
export function patchOf(edits: ReadonlyMap<Entry, unknown>): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = {};
  for (const [{ names, value: before }, value] of edits) {
    let at = root;
    for (const name of names.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>; // made by this loop
    at[names.at(-1) ?? ""] = withRemovals(before, value);
  }
  return root;
}

/**
 * All words of the query in key, name or help; Chinese needs no spaces, and its names are found by their pinyin.
 * @param initials Of a Chinese text.
 */
export function matches(entry: Entry, query: string, initials: (text: string) => string): boolean {
  const text = `${entry.path} ${entry.title} ${entry.help}`.toLowerCase();
  const asked = query.toLowerCase().trim();
  if (/^[a-z]{2,}$/.test(asked) && initials(entry.title).includes(asked)) return true;
  return asked.split(/\s+/).every((word) => text.includes(word));
}

/** A value in a few characters. */
export function brief(value: unknown): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "string") return value;
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}
