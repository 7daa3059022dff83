// What a method is to the server.

import type { Upload } from "./http.ts";
import type { ArgsOf, Method, ResultOf } from "./schema.ts";
import type { World } from "./world.ts";

export interface Call {
  readonly files: ReadonlyMap<string, Upload>;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
}

/** The types of the SDK see that each result is what the Bot API answers. */
export type Handlers = {
  readonly [M in Method]: (world: World, args: ArgsOf<M>, call: Call) => ResultOf<M> | Promise<ResultOf<M>>;
};
