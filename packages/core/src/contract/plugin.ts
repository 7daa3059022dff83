import type { JsonObject } from "./base.ts";

/** What all hooks together say at one place. `denied`: the first that does. */
export interface HooksSaid {
  readonly notes: readonly { readonly plugin: string; readonly text: string }[];
  readonly denied?: { readonly plugin: string; readonly reason: string };
}
/** The hooks of an agent; the points and what is told there: `HookPoint` and `HookEvent` of hooks/hook-plugin.ts. */
export interface Hooks {
  /** Whether anybody stands there: else nothing is made for them. */
  has(point: string): boolean;
  /** @param audience Who reads the conversation: what hooks say is for the owner alone. Never throws. */
  ask(event: JsonObject, audience: string | undefined): Promise<HooksSaid>;
}
