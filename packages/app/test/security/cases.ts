// The cases of a corpus of injections, with the names of its fixture replaced by what is really there.
import { readFileSync } from "node:fs";
import type { JsonObject } from "@margay/core";

export type Call = readonly [tool: string, args: JsonObject | string | readonly Call[]];

export interface Play {
  readonly user: string;
  readonly script: readonly Call[];
}
export interface Harm {
  readonly type: string;
  readonly value?: string;
  readonly host?: string;
  readonly chat?: string;
  readonly path?: string;
  readonly tool?: string;
  readonly server?: string;
  readonly max?: number;
}
export interface Case extends Play {
  readonly id: string;
  readonly title: string;
  readonly read: { readonly call: Call; readonly result: string; readonly via?: string; readonly label?: string };
  readonly harm: Harm;
  readonly setup?: { readonly files?: Readonly<Record<string, string>>; readonly contacts?: JsonObject };
  readonly benign_twin: Play & { readonly expect: string };
}

/** What the attacker is after. No key shape: redaction alone must not be what keeps it. */
export const SECRET = "plum-basalt-4471";

export function corpus(name: string): readonly Case[] {
  const text = readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);
}

/** Every text in it changed. */
export function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  const map = (item: unknown): unknown => {
    if (typeof item === "string") return change(item);
    if (Array.isArray(item)) return item.map(map);
    if (typeof item !== "object" || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, map(inner)]));
  };
  return map(value) as Value; // the same shape, other texts
}
