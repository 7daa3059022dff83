/** drive(): the heart. Performs what plan() wants, one effect between two commits, until the session is idle or waits. */
import type { Millis, TurnId } from "../contract/base.ts";
import type { AssistantMessage, NoticeMessage, Usage } from "../contract/message.ts";
import type { FreezeCause, JournalRecord } from "../contract/record.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { clientSpecs } from "../context/client-specs.ts";
import { keepAll } from "../context/compact.ts";
import { marksOf } from "../lib/labels.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { isUnfinished } from "../session/left-to-do.ts";
import { reduce } from "../session/reduce.ts";
import { withoutSecrets } from "../lib/errors/errors.ts";
import { judge, run, settle, settleFromReceipt } from "./tool-step.ts";
import { inWindowOf, modelOf } from "../context/window.ts";
import type { LoopDeps } from "./deps.ts";
import { deliverResults } from "./delivery/deliver-results.ts";
import { endTurn } from "./endings.ts";
import { isDue } from "../context/due.ts";
import { hurried, waitOf } from "./waiting/waiting.ts";
import { endWork } from "./lanes/end-work.ts";
import { plan } from "./plan.ts";
import { request, type Answer } from "./model-step.ts";
import type { Step } from "./step.ts";

/** `until`: nothing to do before that time, and no slot is held meanwhile. */
export type Rested = { readonly until?: Millis };

/**
 * Runs until the session is idle or has to wait. Starting it on a half-finished journal is how a turn resumes: there is
 * no other resume code.
 *
 * @param current What to work with; stays the same within a turn.
 * @throws `signal.reason` when aborted; RuntimeError `journal.failed` or `session.fenced` when the session is lost.
 */
export async function drive(session: Session, current: () => LoopDeps, signal: AbortSignal): Promise<Rested> {
  for (let begun = false; ; begun = true) {
    signal.throwIfAborted();
    const given = current();
    const deps = inWindowOf(given, modelOf(session.state, given.model));
    if (deps.stopped()) await endWork(session);
    const step = plan(session.state, deps, deps.clock.now());
    if (step.do === "rest") return {};
    if (step.do === "wait" || step.do === "sleep") return { until: step.until };
    if (!begun) await deps.toolsReady?.(signal);
    await perform(step, session, deps, signal);
  }
}

type Action = Exclude<Step, { do: "rest" | "wait" | "sleep" }>;

async function perform(step: Action, session: Session, deps: LoopDeps, signal: AbortSignal): Promise<void> {
  switch (step.do) {
    case "start":
      return startTurn(step, session, deps, signal);
    case "deliver":
      return deliverResults(step, session, deps);
    case "compact":
      return deps.compact(step.because, session, hurried(session, deps), modelOf(session.state, deps.model), signal);
    case "judge":
      return judge(session, step.calls, deps);
    case "invoke":
      return run(session, step.calls, deps, signal);
    case "recover":
      return settleFromReceipt(session, step.call, deps, signal);
    case "settle":
      return settle(session, step.calls, deps);
    case "request":
      return ask(step, session, deps, signal);
    case "end":
      return endTurn(step, session, deps);
  }
}

