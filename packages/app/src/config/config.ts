/** The resolved configuration: every key has its value. The shape follows `config.json`, and is made of the table of keys. */
import type { Json } from "@margay/core";
import type { Key } from "./key.ts";
import type { Row } from "./keys.ts";

export type Config = ConfigOf<Row>;
export type ProviderConfig = Config["providers"][string];
/** `channels.{id}`, apart from the settings that hold for all of them. */
export type ChannelConfig = Config["channelsById"][string];
export type McpServerConfig = Config["mcpServers"][string];
export type HookConfig = Config["gateway"]["hooks"][string];

/** The object that holds a value for each of the keys; one without a default may be absent. */
type ConfigOf<K extends Key> = Section<LeafOf<K>>;

interface Leaf {
  readonly path: string;
  readonly value: unknown;
  /** It has a default, so it always has a value. */
  readonly always: boolean;
}

type LeafOf<K extends Key> = K extends Key
  ? { path: Placed<K["path"]>; value: ValueOf<K["kind"]>; always: K extends { readonly default: Json } ? true : false }
  : never;

/** Channels by name stand beside the settings that hold for all of them. */
type Placed<Path extends string> = Path extends `channels.*.${infer Rest}` ? `channelsById.*.${Rest}` : Path;

type Section<L extends Leaf> =
  Head<L["path"]> extends "*"
    ? Readonly<Record<string, Section<Below<L, "*">>>>
    : Flat<
        { readonly [Name in Always<L>]: Member<L, Name> } & {
          readonly [Name in Exclude<Head<L["path"]>, Always<L>>]?: Member<L, Name>;
        }
      >;

type Member<L extends Leaf, Name extends string> = [Extract<L, { path: Name }>] extends [never]
  ? Section<Below<L, Name>>
  : Extract<L, { path: Name }>["value"];

/** Names that are there without a file: with a default, or an empty map for names of the user. */
type Always<L extends Leaf> = L extends { always: true } | { path: `${string}.*.${string}` } ? Head<L["path"]> : never;

type Below<L extends Leaf, Name extends string> = L extends { path: `${Name}.${infer Rest}` }
  ? { path: Rest; value: L["value"]; always: L["always"] }
  : never;

type Head<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path;

/** What `check` accepts for a kind. */
type ValueOf<K> = K extends { is: "boolean" }
  ? boolean
  : K extends { is: "integer" | "number" }
    ? number
    : K extends { is: "nothing" }
      ? null
      : K extends { is: "any" }
        ? Json
        : K extends { is: "choice"; of: readonly (infer Choice)[] }
          ? Choice
          : K extends { is: "either"; of: readonly (infer Of)[] }
            ? ValueOf<Of>
            : K extends { is: "list"; of: infer Of }
              ? readonly ValueOf<Of>[]
              : K extends { is: "map"; of: infer Of }
                ? Readonly<Record<string, ValueOf<Of>>>
                : K extends { is: "object"; fields: infer Fields; required: readonly (infer Name)[] }
                  ? Flat<
                      { readonly [F in keyof Fields as Extract<F, Name>]: ValueOf<Fields[F]> } & {
                        readonly [F in keyof Fields as Exclude<F, Name>]?: ValueOf<Fields[F]>;
                      }
                    >
                  : string;

type Flat<T> = { [Name in keyof T]: T[Name] };
