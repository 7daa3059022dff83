/** Query and body against the route's schemas: every fault is named. */
import type { z } from "zod";
import { Problem, type FieldFault } from "../api/problem.ts";
import type { Route } from "../api/route.ts";
import { parseJson } from "./json.ts";

/** Named at most: a body of unknown keys has thousands. */
const MAX_FAULTS = 20;

/** @throws Problem `request.invalid`. */
export function validQuery(route: Route, query: URLSearchParams): unknown {
  const given = Object.create(null) as Record<string, string | string[]>; // names of strangers
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    given[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return route.query === undefined ? undefined : parse(route.query, given, "query");
}

/** @throws Problem `request.media-type`, `request.malformed`, `request.invalid`. */
export function validBody(route: Route, bytes: Uint8Array, contentType: string | undefined): unknown {
  if (bytes.length > 0) requireJson(contentType);
  const value = bytes.length === 0 ? {} : parseJson(bytes);
  if (route.body !== undefined) return parse(route.body, value, "");
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return undefined;
  throw invalid([{ path: "", code: "unrecognized_keys", message: "This takes no body." }]);
}

/** @throws Problem `request.media-type`. */
export function requireJson(contentType: string | undefined): void {
  const [type = "", ...parameters] = (contentType ?? "")
    .toLowerCase()
    .split(";")
    .map((one) => one.trim());
  const charset = parameters
    .find((one) => one.startsWith("charset="))
    ?.slice(8)
    .replaceAll('"', "");
  if (type === "application/json" && (charset === undefined || charset === "utf-8")) return;
  throw new Problem("request.media-type", {
    detail: `The body must be application/json in UTF-8, not ${contentType === undefined ? "of no type" : "another type"}.`,
    remedy: "Send Content-Type: application/json.",
  });
}

function parse(schema: z.ZodType, value: unknown, root: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(faultsOf(result.error, root));
}

function faultsOf(error: z.ZodError, root: string): readonly FieldFault[] {
  return error.issues.slice(0, MAX_FAULTS).flatMap((issue) => {
    const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, MAX_FAULTS) : [undefined];
    return unknown.map((key) => ({
      path: pointer(root, key === undefined ? issue.path : [...issue.path, key]),
      code: issue.code,
      message: key === undefined ? issue.message : "This field is not known.",
    }));
  });
}

/** JSON Pointer into the body; `query/name`. */
function pointer(root: string, path: readonly PropertyKey[]): string {
  const steps = path.map((one) => String(one).replaceAll("~", "~0").replaceAll("/", "~1").slice(0, 100));
  return steps.length === 0 ? root : `${root}/${steps.join("/")}`;
}

function invalid(errors: readonly FieldFault[]): Problem {
  const [first] = errors;
  return new Problem("request.invalid", {
    detail: `The request does not fit: ${first?.path === "" ? "the body" : (first?.path ?? "")}: ${first?.message ?? ""}`,
    errors: errors.slice(0, MAX_FAULTS),
  });
}
