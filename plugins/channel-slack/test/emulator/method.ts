// What a call of the Web API is to whoever answers it.

import type { Wire } from "./http.ts";
import type { World } from "./world.ts";

export interface Call {
  readonly world: World;
  /** As they came: text, or JSON in text. */
  readonly args: Readonly<Record<string, string>>;
  readonly scopes: readonly string[];
  readonly around: Around;
}

/** What methods do beside the world. */
export interface Around {
  readonly openSocket: () => string;
  readonly ephemeral: { readonly channel: string; readonly user: string; readonly text: string }[];
  readonly status: { readonly channel: string; readonly thread: string; readonly status: string }[];
  readonly team: string;
}

export interface Method {
  readonly args: readonly string[];
  readonly scope?: string;
  readonly token?: "app";
  readonly act: (call: Call) => Wire;
}
