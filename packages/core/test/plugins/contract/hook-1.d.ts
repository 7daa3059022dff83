// hook/1 as it was frozen on 29 November 2026 (decision 0077), without its words: packages/core/src/hooks/hook-plugin.ts has them.
// Never edited. What comes later is in the contract itself, as long as this fits (plugins-1.test.ts).
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
interface Address {
  readonly channel: string;
  readonly chat: string;
  readonly thread?: string;
}
export type HookPoint = "turn.start" | "call.before" | "call.after" | "turn.end" | "message.in" | "reply.out";
export type HookAnswer = undefined | { readonly note: string } | { readonly deny: true; readonly reason: string };
export interface HookEvent {
  readonly point: HookPoint;
  readonly session: string;
  readonly turn?: string;
  readonly origin: Address;
  readonly record: Json;
}
export interface HookPlugin {
  readonly contract: "hook/1";
  readonly name: string;
  readonly on: { readonly [Point in HookPoint]?: (event: HookEvent) => HookAnswer | Promise<HookAnswer> };
}
