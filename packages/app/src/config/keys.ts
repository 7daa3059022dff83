/** All keys of `config.json`. Loads nothing else: types of the pages are made of it too. */
import type { Key } from "./key.ts";
import { AGENT_KEYS } from "./keys/agent.ts";
import { AGENTS_KEYS } from "./keys/agents.ts";
import { BACKUP_KEYS } from "./keys/backup.ts";
import { EDGE_KEYS } from "./keys/edges.ts";
import { GATEWAY_KEYS } from "./keys/gateway.ts";
import { HOOK_KEYS } from "./keys/hooks.ts";
import { IDENTITY_KEYS } from "./keys/identity.ts";
import { MCP_KEYS } from "./keys/mcp.ts";
import { MEMORY_KEYS } from "./keys/memory.ts";
import { PEOPLE_KEYS } from "./keys/people.ts";
import { PLUGIN_KEYS } from "./keys/plugins.ts";
import { SCHEDULE_KEYS } from "./keys/schedule.ts";
import { SPEECH_KEYS } from "./keys/speech.ts";
import { TOOL_KEYS } from "./keys/tools.ts";

const ROWS = [
  ...IDENTITY_KEYS,
  ...AGENT_KEYS,
  ...MEMORY_KEYS,
  ...TOOL_KEYS,
  ...MCP_KEYS,
  ...PLUGIN_KEYS,
  ...SPEECH_KEYS,
  ...SCHEDULE_KEYS,
  ...EDGE_KEYS,
  ...PEOPLE_KEYS,
  ...AGENTS_KEYS,
  ...GATEWAY_KEYS,
  ...HOOK_KEYS,
  ...BACKUP_KEYS,
] as const;

/** A row as it is written: what the type of the configuration is made of. */
export type Row = (typeof ROWS)[number];

export const KEYS: readonly Key[] = ROWS;

interface Range {
  readonly min: number;
  readonly max: number;
}

type Alternatives<K> = K extends { readonly is: "either"; readonly of: readonly (infer Of)[] } ? Of : K;
type RangedPath<R> = R extends Key
  ? [Extract<Alternatives<R["kind"]>, Range>] extends [never]
    ? never
    : R["path"]
  : never;

/** The bounds of a number: whoever else checks it takes them from here. */
export function rangeOf(path: RangedPath<Row>): Range {
  const kind = KEYS.find((key) => key.path === path)?.kind;
  const range = (kind?.is === "either" ? kind.of : [kind]).find((one) => one?.is === "integer" || one?.is === "number");
  if (range === undefined) throw new TypeError(`no number at ${path}`); // the type of the parameter rules it out
  return range;
}