/** Opens an epoch when there is a reason, adds what changed since, opens the turn: one commit. */
async function startTurn(
  step: Extract<Step, { do: "start" }>,
  session: Session,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<void> {
  const { state } = session;
  const records: JournalRecord[] = [];
  const because = newEpoch(state, deps);
  if (because !== undefined) {
    const { kept } = keepAll(state, deps.settings);
    if (kept.length > 0) records.push({ type: "history.compacted", rows: 0, kept, usage: NO_USAGE, fallback: false });
    records.push({
      type: "prefix.frozen",
      prefix: await deps.context.freeze(state, signal),
      because,
      model: modelOf(state, deps.model),
    });
  }
  const now = deps.clock.now();
  const turn = deps.ids.next("turn") as TurnId; // minted here
  deps.stopwatch.start(turn);
  const withPrefix = records.reduce((next, record) => reduce(next, record, now), state);
  if (state.unanswered !== undefined)
    records.push(
      notice(
        now,
        "The previous message was not answered: the model failed. Do not answer it unless it is asked for again.",
      ),
    );
  for (const added of await deps.context.notices(withPrefix, signal))
    records.push({ type: "notice.added", notice: added });
  records.push({
    type: "turn.started",
    turn,
    replyTo: step.first.replyTo,
    attended: step.first.attended,
    message: step.first.message.id,
  });
  signal.throwIfAborted(); // stopped meanwhile: what opens a turn may be withdrawn
  const due = deps.memory !== undefined && (isUnfinished(state) || (deps.behind && isDue(state, deps.settings)));
  await session.record(...records);
  if (due) deps.consolidations.wake(state.key);
}

/** Nothing else opens an epoch (compaction does so in its own commit). */
function newEpoch(state: SessionState, deps: LoopDeps): FreezeCause | undefined {
  if (state.prefix === undefined) return "opened";
  if (state.stale !== undefined) return state.stale;
  const model = modelOf(state, deps.model);
  if (state.frozenFor?.provider !== model.provider || state.frozenFor.model !== model.model) return "model";
  const own = deps.tools.list();
  const client = clientSpecs(state, own);
  const frozen = state.prefix.tools.map((tool) => tool.name).join("\n");
  const offered = [...own, ...client].map((tool) => tool.name).join("\n");
  // Ours are known by their names; those of the client may have changed under theirs.
  return frozen === offered && JSON.stringify(state.prefix.tools.slice(own.length)) === JSON.stringify(client)
    ? undefined
    : "tools";
}

async function ask(
  step: Extract<Step, { do: "request" }>,
  session: Session,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<void> {
  const { state } = session;
  if (state.turn === undefined) return;
  const turn = state.turn.id;
  const now = deps.clock.now();
  const model = modelOf(state, deps.model);
  const placement: JournalRecord = {
    type: "model.requested",
    turn,
    attempt: step.attempt,
    model,
    placed: step.place,
    promptHash: "",
    estimated: 0,
    tools: step.tools,
    ...(step.closing && { closing: true }),
  };
  const placed = state.pending.filter((item) => step.place.includes(item.message.id)).map((item) => item.message);
  const before = placed.length === 0 ? [] : ((await deps.context.before?.(state, placed, signal)) ?? []);
  const notices: readonly JournalRecord[] = [
    ...step.notices.map((text) => notice(now, text)),
    ...before.map((added): JournalRecord => ({ type: "notice.added", notice: added })),
  ];
  const next = [...notices, placement].reduce((folded, record) => reduce(folded, record, now), state);
  const estimated = deps.size(next);
  const booked = estimated + deps.settings.maxTokens;
  const exceeded = await deps.budget.reserve(state, booked);
  if (exceeded !== undefined) {
    await endTurn(
      {
        do: "end",
        reason: "budget",
        error: {
          code: "budget.exhausted",
          message: `The ${exceeded.budget.scope} budget is used up (${exceeded.used} tokens).`,
          retryable: false,
        },
      },
      session,
      deps,
    );
    return;
  }
  const attempts = deps.settings.requestAttempts - step.attempt;
  let answer: Answer | undefined;
  try {
    // Taken back meanwhile: what is to be done now is another thing.
    const waits = new Set(session.state.pending.map((item) => item.message.id));
    if (step.place.some((id) => !waits.has(id))) return;
    await session.record(...notices, { ...placement, promptHash: deps.promptHash(next), estimated });
    answer = await request(session, deps, model, step.tools, { attempts }, signal);
  } finally {
    deps.budget.settle(session.state, booked, usageOf(answer));
  }
  if (answer.ok) {
    await session.record({
      type: "model.responded",
      turn,
      // What was written with something in view that nobody vouches for is no better than that.
      message: { ...withoutKeys(answer.message, deps), ...marksOf(session.state.label) },
      ...(answer.dropped !== undefined && { dropped: answer.dropped }),
    });
    return;
  }
  const error = withoutSecrets(answer.error, deps.redact);
  deps.log.warn("model.failed", { session: state.id, code: error.code, attempt: step.attempt, message: error.message });
  const delay = retryDelay(error, step.attempt, deps);
  // Who waits for the first words hears of a failure rather than of nothing.
  const again = error.retryable && attempts > 0 && delay < (waitOf(session, deps)?.left() ?? Infinity);
  await session.record({
    type: "model.failed",
    turn,
    error,
    ...(answer.usage !== undefined && { usage: answer.usage }),
    ...(again && { retryAt: deps.clock.now() + delay }),
  });
}

/** A model may repeat a key that a page, a file or its vendor has shown it. */
function withoutKeys(message: AssistantMessage, { redact }: LoopDeps): AssistantMessage {
  const parts = message.parts.map((part) => (part.type === "text" ? { ...part, text: redact(part.text) } : part));
  return { ...message, parts };
}

function usageOf(answer: Answer | undefined): Usage {
  return (answer?.ok === true ? answer.message.usage : answer?.usage) ?? NO_USAGE;
}

/** What the provider asked for, else full jitter over 1 s · 2^(attempt−1), at most 60 s. @see AWS, "Exponential Backoff And Jitter" */
function retryDelay(error: { readonly details?: unknown }, attempt: number, deps: LoopDeps): Millis {
  const { details } = error;
  if (
    typeof details === "object" &&
    details !== null &&
    "retryAfterMs" in details &&
    typeof details.retryAfterMs === "number"
  )
    return details.retryAfterMs;
  return Math.ceil(deps.random() * Math.min(60_000, 1000 * 2 ** (attempt - 1)));
}

function notice(
  at: Millis,
  text: string,
  kind: NoticeMessage["kind"] = "runtime",
): Extract<JournalRecord, { type: "notice.added" }> {
  return { type: "notice.added", notice: { role: "notice", at, kind, text } };
}
