/** `gateway.hooks.*.filter`: `json.action == "opened" && header.x-github-event != "ping"`; all parts must hold. */
import { valueAt, type HookCall } from "./template.ts";

export interface Condition {
  readonly path: string;
  readonly operator: "==" | "!=" | "contains";
  readonly text: string;
}

const CONDITION = /^\s*(body|json(?:\.[^\s&]+)?|header\.[A-Za-z0-9-]+)\s+(==|!=|contains)\s+("(?:[^"\\]|\\.)*")\s*$/;

/** Undefined: it says nothing that can be decided. */
export function parseFilter(filter: string): readonly Condition[] | undefined {
  const conditions: Condition[] = [];
  for (const part of filter.split("&&")) {
    const [, path, operator, quoted] = CONDITION.exec(part) ?? [];
    if (path === undefined || quoted === undefined) return undefined;
    let text: unknown;
    try {
      text = JSON.parse(quoted);
    } catch {
      return undefined; // no text in JSON's spelling
    }
    if (typeof text !== "string") return undefined;
    conditions.push({ path, operator: operator === "!=" || operator === "contains" ? operator : "==", text });
  }
  return conditions;
}

/** A filter that cannot be read lets nothing through. */
export function fitsFilter(filter: string | undefined, call: HookCall): boolean {
  if (filter === undefined || filter.trim() === "") return true;
  return (
    parseFilter(filter)?.every(({ path, operator, text }) => {
      const value = valueAt(path, call);
      switch (operator) {
        case "==":
          return value === text;
        case "!=":
          return value !== text;
        case "contains":
          return value?.includes(text) === true;
      }
    }) === true
  );
}
