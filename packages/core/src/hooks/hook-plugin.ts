import type { Json } from "../contract/base.ts";
import type { Address } from "../contract/message.ts";

/** Where a hook may stand. `message.in`: a message enters a turn. `reply.out`: a reply is about to leave. */
export type HookPoint = "turn.start" | "call.before" | "call.after" | "turn.end" | "message.in" | "reply.out";

/** What a hook says. Nothing: it has nothing to say, and nothing is written down. */
export type HookAnswer =
  | undefined
  /** A notice to the model, under the name of the plugin, as a stranger's text. At most 2000 characters; not at `reply.out`. */
  | { readonly note: string }
  /** The call is not made, the reply does not leave. `call.before` and `reply.out` alone. At most 500 characters. */
  | { readonly deny: true; readonly reason: string };

/** What a hook is told. All of it is a copy: nothing that is done to it changes anything. */
export interface HookEvent {
  readonly point: HookPoint;
  /** Of the session: equal for one conversation. */
  readonly session: string;
  readonly turn?: string;
  /** The chat that it is about. */
  readonly origin: Address;
  /** The record of the journal that it is about, or the one that is going to be: see the guide for the fields of each. */
  readonly record: Json;
}

/** What a package exports as `plugin` to look at what happens, and to say no. */
export interface HookPlugin {
  readonly contract: "hook/1";
  /** As in the manifest: `[a-z][a-z0-9-]*`. */
  readonly name: string;
  /** Each is answered within 2 s. What throws or takes longer at a point that may deny has denied. */
  readonly on: { readonly [Point in HookPoint]?: (event: HookEvent) => HookAnswer | Promise<HookAnswer> };
}
