/** What a key of `config.json` is. Data, so that one table serves types, validation, help texts and the settings page. */
import type { Json } from "@margay/core/internal/state";

export type Kind =
  | { readonly is: "boolean" }
  | { readonly is: "integer"; readonly min: number; readonly max: number }
  | { readonly is: "number"; readonly min: number; readonly max: number }
  | { readonly is: "choice"; readonly of: readonly string[] }
  | { readonly is: "text"; readonly max?: number }
  /** An id of a person or chat: text, compared exactly; a bare number is refused with a hint. `one`: of one person, neither `*` nor a name that can change hands. */
  | { readonly is: "id"; readonly one?: true }
  /** `channel:id`: one sender of one channel, compared exactly; neither `*` nor a name that can change hands. */
  | { readonly is: "identity" }
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
  | { readonly is: "emoji" }
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
  /** `named`: a map, in which those are secret whose names say so. */
  readonly secret?: true | "named";
  /** A change is used at the next start. */
  readonly restart?: true;
  /** Variables that give the value when neither flag nor file does, first set one wins. */
  readonly environment?: readonly string[];
  /** The setting of the agent that takes this value. */
  readonly agentName?: string;
  /** From the unit of the key to that of the setting. */
  readonly agentFactor?: number;
  /** It only imitates an earlier project: a profile sets it, `config.json` may, and no form shows it. */
  readonly profileOnly?: true;
}

export type Problem =
  | "unknown"
  | "type"
  | "value"
  | "range"
  | "required"
  | "quote"
  | "name"
  | "person"
  | "twice"
  | "agentName"
  | "channelName"
  | "approvalsHere"
  | "agent"
  | "nobody"
  | "binding"
  | "bound"
  | "notFor"
  | "variable"
  | "file"
  | "vault"
  | "keyring";

/** One thing wrong with the configuration; worded by `faults.ts`. */
export interface Fault {
  readonly path: string;
  readonly problem: Problem;
  /** As it stands in the file, never expanded; absent for secrets and unknown keys. */
  readonly value?: Json;
  readonly expected?: Kind;
  /** Nearest known key, the name of the missing variable or file, or where the same stands. */
  readonly hint?: string;
}
