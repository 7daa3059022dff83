/** Proposed calls are judged; allowed ones run once, and are settled from receipts after a crash. */
import type { CallId } from "../contract/base.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { ErrorInfo, JournalRecord } from "../contract/record.ts";
import type { CallState, Session, SessionState } from "../contract/session.ts";
import type { ToolContext } from "../contract/tool.ts";
import { withoutSecrets } from "../lib/errors/errors.ts";
import { isHostCalling } from "../lib/host-calls.ts";
import { PLAIN, readersOf } from "../lib/labels.ts";
import { failureText, invoke, recover, type Outcome, type Result } from "../tools/invoke.ts";
import { prepare } from "../tools/prepare.ts";
import { hookVerdict, noteRecords, saidOfCall } from "../hooks/hooks.ts";
import { currentHash } from "./questions/binding.ts";
import { createCallQuestions } from "./questions/call-questions.ts";
import type { ToolDeps } from "./deps.ts";
import { MAY_HAVE_RUN } from "./plan-calls.ts";
import type { Settlement } from "./step.ts";
import { cleanResult, inTurn, isKeptOut, NOT_EXECUTED, toolFinished, type Execution } from "./tool-result.ts";
import { clientVerdict, verdictRecords } from "./verdict.ts";

/** One verdict per call, in one commit. Calls that can't run (unknown tool, bad arguments) get their result here. */
export async function judge(session: Session, calls: readonly ToolCallPart[], deps: ToolDeps): Promise<void> {
  await session.record(...(await verdictsOn(session, calls, deps)));
}

/** The records of the same. */
export async function verdictsOn(
  { state }: Session,
  calls: readonly ToolCallPart[],
  deps: ToolDeps,
): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  for (const call of calls) records.push(...(await judgeOne(state, call, deps)));
  return records;
}

async function judgeOne(state: SessionState, call: ToolCallPart, deps: ToolDeps): Promise<readonly JournalRecord[]> {
  const turn = inTurn(state);
  const { replyTo: origin, attended } = turn;
  // Whether a tool of the client reads or writes there is nothing that we know.
  if (isOfClient(state, deps, call)) {
    const verdict = await deps.policy.judge(call, { state, origin, attended, effect: "read" });
    return [clientVerdict(turn, call, verdict, deps.clock.now())];
  }
  const prepared = await prepare(deps.tools, call);
  if (!prepared.ok) return [refused(state, { call, status: "error", text: prepared.text }, deps)];
  const { effect, name, reach } = prepared.tool;
  const callFiles = deps.callFiles(name, prepared.input);
  // What the host calls is in no context: it is the host's own word.
  const judged = isHostCalling(state) ? { ...state, label: PLAIN } : state;
  const ruled = await deps.policy.judge(
    { ...call, name, input: prepared.input as ToolCallPart["input"] },
    { state: judged, origin, attended, effect, callFiles, ...(reach !== undefined && { reach }) },
  ); // validated JSON
  const about = { call: call.callId, name, input: prepared.input, effect };
  const said = deps.hooks === undefined ? undefined : await saidOfCall(deps, state, ruled, about);
  // guard: a hook takes away, and never gives.
  const verdict = (said && hookVerdict(said)) ?? ruled;
  const records = verdictRecords({ state: judged, turn, call, name, effect, callFiles }, verdict, deps);
  return said === undefined ? records : [...records, ...noteRecords(said, deps.clock.now())];
}

/** Ours win: a tool that came later under the name of one of the client's is not handed out. */
function isOfClient({ clientTools }: SessionState, { tools }: ToolDeps, { name }: ToolCallPart): boolean {
  return clientTools?.some((tool) => tool.name === name) === true && tools.get(name) === undefined;
}

/**
 * Commits the intent, runs the calls side by side, commits each outcome as it arrives.
 * @param verdicts What allows them, when that is not written yet: one commit with the intent.
 */
export async function run(
  session: Session,
  calls: readonly CallState[],
  deps: ToolDeps,
  signal: AbortSignal,
  verdicts: readonly JournalRecord[] = [],
): Promise<void> {
  const turn = inTurn(session.state);
  const changed = await changedSince(session, calls, deps);
  if (changed.length > 0) return judge(session, changed, deps);
  const attempts = calls.map((item) => ("attempt" in item ? item.attempt + 1 : 1));
  const intents = calls.map((item, index): JournalRecord => ({
    type: "tool.started",
    turn: turn.id,
    call: item.call.callId,
    name: item.call.name,
    attempt: attempts[index] ?? 1,
    effect: effectOf(item),
  }));
  const started = await startAll(session, calls, [...verdicts, ...intents], deps);
  const running = calls.map(async (item, index) => {
    const startedAt = deps.clock.monotonic();
    const prepared = await prepare(deps.tools, item.call);
    const outcome = prepared.ok
      ? await invoke(prepared, { ...contextOf(session, item.call.callId, deps, signal), ...started }, deps.bounds)
      : refusal(prepared.text);
    await settleOutcome(session, item, attempts[index] ?? 1, outcome, deps.clock.monotonic() - startedAt, deps);
  });
  await allOfThem(running);
}

/** Reads may be done again if the machine dies; anything else has its intent on disk before its effect. */
async function startAll(
  session: Session,
  calls: readonly CallState[],
  records: readonly JournalRecord[],
  { tools, pause }: ToolDeps,
): Promise<Pick<ToolContext, "started">> {
  const changing = calls.filter((item) => effectOf(item) !== "read");
  if (!changing.every(({ call }) => tools.get(call.name)?.waitsForStart === true)) {
    await session.commit(...records);
    return {};
  }
  await session.record(...records);
  if (changing.length === 0) return {};
  const stored = session.commit();
  stored.catch(() => {}); // whoever waits for it hears of it, and so does the outcome
  await pause(); // the disk is at work before the tool is
  return { started: async () => void (await stored) };
}

