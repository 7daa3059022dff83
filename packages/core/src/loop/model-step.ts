/** One model request: the budget, the intent, the stream shown live, its outcome as data. What a person has read is never thrown away. */
import type { Millis } from "../contract/base.ts";
import type { ModelRef, NoticeMessage, Usage } from "../contract/message.ts";
import type { ModelRequest, Patience, Prefix, Sampling } from "../contract/provider.ts";
import type { ErrorInfo, JournalRecord } from "../contract/record.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { modelOf } from "../context/window.ts";
import { heardBefore } from "../lib/async/heard-before.ts";
import { RuntimeError, toErrorInfo } from "../lib/errors/errors.ts";
import { reduce } from "../session/reduce.ts";
import { notesBeforeRequest } from "../hooks/hooks.ts";
import { failed, messageOf, outcomeOf, partial, usageOf, type Answer, type Heard } from "./answer.ts";
import { cleanPart, createLiveAnswer } from "./clean-answer.ts";
import type { ModelDeps } from "./deps.ts";
import type { Step } from "./step.ts";
import { isShare } from "./spending/budget.ts";
import { inTurn } from "./tool-result.ts";
import type { Wait } from "./waiting/first-words.ts";
import { isAnswering, isHeard, silence, waitOf } from "./waiting/waiting.ts";

type RequestStep = Extract<Step, { do: "request" }>;
/** Of the moment a conversation began, in base 36: comes again after 17 hours. */
const LIFE_CHARS = 5;

/** @returns why no budget has room for it; nothing was asked then. @throws `signal.reason`, unless a person has stopped it and has read something. */
export async function request(
  step: RequestStep,
  session: Session,
  deps: ModelDeps,
  signal: AbortSignal,
): Promise<ErrorInfo | undefined> {
  const { state } = session;
  if (state.turn === undefined) return undefined;
  const model = modelOf(state, deps.model);
  const placed = state.pending.filter((item) => step.place.includes(item.message.id)).map((item) => item.message);
  const before = placed.length === 0 ? [] : ((await deps.context.before?.(state, placed, signal)) ?? []);
  const notes = deps.hooks === undefined ? [] : await notesBeforeRequest(deps, state, placed);
  const intent = intentOf(step, state, model, before, notes, deps);
  const booked = intent.estimated + deps.settings.maxTokens;
  const most: Usage = { input: intent.estimated, output: deps.settings.maxTokens, cacheRead: 0, cacheWrite: 0 };
  const usd = deps.costOf(model, most);
  const exceeded = await deps.budget.reserve(state, booked, { isFree: deps.isFree(model), usd });
  if (exceeded !== undefined)
    return {
      code: "budget.exhausted",
      message: `The ${exceeded.budget.scope} budget is used up (${exceeded.used} tokens).`,
      retryable: false,
      details: {
        scope: exceeded.budget.scope,
        ...(isShare(exceeded.budget) && { share: deps.budget.wasTold(state, exceeded.budget) ? "told" : "used up" }),
      },
    };
  const attempts = deps.settings.requestAttempts - step.attempt;
  let answer: Answer | undefined;
  try {
    // Taken back or changed meanwhile: what is to be done now is another thing.
    const waits = new Set(session.state.pending.map(({ message }) => message));
    if (placed.length < step.place.length || placed.some((message) => !waits.has(message))) return undefined;
    await session.record(...intent.records);
    answer = await ask(session, deps, model, step.tools, { attempts }, signal);
  } finally {
    deps.budget.settle(session.state, booked, usageOf(answer));
  }
  const leftMs = (): Millis => waitOf(session, deps)?.left() ?? Infinity;
  await session.record(outcomeOf(session.state, answer, { attempt: step.attempt, attempts, leftMs }, deps));
  return undefined;
}

/** What is placed before the model now, as records, and how large the prompt is with it. */
function intentOf(
  step: RequestStep,
  state: SessionState,
  model: ModelRef,
  before: readonly NoticeMessage[],
  notes: readonly JournalRecord[],
  deps: ModelDeps,
): { readonly records: readonly JournalRecord[]; readonly estimated: number } {
  const now = deps.clock.now();
  const placement: JournalRecord = {
    type: "model.requested",
    turn: inTurn(state).id,
    attempt: step.attempt,
    model,
    placed: step.place,
    promptHash: "",
    estimated: 0,
    tools: step.tools,
    ...(step.closing && { closing: true }),
  };
  const notices = [...step.notices.map((text) => notice(now, text)), ...before].map((added): JournalRecord => ({
    type: "notice.added",
    notice: added,
  }));
  const next = [...notes, ...notices, placement].reduce((folded, record) => reduce(folded, record, now), state);
  const estimated = deps.size(next);
  return { records: [...notes, ...notices, { ...placement, promptHash: deps.promptHash(next), estimated }], estimated };
}

