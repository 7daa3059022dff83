/** From what a tool gave to its record, whoever ran it and whenever: what the model gets of it is decided here alone. Pure. */
import type { Millis } from "../contract/base.ts";
import type { ToolCallPart, ToolMessage } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { SessionState, TurnState } from "../contract/session.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { neutral } from "../lib/neutral.ts";
import { mapStrings } from "../lib/secrets/redact.ts";
import type { Result } from "../tools/invoke.ts";
import type { ToolDeps } from "./deps.ts";

type Finished = Extract<JournalRecord, { type: "tool.finished" }>;

export interface Execution {
  readonly durationMs: number;
  readonly attempts: number;
}
export const NOT_EXECUTED: Execution = { durationMs: 0, attempts: 0 };

/** The turn that a step of it belongs to. */
export function inTurn({ turn }: SessionState): TurnState {
  if (turn === undefined) throw new RuntimeError("internal.bug", "A tool call was handled outside of a turn.");
  return turn;
}

/** Without secrets, and without what a stranger's text could be taken for. */
export function cleanResult(result: Result, redact: ToolDeps["redact"]): Result {
  const clean = (text: string): string => redact(result.integrity === "untrusted" ? neutral(text) : text);
  return {
    ...result,
    parts: result.parts.map((part) =>
      part.type === "text" ? { type: "text" as const, text: clean(part.text) } : part,
    ),
    ...(result.details !== undefined && { details: mapStrings(result.details, redact) }),
  };
}

/** Whether a stranger's text stays out of a run that nobody attends. */
export function isKeptOut(
  { attended, speaker }: TurnState,
  { name }: ToolCallPart,
  { integrity }: Result,
  { settings, extraction: { tool } }: Pick<ToolDeps, "settings" | "extraction">,
): boolean {
  const isAlone = !attended || speaker !== undefined; // who is asked for a group is not in it
  return settings.strictUnattended && isAlone && integrity === "untrusted" && name !== tool;
}

export function toolFinished(
  turn: TurnState,
  call: ToolCallPart,
  { status, parts, details, integrity, confidentiality, readers }: Result,
  { durationMs, attempts }: Execution,
  at: Millis,
): Finished {
  const message: ToolMessage = {
    role: "tool",
    at,
    callId: call.callId,
    name: call.name,
    parts,
    status,
    ...(integrity !== undefined && { integrity }),
    ...(confidentiality !== undefined && { confidentiality }),
    ...(readers !== undefined && { readers }),
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
