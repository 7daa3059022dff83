/** A model that was chosen, and what has to hold for it: a key, an address. */

export interface ModelChoice {
  /** `provider/model`; undefined: practice mode. */
  readonly model: string | undefined;
  readonly key?: string;
  /** Of a server that speaks as OpenAI's does; absent: the provider's own. */
  readonly baseUrl?: string;
}

/** What a server at an address lists. `key`: it asks for one. `fault`: it was not reached, or is none. */
export type Listed =
  | { readonly status: "models"; readonly models: readonly string[] }
  | { readonly status: "key" }
  | { readonly status: "fault"; readonly why: string };

/** Trying out what was chosen, before anything is written. */
export interface Trying {
  readonly list: (baseUrl: string, key: string | undefined) => Promise<Listed>;
  /** @returns how long its answer took; or why there is none. */
  readonly test: (
    choice: ModelChoice & { readonly model: string },
  ) => Promise<{ readonly ms: number } | { readonly why: string }>;
}
