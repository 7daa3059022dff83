/** Tool calls: judged by the policy, run once, settled from receipts after a crash. */
import type { CallId } from "../contract/base.ts";
import type { ContentPart, ToolCallPart, ToolMessage, ToolStatus } from "../contract/message.ts";
import type { ErrorInfo, JournalRecord } from "../contract/record.ts";
import type { Verdict } from "../contract/policy.ts";
import type { CallState, Session, SessionState, TurnState } from "../contract/session.ts";
import type { ToolContext } from "../contract/tool.ts";
import { RuntimeError, withoutSecrets } from "../lib/errors.ts";
import { someMarks } from "../lib/labels.ts";
import { neutral } from "../lib/neutral.ts";
import { failureText, invoke, recover, type Outcome } from "../tools/invoke.ts";
import { prepare } from "../tools/prepare.ts";
import { boundHash, currentHash } from "./binding.ts";
import type { LoopDeps } from "./deps.ts";
import { MAY_HAVE_RUN } from "./plan-calls.ts";
import type { Settlement } from "./step.ts";
import { EXTRACT, withhold } from "./withhold-result.ts";
import { approvalPrompt } from "./texts.ts";

/** A client that says nothing for so long is gone. */
const CLIENT_CALL_MS = 600_000;

/** One verdict per call, in one commit. Calls that can't run (unknown tool, bad arguments) get their result here. */
export async function judge(session: Session, calls: readonly ToolCallPart[], deps: LoopDeps): Promise<void> {
  const { state } = session;
  const turn = inTurn(session);
  const records: JournalRecord[] = [];
  for (const call of calls) {
    if (isOfClient(state, deps, call)) {
      records.push(await judgeOfClient(session, call, deps));
      continue;
    }
    const prepared = await prepare(deps.tools, call);
    if (!prepared.ok) {
      records.push(
        finished(session, deps, call, { status: "error", parts: [{ type: "text", text: prepared.text }] }, 0, 0),
      );
      continue;
    }
    const { effect, name } = prepared.tool; // not always the name that was called: tools can forward
    const surroundings = deps.surroundings(name, prepared.input);
    const verdict = await deps.policy.judge(
      { ...call, name, input: prepared.input as ToolCallPart["input"] },
      { state, origin: turn.replyTo, attended: turn.attended, effect, surroundings },
    ); // validated JSON
    const base = {
      type: "call.judged",
      turn: turn.id,
      call: call.callId,
      effect,
      rule: verdict.rule,
      ...someMarks(state.label),
    } as const;
    // Bound to the exact call: another argument is another hash (SE1).
    const hash = boundHash(state, call, surroundings, deps.hash);
    if (verdict.kind === "allow")
      records.push({ ...base, verdict: "allow", ...(verdict.by !== undefined && { by: verdict.by, hash }) });
    else if (verdict.kind === "deny") records.push({ ...base, verdict: "deny", reason: verdict.reason });
    else if (!turn.attended)
      records.push({ ...base, verdict: "deny", reason: "this needs an approval and nobody is there to give it" });
    else {
      records.push(
        {
          ...base,
          verdict: "ask",
          ...questionFields(verdict, deps),
          hash,
          ...(surroundings.directory !== undefined && { cwd: surroundings.directory }),
        },
        {
          type: "reply.queued",
          // Asked again: another question.
          reply: `${call.callId}:approval${asksAgain(turn, call) ? `:${hash.slice(0, 8)}` : ""}`,
          to: turn.replyTo,
          kind: "approval",
          parts: [{ type: "text", text: approvalPrompt(deps.settings.language, name, verdict.prompt, call.callId) }],
        },
      );
    }
  }
  await session.record(...records);
}

function questionFields(
  { prompt, expiresInMs, why, risks, grant }: Extract<Verdict, { kind: "ask" }>,
  { clock, policy }: LoopDeps,
): Pick<Extract<JournalRecord, { type: "call.judged" }>, "prompt" | "expiresAt" | "reason" | "risks" | "grant"> {
  return {
    prompt,
    expiresAt: clock.now() + expiresInMs,
    ...(why !== undefined && { reason: why }),
    ...(risks !== undefined && risks.length > 0 && { risks }),
    ...(grant !== undefined && {
      grant: { ...grant, ...(policy.remember !== undefined && { always: true as const }) },
    }),
  };
}

function asksAgain({ calls }: TurnState, { callId }: ToolCallPart): boolean {
  return calls.some((item) => item.call.callId === callId && item.status !== "proposed");
}

/** Ours win: a tool that came later under the name of one of the client's is not handed out. */
function isOfClient({ clientTools }: SessionState, { tools }: LoopDeps, { name }: ToolCallPart): boolean {
  return clientTools?.some((tool) => tool.name === name) === true && tools.get(name) === undefined;
}

/** The client runs it at its own risk: only an operator's refusal keeps it from there. */
async function judgeOfClient(session: Session, call: ToolCallPart, deps: LoopDeps): Promise<JournalRecord> {
  const turn = inTurn(session);
  const { state } = session;
  const { attended, replyTo: origin, id } = turn;
  // Whether it reads or writes there is nothing that we know.
  const verdict = await deps.policy.judge(call, { state, origin, attended, effect: "read" });
  if (verdict.kind === "deny")
    return {
      type: "call.judged",
      turn: id,
      call: call.callId,
      effect: "write",
      rule: verdict.rule,
      verdict: "deny",
      reason: verdict.reason,
    };
  const expiresAt = deps.clock.now() + CLIENT_CALL_MS;
  return { type: "call.deferred", turn: id, call: call.callId, name: call.name, expiresAt };
}

