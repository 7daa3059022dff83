/** From what a tool gave to its record, whoever ran it and whenever: what the model gets of it is decided here alone. */
import type { Clock } from "../contract/base.ts";
import type { ContentPart, ToolCallPart, ToolMessage, ToolStatus } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session } from "../contract/session.ts";
import { neutral } from "../lib/neutral.ts";
import { mapStrings } from "../lib/secrets/redact.ts";
import type { LoopDeps } from "./deps.ts";
import { inTurn } from "./in-turn.ts";

type Finished = Extract<JournalRecord, { type: "tool.finished" }>;

export interface Result {
  readonly status: ToolStatus;
  readonly parts: readonly ContentPart[];
  readonly details?: Finished["details"];
  readonly integrity?: "untrusted";
  readonly confidentiality?: "personal" | "sensitive";
}
export interface Execution {
  readonly durationMs: number;
  readonly attempts: number;
}
export const NOT_EXECUTED: Execution = { durationMs: 0, attempts: 0 };
export type ResultDeps = Pick<LoopDeps, "redact" | "extraction" | "settings"> & { readonly clock: Pick<Clock, "now"> };

export async function toolFinished(
  session: Session,
  call: ToolCallPart,
  result: Result,
  { durationMs, attempts }: Execution,
  deps: ResultDeps,
): Promise<Finished> {
  const turn = inTurn(session);
  const isUntrusted = result.integrity === "untrusted";
  const isKept = deps.settings.strictUnattended && !turn.attended && isUntrusted && call.name !== deps.extraction.tool;
  const clean = (text: string): string => deps.redact(isUntrusted ? neutral(text) : text);
  const parts = result.parts.map((part) =>
    part.type === "text" ? { type: "text" as const, text: clean(part.text) } : part,
  );
  const kept = isKept ? await deps.extraction.keepAside(call, parts) : undefined;
  const { integrity, confidentiality } = result;
  const details = kept?.details ?? (result.details && mapStrings(result.details, deps.redact));
  const message: ToolMessage = {
    role: "tool",
    at: deps.clock.now(),
    callId: call.callId,
    name: call.name,
    parts: kept?.parts ?? parts,
    status: result.status,
    // What stands in place of a text that is kept aside is our own.
    ...(integrity !== undefined && !isKept && { integrity }),
    ...(confidentiality !== undefined && !isKept && { confidentiality }),
  };
  return {
    type: "tool.finished",
    turn: turn.id,
    message,
    durationMs: Math.round(durationMs),
    attempts,
    ...(details !== undefined && { details }),
  };
}