/** Every call is awaited before the loop plans again, whatever happened to its neighbors. */
async function allOfThem(running: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(running)).find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** What a person allowed, and is something else by now: a script was written meanwhile, a link points elsewhere. */
async function changedSince(
  session: Session,
  calls: readonly CallState[],
  deps: ToolDeps,
): Promise<readonly ToolCallPart[]> {
  const found: ToolCallPart[] = [];
  for (const item of calls)
    if (item.status === "allowed" && item.hash !== undefined) {
      const current = await currentHash(session.state, item.call, deps);
      if (current !== undefined && current !== item.hash) found.push(item.call);
    }
  return found;
}

async function settleOutcome(
  session: Session,
  item: CallState,
  attempt: number,
  outcome: Outcome,
  durationMs: number,
  deps: ToolDeps,
): Promise<void> {
  if (outcome.kind === "threw" && mayRetry(item, outcome.error, attempt, deps)) {
    await session.record({
      type: "tool.failed",
      turn: inTurn(session.state).id,
      call: item.call.callId,
      attempt,
      maxAttempts: deps.settings.maxRetries,
      error: withoutSecrets(outcome.error, deps.redact),
      retryAt: deps.clock.now() + deps.settings.retryDelayMs,
    });
    return;
  }
  const result =
    outcome.kind === "result"
      ? outcome
      : {
          status: "error" as const,
          parts: [{ type: "text" as const, text: failureText(item.call.name, attempt, outcome.error) }],
        };
  const record = await finished(session, item.call, result, { durationMs, attempts: attempt }, deps);
  // As with the intent: what can be done again reaches the disk while the model answers, all else before it is asked.
  await (effectOf(item) === "write" ? session.commit(record) : session.record(record));
}

/** A `write` call is executed once; others again while the error may pass. */
function mayRetry(item: CallState, error: ErrorInfo, attempt: number, deps: ToolDeps): boolean {
  return effectOf(item) !== "write" && error.retryable && attempt < deps.settings.maxRetries;
}

function effectOf(item: CallState): "read" | "idempotent" | "write" {
  return "effect" in item ? item.effect : "write";
}

/** After a crash in `write` calls: the tool's own receipt decides, otherwise nobody knows. */
export async function settleFromReceipts(
  session: Session,
  calls: readonly CallState[],
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<void> {
  await allOfThem(calls.map((item) => settleFromReceipt(session, item, deps, signal)));
}

async function settleFromReceipt(
  session: Session,
  item: CallState,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<void> {
  const prepared = await prepare(deps.tools, item.call);
  const startedAt = deps.clock.monotonic();
  const outcome = prepared.ok
    ? await recover(prepared, contextOf(session, item.call.callId, deps, signal), deps.bounds)
    : undefined;
  // What was allowed then may be refused now: the policy is asked anew.
  if (outcome !== undefined && "started" in outcome) return judge(session, [item.call], deps);
  const attempt = "attempt" in item ? item.attempt : 1;
  const result =
    outcome?.kind === "result"
      ? outcome
      : { status: "interrupted" as const, parts: [{ type: "text" as const, text: MAY_HAVE_RUN }] };
  const execution = { durationMs: deps.clock.monotonic() - startedAt, attempts: attempt };
  await session.commit(await finished(session, item.call, result, execution, deps));
}

/** Results for calls that are not executed, in one commit. */
export async function settle(session: Session, settlements: readonly Settlement[], deps: ToolDeps): Promise<void> {
  await session.record(...settlements.map((settlement) => refused(session.state, settlement, deps)));
}

/** The words are ours. */
function refused(state: SessionState, { call, status, text }: Settlement, { redact, clock }: ToolDeps): JournalRecord {
  const result = cleanResult({ status, parts: [{ type: "text", text }] }, redact);
  return toolFinished(inTurn(state), call, result, NOT_EXECUTED, clock.now());
}

/** The record of what a tool gave. */
export async function finished(
  { state }: Session,
  call: ToolCallPart,
  given: Result,
  execution: Execution,
  deps: ToolDeps,
): Promise<JournalRecord> {
  const turn = inTurn(state);
  const result = cleanResult(given, deps.redact);
  // What stands in place of a text that is kept out is our own.
  const shown: Result = isKeptOut(turn, call, result, deps)
    ? { ...readersOf(result), status: result.status, ...(await deps.extraction.keepAside(call, result.parts)) }
    : result;
  return toolFinished(turn, call, shown, execution, deps.clock.now());
}

function refusal(text: string): Outcome {
  return { kind: "result", status: "error", parts: [{ type: "text", text }] };
}

function contextOf(session: Session, callId: CallId, deps: ToolDeps, signal: AbortSignal): ToolContext {
  const turn = inTurn(session.state);
  const progress = deps.secrets.stream();
  const ask = createCallQuestions(session, callId, deps);
  return {
    sessionId: session.state.id,
    turnId: turn.id,
    callId,
    origin: turn.replyTo,
    label: isHostCalling(session.state) ? PLAIN : session.state.label,
    attended: turn.attended,
    workspace: deps.workspace,
    signal,
    clock: deps.clock,
    log: deps.log.child({ session: session.state.id, call: callId }),
    ask,
    progress: (text) => {
      // What is held back to the end is in the result.
      const shown = progress.push(text);
      if (shown !== "") session.publish({ type: "tool.progress", turn: turn.id, call: callId, text: shown });
    },
  };
}