/** Commits the intent, runs the calls side by side, commits each outcome as it arrives. */
export async function run(
  session: Session,
  calls: readonly CallState[],
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<void> {
  const turn = inTurn(session);
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
  // Reads may be done again if the machine dies; anything else has its intent on disk before its effect.
  if (calls.every((item) => effectOf(item) === "read")) await session.record(...intents);
  else await session.commit(...intents);
  const running = calls.map(async (item, index) => {
    const startedAt = deps.clock.monotonic();
    const prepared = await prepare(deps.tools, item.call);
    const outcome = prepared.ok
      ? await invoke(prepared, contextOf(session, item.call.callId, deps, signal), deps.bounds)
      : refusal(prepared.text);
    await settleOutcome(session, item, attempts[index] ?? 1, outcome, deps.clock.monotonic() - startedAt, deps);
  });
  // Every call is awaited before the loop plans again, whatever happened to its neighbors.
  const failed = (await Promise.allSettled(running)).find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** What a person allowed, and is something else by now: a script was written meanwhile, a link points elsewhere. */
async function changedSince(
  session: Session,
  calls: readonly CallState[],
  deps: LoopDeps,
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
  deps: LoopDeps,
): Promise<void> {
  if (outcome.kind === "threw" && mayRetry(item, outcome.error, attempt, deps)) {
    await session.record({
      type: "tool.failed",
      turn: inTurn(session).id,
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
  const isKept =
    deps.settings.strictUnattended &&
    !inTurn(session).attended &&
    "integrity" in result &&
    result.integrity === "untrusted" &&
    item.call.name !== EXTRACT;
  const shown = isKept
    ? { status: result.status, ...(await withhold(item.call.name, item.call.callId, result, deps)) }
    : result;
  const record = finished(session, deps, item.call, shown, durationMs, attempt);
  // As with the intent: what a read gave reaches the disk while the model answers, what was done before it is asked.
  await (effectOf(item) === "read" ? session.record(record) : session.commit(record));
}

/** A `write` call is executed once; others again while the error may pass (R61, R62). */
function mayRetry(item: CallState, error: ErrorInfo, attempt: number, deps: LoopDeps): boolean {
  return effectOf(item) !== "write" && error.retryable && attempt < deps.settings.maxRetries;
}

function effectOf(item: CallState): "read" | "idempotent" | "write" {
  return "effect" in item ? item.effect : "write";
}

/** After a crash in a `write` call: the tool's own receipt decides, otherwise nobody knows (R76). */
export async function settleFromReceipt(
  session: Session,
  item: CallState,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<void> {
  const prepared = await prepare(deps.tools, item.call);
  const startedAt = deps.clock.monotonic();
  const outcome = prepared.ok
    ? await recover(prepared, contextOf(session, item.call.callId, deps, signal), deps.bounds)
    : undefined;
  const attempt = "attempt" in item ? item.attempt : 1;
  const result =
    outcome?.kind === "result"
      ? outcome
      : { status: "interrupted" as const, parts: [{ type: "text" as const, text: MAY_HAVE_RUN }] };
  await session.commit(finished(session, deps, item.call, result, deps.clock.monotonic() - startedAt, attempt));
}

/** Results for calls that are not executed, in one commit. */
export async function settle(session: Session, settlements: readonly Settlement[], deps: LoopDeps): Promise<void> {
  await session.record(
    ...settlements.map(({ call, status, text }) =>
      finished(session, deps, call, { status, parts: [{ type: "text", text }] }, 0, 0),
    ),
  );
}

interface Result {
  readonly status: ToolStatus;
  readonly parts: readonly ContentPart[];
  readonly details?: ToolMessageDetails;
  readonly integrity?: "untrusted";
  readonly confidentiality?: "personal" | "sensitive";
}
type ToolMessageDetails = Extract<JournalRecord, { type: "tool.finished" }>["details"];

function finished(
  session: Session,
  deps: LoopDeps,
  call: ToolCallPart,
  result: Result,
  durationMs: number,
  attempts: number,
): JournalRecord {
  const isUntrusted = result.integrity === "untrusted";
  const shown = (text: string): string => deps.redact(isUntrusted ? neutral(text) : text);
  const message: ToolMessage = {
    role: "tool",
    at: deps.clock.now(),
    callId: call.callId,
    name: call.name,
    parts: result.parts.map((part) => (part.type === "text" ? { type: "text", text: shown(part.text) } : part)),
    status: result.status,
    ...(result.integrity !== undefined && { integrity: result.integrity }),
    ...(result.confidentiality !== undefined && { confidentiality: result.confidentiality }),
  };
  return {
    type: "tool.finished",
    turn: inTurn(session).id,
    message,
    durationMs: Math.round(durationMs),
    attempts,
    ...(result.details !== undefined && { details: result.details }),
  };
}

function refusal(text: string): Outcome {
  return { kind: "result", status: "error", parts: [{ type: "text", text }] };
}

function contextOf(session: Session, callId: CallId, deps: LoopDeps, signal: AbortSignal): ToolContext {
  const turn = inTurn(session);
  const progress = deps.secrets.stream();
  return {
    sessionId: session.state.id,
    turnId: turn.id,
    callId,
    origin: turn.replyTo,
    label: session.state.label,
    attended: turn.attended,
    workspace: deps.workspace,
    signal,
    clock: deps.clock,
    log: deps.log.child({ session: session.state.id, call: callId }),
    progress: (text) => {
      // What is held back to the end is in the result.
      const shown = progress.push(text);
      if (shown !== "") session.publish({ type: "tool.progress", turn: turn.id, call: callId, text: shown });
    },
  };
}

function inTurn(session: Session): NonNullable<Session["state"]["turn"]> {
  if (session.state.turn === undefined)
    throw new RuntimeError("internal.bug", "A tool call was handled outside of a turn.");
  return session.state.turn;
}
