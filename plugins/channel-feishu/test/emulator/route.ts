// What a request is to whoever answers it.
import type { Json, Upload } from "./http.ts";
import type { Message, World } from "./world.ts";

export interface Call {
  readonly world: World;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json;
  /** Of the whole request. */
  readonly bytes: number;
  readonly files: ReadonlyMap<string, Upload>;
  /** Messages by the key that they were sent with. */
  readonly uuids: Map<string, { readonly message: Message; readonly at: number }>;
  /** @throws Refusal where a chat is asked too often. */
  readonly paced: (chat: string) => void;
}

export interface Route {
  readonly name: string;
  /** Of which one is needed. */
  readonly scopes?: readonly string[];
  /** `!` when it must be there. */
  readonly fields: readonly string[];
  readonly query?: readonly string[];
  readonly act: (call: Call) => unknown;
}

export function data(value: unknown): Json {
  return { code: 0, msg: "success", data: value };
}
