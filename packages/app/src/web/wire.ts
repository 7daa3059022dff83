/** What the gateway's documents and frames look like; the server's own types where it has them. */
import type { Item } from "@margay/core/state";
import type { Address, LiveEvent, TurnView, WireRecord } from "@margay/core/internal/state";
import type { z } from "zod";
import type { BlobSchema, PartialSchema } from "../protocol/items.ts";
import type { SentSchema } from "../protocol/messages.ts";
import type { HitSchema } from "../protocol/search.ts";
import type { ContextSchema, SessionDetailSchema, SessionSummarySchema, StoppedSchema } from "../protocol/sessions.ts";
import type { PersonLogin } from "./auth.ts";
import type { ProblemDocument } from "./api.ts";

export type SessionSummary = z.infer<typeof SessionSummarySchema>;
export interface SessionDetail extends Omit<z.infer<typeof SessionDetailSchema>, "turn"> {
  /** As the fold has it. */
  readonly turn?: TurnView;
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

export type BlobRef = z.infer<typeof BlobSchema>;
/** A place in a conversation: what a search gives that leaves the memory out. */
export type SearchHit = {
  readonly [Name in keyof z.infer<typeof HitSchema>]: NonNullable<z.infer<typeof HitSchema>[Name]>;
};
export type SendResult = z.infer<typeof SentSchema>;
export type StopResult = z.infer<typeof StoppedSchema>;

export type PartialFrame = z.infer<typeof PartialSchema> & { readonly session: string };

export type ServerFrame =
  | {
      readonly type: "welcome";
      readonly build: string;
      readonly now: number;
      readonly person?: PersonLogin;
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
  return !["web", "cli", "direct", "subagent", "import", ""].includes(origin.channel);
}
