/** The ReAct loop as a pure function: what a session needs next, from durable state alone. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { CallId, Millis } from "../contract/base.ts";
import type { CallState, SessionState, TurnState, Waiting } from "../contract/session.ts";
import { sameAddress } from "../lib/session-key.ts";
import { isDue } from "../context/due.ts";
import { isFetching } from "../lib/text.ts";
import { isResult, openingOf, placeable } from "./placement.ts";
import { callLimit, planCalls } from "./plan-calls.ts";
import type { PlanInput, Step } from "./step.ts";

/** Tokens kept free for the wire's own overhead. */
const RESERVE_TOKENS = 1024;
const MAX_CONTINUATIONS = 3;
const MAX_EMPTY = 3;
const REPEATS = 3;
const QUOTED_CHARS = 64;
/** Without results there is nothing between the model's last words and its next: two answers in a row are illegal. */
const NOT_RUN = "A tool call in your last answer was not run, and no more can be made now. Answer with what you know.";

export function plan(state: SessionState, { settings, size, behind }: PlanInput, now: Millis): Step {
  const { turn } = state;
  if (turn === undefined) return open(state, settings, behind);
  return (
    planCalls(turn, settings, now) ??
    planEnd(turn, settings) ??
    planRequest(state, turn, { settings, size, behind }, now) ?? { do: "end", reason: "done" }
  );
}

function open(state: SessionState, settings: AgentSettings, behind: boolean): Step {
  const first = state.pending[0];
  if (first === undefined) return { do: "rest" };
  // Beside the lane the answer comes while a turn runs; the new epoch opens at the next one.
  const { answered } = state;
  const ready = (answered?.written === true && answered.epoch === state.epoch) || (!behind && isDue(state, settings));
  if (ready) return { do: "compact", because: "rows" };
  if (isResult(first) && state.parent === undefined && (state.chain ?? 0) >= settings.maxUnattended) {
    const asked = state.pending.some((item) => !isResult(item));
    return { do: "deliver", results: state.pending.filter(isResult), ...(!asked && { to: first.replyTo }) };
  }
  return isFetching(first) ? { do: "rest" } : { do: "start", first };
}

function planEnd(turn: TurnState, settings: AgentSettings): Step | undefined {
  if (turn.cancelled) return { do: "end", reason: "cancelled" };
  if (turn.error !== undefined && turn.retryAt === undefined && !recoverable(turn))
    return { do: "end", reason: "failed", error: turn.error };
  if (!turn.responded) return undefined;
  const limit = callLimit(settings);
  if (turn.summarized)
    return { do: "end", reason: "limit", limit: turn.executed >= limit ? limit : settings.maxIterations };
  if (turn.finish === "refusal")
    return {
      do: "end",
      reason: "failed",
      error: { code: "model.refused", message: "The model refused to answer.", retryable: false },
    };
  if (turn.finish === "cut")
    return {
      do: "end",
      reason: "failed",
      error: {
        code: "provider.truncated",
        message: "The connection to the model broke in the middle of the answer.",
        retryable: true,
      },
    };
  const worked = turn.calls.length > 0;
  if (worked && turn.executed >= limit) return atLimit(turn, settings, limit);
  if (turn.steps >= settings.maxIterations && (worked || turn.dropped !== undefined))
    return atLimit(turn, settings, settings.maxIterations);
  if (turn.empty >= MAX_EMPTY)
    return {
      do: "end",
      reason: "failed",
      error: { code: "model.empty", message: "The model answered nothing.", retryable: true },
    };
  return undefined;
}

function atLimit(turn: TurnState, settings: AgentSettings, limit: number): Step | undefined {
  if (settings.limitSummary && !turn.summarized) return undefined; // one closing request, see planRequest
  return { do: "end", reason: "limit", limit };
}

/** A failure that a smaller or different prompt may cure, once each. */
function recoverable(turn: TurnState): boolean {
  return (
    (turn.error?.code === "provider.context-length" && turn.compactions < 2) ||
    (turn.error?.code === "provider.media-rejected" && turn.compactions < 2)
  );
}