/** @throws `signal.reason` when aborted before anything was shown, or because the process is stopping. */
async function ask(
  session: Session,
  deps: ModelDeps,
  model: ModelRef,
  tools: boolean,
  again: Pick<Patience, "attempts">,
  signal: AbortSignal,
): Promise<Answer> {
  const { prefix } = session.state;
  const turn = inTurn(session.state);
  if (prefix === undefined) throw new RuntimeError("internal.bug", "A model was asked outside of a turn.");
  const heard: Heard = {
    live: createLiveAnswer(session, turn.id, deps.secrets),
    parts: [],
    shown: "",
    producedChars: 0,
  };
  const wait = waitOf(session, deps);
  try {
    const body = requestOf({ ...session.state, prefix }, deps, model, tools, {
      ...again,
      ...(wait !== undefined && { firstMs: wait.left() }),
    });
    return await hear(heard, session, deps, model, { body, wait }, signal);
  } catch (error) {
    if (signal.aborted) {
      // Stopped by a person: what they read stays. A stopping process asks again after its restart.
      heard.live.end();
      if (heard.shown !== "" && isStop(signal.reason)) return partial("cancelled", heard, turn, model, deps);
      throw signal.reason;
    }
    const late = wait !== undefined && error === wait.late.reason;
    const info = toErrorInfo(late ? silence(`${model.provider}/${model.model}`, wait, deps.clock) : error);
    if (wait !== undefined) wait.fault = info;
    if (heard.shown.trim() === "") return failed(info, heard, turn, model, deps);
    // After text was shown only a timeout is repeated, and then visibly from the start; where nobody reads along
    // (a job, a subagent), whatever may pass is. Who streams to a program has handed it on already.
    if (info.code === "provider.timeout" || (!turn.attended && !turn.steerable && info.retryable)) {
      session.publish({ type: "text.restarted", turn: turn.id });
      return failed(info, heard, turn, model, deps);
    }
    heard.live.end();
    return partial("cut", heard, turn, model, deps);
  }
}

function requestOf(
  state: SessionState & { readonly prefix: Prefix },
  deps: ModelDeps,
  model: ModelRef,
  tools: boolean,
  patience: Omit<Patience, "empty">,
): ModelRequest {
  const { prefix, seq } = state;
  const turn = inTurn(state);
  const asked = turn.sampling ?? {};
  const temperature = asked.temperature ?? deps.settings.temperature;
  const sampling: Sampling = {
    maxOutputTokens: asked.maxOutputTokens ?? deps.settings.maxTokens,
    thinking: asked.thinking ?? deps.settings.thinking,
    toolChoice: tools ? ((turn.steps === 0 ? asked.toolChoice : undefined) ?? "auto") : "none",
    ...(temperature !== null && { temperature }),
  };
  return {
    id: requestId(state, seq),
    model: model.model,
    prefix,
    messages: deps.context.project(state),
    sampling,
    cacheKey: state.id,
    media: (ref) => deps.blobs.read(ref),
    patience: { ...patience, empty: turn.empty },
  };
}

/** Shows what comes as it comes. */
async function hear(
  heard: Heard,
  session: Session,
  deps: ModelDeps,
  model: ModelRef,
  { body, wait }: { readonly body: ModelRequest; readonly wait: Wait | undefined },
  signal: AbortSignal,
): Promise<Answer> {
  const events = heardBefore({
    open: (own) => deps.provider(model).stream(body, own),
    isHeard,
    late: wait?.late,
    signal,
  });
  for await (const event of events) {
    if (isAnswering(event)) deps.firstWords.over(session.state.key);
    if ("text" in event) heard.producedChars += event.text.length;
    switch (event.type) {
      case "text.delta":
        heard.shown += event.text;
        heard.live.push(event);
        break;
      case "thinking.delta":
      case "tool-call.delta":
        heard.live.push(event);
        break;
      case "part":
        heard.live.end();
        heard.parts.push(cleanPart(event.part, deps));
        break;
      case "done":
        heard.live.end();
        return {
          ok: true,
          message: {
            ...messageOf({ parts: heard.parts, finish: event.finish, usage: event.usage }, model, deps),
            ...(event.model !== undefined && { model: refOf(event.model) }), // a fallback answered
          },
          ...(event.dropped !== undefined && { dropped: event.dropped }),
        };
    }
  }
  throw new RuntimeError("provider.truncated", "The model's stream ended before it was done.", { retryable: true });
}

/** `provider/model`; the model's own name may hold slashes. */
function refOf(name: string): ModelRef {
  const at = name.indexOf("/");
  return { provider: name.slice(0, at), model: name.slice(at + 1) };
}

function isStop(reason: unknown): boolean {
  return reason instanceof RuntimeError && reason.code === "turn.cancelled";
}

/** A conversation that is begun again under its key counts anew, and its calls must not be taken for those of the one before. */
function requestId({ createdAt }: SessionState, seq: number): string {
  return `r${seq}-${createdAt.toString(36).slice(-LIFE_CHARS)}`;
}

/** A word of the runtime to the model. */
export function notice(at: Millis, text: string): NoticeMessage {
  return { role: "notice", at, kind: "runtime", text };
}
