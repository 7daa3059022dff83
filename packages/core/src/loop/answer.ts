/** What came of a model request: the message, the part of it that was read, or the failure. Its record is made here. Pure. */
import type { Millis } from "../contract/base.ts";
import type { AssistantMessage, AssistantPart, ModelRef, Usage } from "../contract/message.ts";
import type { ErrorInfo, JournalRecord } from "../contract/record.ts";
import type { SessionState, TurnState } from "../contract/session.ts";
import { withoutSecrets } from "../lib/errors/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { marksOf } from "../lib/labels.ts";
import { NO_USAGE } from "../lib/usage.ts";
import type { LiveAnswer } from "./clean-answer.ts";
import type { ModelDeps } from "./deps.ts";
import { inTurn } from "./tool-result.ts";

export type Answer =
  | { readonly ok: true; readonly message: AssistantMessage; readonly dropped?: NonNullable<TurnState["dropped"]> }
  /** `usage`: what it produced before it failed is paid for. */
  | { readonly ok: false; readonly error: ErrorInfo; readonly usage?: Usage };

/** What has come of an answer so far. */
export interface Heard {
  readonly live: LiveAnswer;
  readonly parts: AssistantPart[];
  shown: string;
  producedChars: number;
}

/** @param leftMs How long a person waits for the first words from now on. */
export function outcomeOf(
  state: SessionState,
  answer: Answer,
  { attempt, attempts, leftMs }: { readonly attempt: number; readonly attempts: number; readonly leftMs: () => Millis },
  deps: ModelDeps,
): JournalRecord {
  const turn = inTurn(state).id;
  if (answer.ok)
    return {
      type: "model.responded",
      turn,
      // What was written with something in view that nobody vouches for is no better than that.
      message: { ...withoutKeys(answer.message, deps), ...marksOf(state.label) },
      ...(answer.dropped !== undefined && { dropped: answer.dropped }),
    };
  const error = withoutSecrets(answer.error, deps.redact);
  deps.log.warn("model.failed", { session: state.id, code: error.code, attempt, message: error.message });
  const delay = retryDelay(error, attempt, deps);
  // Who waits for the first words hears of a failure rather than of nothing.
  const again = error.retryable && attempts > 0 && delay < leftMs();
  return {
    type: "model.failed",
    turn,
    error,
    ...(answer.usage !== undefined && { usage: answer.usage }),
    ...(again && { retryAt: deps.clock.now() + delay }),
  };
}

export function messageOf(
  rest: Pick<AssistantMessage, "parts" | "finish" | "usage">,
  model: ModelRef,
  { clock }: ModelDeps,
): AssistantMessage {
  return { role: "assistant", at: clock.now(), model, ...rest };
}

export function failed(error: ErrorInfo, heard: Heard, turn: TurnState, model: ModelRef, deps: ModelDeps): Answer {
  const { producedChars } = heard;
  return { ok: false, error, ...(producedChars > 0 && { usage: estimatedUsage(producedChars, turn, model, deps) }) };
}

export function partial(
  finish: "cancelled" | "cut",
  { shown }: Heard,
  turn: TurnState,
  model: ModelRef,
  deps: ModelDeps,
): Answer {
  const parts = [{ type: "text" as const, text: deps.redact(shown) }];
  const usage = estimatedUsage(shown.length, turn, model, deps);
  return { ok: true, message: messageOf({ parts, finish, usage }, model, deps) };
}

function estimatedUsage(outputChars: number, { estimated }: TurnState, model: ModelRef, { costOf }: ModelDeps): Usage {
  const usage = { ...NO_USAGE, input: estimated, output: Math.ceil(outputChars / 4), estimated: true };
  const costUsd = costOf(model, usage);
  return costUsd === undefined ? usage : { ...usage, costUsd };
}

export function usageOf(answer: Answer | undefined): Usage {
  return (answer?.ok === true ? answer.message.usage : answer?.usage) ?? NO_USAGE;
}

/** A model may repeat a key that a page, a file or its vendor has shown it. */
function withoutKeys(message: AssistantMessage, { redact }: ModelDeps): AssistantMessage {
  const parts = message.parts.map((part) => (part.type === "text" ? { ...part, text: redact(part.text) } : part));
  return { ...message, parts };
}

/** What the provider asked for, else full jitter over 1 s · 2^(attempt−1), at most 60 s. @see AWS, "Exponential Backoff And Jitter" */
function retryDelay({ details }: { readonly details?: unknown }, attempt: number, { random }: ModelDeps): Millis {
  const asked = isRecord(details) ? details["retryAfterMs"] : undefined;
  if (typeof asked === "number") return asked;
  return Math.ceil(random() * Math.min(60_000, 1000 * 2 ** (attempt - 1)));
}