function planRequest(
  state: SessionState,
  turn: TurnState,
  { settings, size }: PlanInput,
  now: Millis,
): Step | undefined {
  const request = (
    rest: Partial<Pick<Extract<Step, { do: "request" }>, "notices" | "tools" | "closing">> & {
      readonly place?: readonly Waiting[];
    } = {},
  ): Step => {
    const budget = Math.floor((settings.contextWindow - settings.maxTokens - RESERVE_TOKENS) * settings.tokenTrigger);
    // One compaction may not be enough to please a provider, but a second one in a row has nothing left to take.
    if (turn.compactions === 0 && size(state) > budget && hasHistory(state))
      return { do: "compact", because: "tokens" };
    return {
      do: "request",
      attempt: turn.attempt + 1,
      place: (rest.place ?? []).map((item) => item.message.id),
      notices: rest.notices ?? [],
      tools: rest.tools ?? true,
      closing: rest.closing ?? false,
    };
  };

  if (!turn.responded) {
    if (turn.error?.code === "provider.context-length") return { do: "compact", because: "refused" };
    if (turn.error?.code === "provider.media-rejected") return { do: "compact", because: "media" };
    if (turn.attempt >= settings.requestAttempts)
      return {
        do: "end",
        reason: "failed",
        error: turn.error ?? {
          code: "model.attempts",
          message: `The model did not answer in ${turn.attempt} attempts.`,
          retryable: false,
        },
      };
    if (turn.retryAt !== undefined && turn.retryAt > now) return { do: "sleep", until: turn.retryAt };
    // An interrupted request repeats itself: what it placed is in the context already.
    const place = openingOf(state).length > 0 ? placeable(state, settings, true) : [];
    return request({ place, tools: turn.tools });
  }

  const steering = placeable(state, settings, false);
  if (turn.calls.length > 0 || turn.dropped !== undefined) {
    const full = turn.steps >= settings.maxIterations || turn.executed >= callLimit(settings);
    if (full) return request({ tools: false, closing: true, notices: turn.calls.length > 0 ? [] : [NOT_RUN] });
    return request({ place: steering, notices: afterTools(turn, settings), tools: turn.nameless < 2 });
  }
  if (turn.empty > 0) {
    if (saidAlready(turn)) return undefined;
    return request({ place: steering, tools: turn.empty < MAX_EMPTY - 1 });
  }
  if (turn.steps >= settings.maxIterations) return undefined;
  if (turn.finish === "length" && turn.continued <= MAX_CONTINUATIONS && turn.sampling?.maxOutputTokens === undefined)
    return request({
      notices: [
        `Your answer was cut off at the output limit. Go on exactly where it stopped, without repeating anything. It ended with: "${(turn.texts.at(-1) ?? "").slice(-QUOTED_CHARS)}"`,
      ],
    });
  // A text without calls is an answer and leaves: what waits opens the next turn.
  return undefined;
}

/** A turn that only used `message` ends without a second reply. */
function saidAlready(turn: TurnState): boolean {
  return turn.sent.some((item) => sameAddress(item.to, turn.replyTo));
}

function afterTools(turn: TurnState, settings: AgentSettings): readonly string[] {
  const notices: string[] = [];
  if (turn.dropped === "unfinished")
    notices.push(
      "A tool call in your last answer was cut off before it was complete and was not run. Send it again, in smaller pieces if it was long.",
    );
  if (turn.dropped === "nameless")
    notices.push("A tool call in your last answer had no name and was not run. Name one of the offered tools.");
  if (turn.dropped === "too-many")
    notices.push(
      "Your last answer held more tool calls than are run at once; the later ones were not run. Send them again if you need them.",
    );
  if (turn.repeats.count >= REPEATS && turn.repeats.count % REPEATS === 0)
    notices.push(
      `The same call gave the same result ${turn.repeats.count} times in a row. Repeating it will not help: try something else or answer.`,
    );
  if (settings.reflection && turn.calls.length > 0) notices.push("Reflect on the results and decide next steps.");
  return notices;
}

/** Whether a compaction could take anything away: something lies before the current message. */
function hasHistory(state: SessionState): boolean {
  let said = 0;
  return state.messages.some(({ role }) => (role === "user" || role === "assistant") && ++said > 1);
}

/** The asked call of a session, by id. */
export function askedCall(state: SessionState, id: CallId): Extract<CallState, { status: "asked" }> | undefined {
  const item = state.turn?.calls.find((each) => each.call.callId === id);
  return item?.status === "asked" ? item : undefined;
}
