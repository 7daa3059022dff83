/** What the gateway's documents and frames look like (G§7, G§9); the server's own types where it has them. */
import type { Address, ContentPart, Item, LiveEvent, ModelRef, TurnView, Usage, WireRecord } from "@margay/core/state";
import type { z } from "zod";
import type { ContextSchema } from "../../app/src/gateway/schema/sessions.ts";
import type { ProblemDocument } from "./api.ts";

export interface SessionSummary {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly channel: string;
  readonly chat: string;
  readonly peer?: string;
  readonly source: "web" | "cli" | "channel" | "api" | "cron" | "heartbeat" | "greeting" | "hook" | "subagent";
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastSeq: number;
  readonly messages: number;
  readonly state: "idle" | "running" | "waiting" | "failed";
  readonly approvals: number;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly trashedAt?: number;
  readonly forkedFrom?: { readonly session: string; readonly seq: number };
  readonly parent?: { readonly session: string; readonly call: string };
  readonly model: ModelRef;
  readonly persona?: string;
  readonly preview: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export interface SessionDetail extends SessionSummary {
  readonly hash: string;
  readonly overrides: { readonly model?: ModelRef; readonly persona?: string };
  readonly turn?: TurnView;
  readonly branches: readonly {
    readonly session: string;
    readonly title: string;
    readonly seq: number;
    readonly updatedAt: number;
  }[];
  readonly context: { readonly tokens: number; readonly window: number; readonly cachedTokens: number };
}

/** What the context of a session holds now, in tokens. */
export type ContextReport = z.infer<typeof ContextSchema>;

export interface Page<Row> {
  readonly items: readonly Row[];
  readonly next: string | null;
  readonly prev?: string | null;
}

/** A part of a message on its way to the gateway. */
export type OutgoingPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly blob: BlobRef; readonly mediaType: string; readonly name: string };

export interface BlobRef {
  readonly sha256: string;
  readonly bytes: number;
}

export interface SearchHit {
  readonly session: string;
  readonly title: string;
  readonly item: string;
  readonly at: number;
  readonly role: string;
  readonly snippet: string;
  readonly ranges: readonly (readonly [number, number])[];
}

export interface SendResult {
  readonly status: "accepted" | "duplicate";
  readonly session: string;
  readonly seq: number;
  /** `null`: a command, answered outside of the conversation. */
  readonly messageId: string | null;
}

export interface StopResult {
  readonly turn: string | null;
  readonly subagents: number;
  readonly processes: number;
  readonly discarded: readonly {
    readonly messageId: string;
    readonly key: string;
    readonly parts: readonly ContentPart[];
  }[];
}

export interface PartialFrame {
  readonly session: string;
  readonly turn: string;
  readonly parts: readonly { readonly index: number; readonly kind: "text" | "thinking"; readonly text: string }[];
  readonly calls: readonly {
    readonly call: string;
    readonly name: string;
    readonly argsText: string;
    readonly output?: string;
  }[];
}

export type ServerFrame =
  | {
      readonly type: "welcome";
      readonly build: string;
      readonly now: number;
      readonly scope: string | readonly string[];
    }
  | { readonly type: "reply"; readonly id: string; readonly result: unknown }
  | { readonly type: "error"; readonly id: string | null; readonly error: ProblemDocument }
  | { readonly type: "pong"; readonly id: string; readonly t: number; readonly now: number }
  | {
      readonly type: "snapshot";
      readonly session: string;
      readonly seq: number;
      readonly detail: SessionDetail;
      readonly items: readonly Item[];
      readonly more: boolean;
    }
  | {
      readonly type: "commit";
      readonly session: string;
      readonly seq: number;
      readonly at: number;
      readonly records: readonly WireRecord[];
    }
  | ({ readonly type: "partial" } & PartialFrame)
  | { readonly type: "live"; readonly session: string; readonly turn: string; readonly events: readonly LiveEvent[] }
  | { readonly type: "topic"; readonly topic: string; readonly data: unknown }
  | { readonly type: "goodbye"; readonly reason: string; readonly retryAfterMs?: number };

/** "telegram" for a chat of Telegram; `web` needs no mark. */
export function isForeign(origin: Address): boolean {
  return !["web", "cli", "direct", "subagent", ""].includes(origin.channel);
}
