// From a JSON value to the input a tool's execute() takes: casts, then checks, then the tool's own schema.
import type { Tool } from "../contract/tool.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { cast } from "./cast.ts";
import { check } from "./check.ts";
import { declaredSchemaOf, isObject, isObjectSchema } from "./schema.ts";

export type Arguments =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly errors: readonly string[] };

export const NOT_AN_OBJECT = "arguments are not a JSON object";

/** Never throws: a schema that throws is an error of the arguments. */
export async function argumentErrors(tool: Tool, params: unknown): Promise<Arguments> {
  if (!isObject(params)) return refused([NOT_AN_OBJECT]);
  try {
    // Our own schemas cast and check by themselves; foreign ones get our texts first, then have the last word.
    const declared = declaredSchemaOf(tool.input);
    const value = isObjectSchema(tool.input) ? params : cast(params, declared);
    const errors = isObjectSchema(tool.input) ? [] : await check(value, declared);
    if (errors.length > 0) return refused(errors);
    const result = await tool.input["~standard"].validate(value);
    return result.issues === undefined ? { ok: true, input: result.value } : refused(result.issues.map(describeIssue));
  } catch (error) {
    return refused([messageOf(error)]);
  }
}

function refused(errors: readonly string[]): Arguments {
  return { ok: false, errors };
}

function describeIssue(issue: { readonly message: string; readonly path?: readonly unknown[] | undefined }): string {
  const path = (issue.path ?? []).map((segment) => String(isObject(segment) ? segment["key"] : segment)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
