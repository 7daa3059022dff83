/** drive(): the heart. Performs what plan() wants, one effect between two commits, until the session is idle or waits. */
import type { Millis, TurnId } from "../contract/base.ts";
import type { KeptRows, Sender } from "../contract/message.ts";
import type { FreezeCause, JournalRecord } from "../contract/record.ts";
import type { Session, SessionState, Waiting } from "../contract/session.ts";
import { isDue } from "../context/due.ts";
import { clientSpecs } from "../context/prefix.ts";
import { inWindowOf, modelOf } from "../context/window.ts";
import { firstOf } from "../lib/by-kind.ts";
import { diskError } from "../lib/errors/disk-error.ts";
import { toErrorInfo } from "../lib/errors/errors.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { isUnfinished } from "../session/left-to-do.ts";
import { LONG } from "../session/kept-rows.ts";
import { reduce } from "../session/reduce.ts";
import { deliverResults } from "./delivery/deliver-results.ts";
import type { LoopDeps } from "./deps.ts";
import { ending } from "./endings.ts";
import { notesOfEnd, notesOfStart } from "../hooks/hooks.ts";
import { notice, request } from "./model-step.ts";
import { openingOf } from "./placement.ts";
import { plan } from "./plan.ts";
import type { Settlement, Step } from "./step.ts";
import { run, settle, settleFromReceipts, verdictsOn } from "./tool-step.ts";
import { hurried } from "./waiting/waiting.ts";

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
    const hearing = deps.hear?.(session, signal);
    if (hearing !== undefined) await hearing;
    const counting = session.state.turn && deps.counter.ahead(session.state.messages, deps.pause);
    if (counting !== undefined) await counting;
    const step = plan(session.state, deps, deps.clock.now());
    if (step.do === "rest") return {};
    if (step.do === "wait" || step.do === "sleep") return { until: step.until };
    if (!begun) await deps.toolsReady?.(signal);
    await perform(step, session, deps, signal);
  }
}

const UNANSWERED =
  "The previous message was not answered: the model failed. Do not answer it unless it is asked for again.";

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
      return judgeAndRun(step, session, deps, signal);
    case "invoke":
      return run(session, step.calls, deps, signal);
    case "recover":
      return settleFromReceipts(session, step.calls, deps, signal);
    case "settle":
      return settle(session, step.calls, deps);
    case "request":
      return askOrEnd(step, session, deps, signal);
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
  const { agent } = deps;
  if (agent !== undefined && (agent.rule !== state.bound?.rule || agent.hash !== state.bound.hash))
    records.push({ type: "agent.bound", ...agent });
  const because = newEpoch(state, deps);
  if (because !== undefined) {
    const kept: readonly KeptRows[] = [{ places: [0], chars: deps.settings.toolResultChars }];
    if (state.messages.length > 0)
      records.push({ type: "history.compacted", rows: 0, kept, usage: NO_USAGE, fallback: false });
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
  const isLong = state.messages.length > LONG;
  if (isLong) await deps.pause();
  if (state.unanswered !== undefined) records.push({ type: "notice.added", notice: notice(now, UNANSWERED) });
  const frozen = because === undefined ? undefined : withPrefix.prefix;
  for (const added of await deps.context.notices(withPrefix, signal, frozen))
    records.push({ type: "notice.added", notice: added });
  const opened = opening(turn, step.first);
  if (deps.hooks !== undefined) records.push(...(await notesOfStart(deps, withPrefix, opened, step.first.message)));
  records.push(opened);
  if (isLong) await deps.pause();
  signal.throwIfAborted(); // stopped meanwhile: what opens a turn may be withdrawn
  const due = deps.memory !== undefined && (isUnfinished(state) || (deps.behind && isDue(state, deps.settings)));
  await session.record(...records);
  if (due) deps.consolidations.wake(state.key);
}

/** What the verdicts allow at once begins in their commit: nothing comes between, and there is a line less. */
async function judgeAndRun(
  step: Extract<Step, { do: "judge" }>,
  session: Session,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<void> {
  const verdicts = await verdictsOn(session, step.calls, deps);
  const now = deps.clock.now();
  const next = verdicts.reduce((folded, record) => reduce(folded, record, now), session.state);
  const then = signal.aborted || deps.stopped() ? undefined : plan(next, deps, now);
  // What a person has seen is looked at again before it runs.
  const isAtOnce =
    then?.do === "invoke" && then.calls.every((item) => item.status === "allowed" && item.hash === undefined);
  if (isAtOnce) await run(session, then.calls, deps, signal, verdicts);
  else await session.record(...verdicts);
}

async function askOrEnd(
  step: Extract<Step, { do: "request" }>,
  session: Session,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<void> {
  const error = await request(step, session, deps, signal);
  if (error !== undefined) await endTurn({ do: "end", reason: "budget", error }, session, deps);
}

/** Nothing else opens an epoch (compaction does so in its own commit). */
function newEpoch(state: SessionState, deps: LoopDeps): FreezeCause | undefined {
  if (state.prefix === undefined) return "opened";
  if (state.stale !== undefined) return state.stale;
  if (deps.agent !== undefined && deps.agent.hash !== state.bound?.hash) return "agent";
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

/** The end of a turn and what the person is told: one commit, so that there is no end without a reply. */
async function endTurn(step: Extract<Step, { do: "end" }>, session: Session, deps: LoopDeps): Promise<void> {
  const { turn, key } = session.state;
  if (turn === undefined) return;
  deps.firstWords.over(key);
  // The wall clock may have jumped meanwhile; only a turn that survived a restart has nothing better.
  const durationMs = deps.stopwatch.stop(turn.id) ?? Math.max(0, deps.clock.now() - turn.startedAt);
  const whole = ending(step, session.state, turn, durationMs, deps);
  const isHeard = deps.hooks?.has("turn.end") === true;
  const notes = isHeard ? await notesOfEnd(deps, session.state, turn, firstOf(whole, "turn.ended")) : [];
  const asked = deps.instead(session.state, whole);
  if (asked === undefined) await session.commit(...whole, ...notes);
  else await session.commit(...ending(step, session.state, turn, durationMs, deps, await asked), ...notes);
}

function opening(
  turn: TurnId,
  { replyTo, attended, message }: Waiting,
): Extract<JournalRecord, { type: "turn.started" }> {
  return { type: "turn.started", turn, replyTo, attended, message: message.id };
}

/** What a stopped agent does with a session that has something to do: what is open ends, what waits is withdrawn. */
async function endWork(session: Session): Promise<void> {
  const { turn, pending } = session.state;
  const by: Sender = { id: "emergency-stop", kind: "agent" };
  const kept = openingOf(session.state);
  const waiting = pending.filter((item) => !kept.includes(item)).map((item) => item.message.id);
  if (turn?.cancelled === false) await session.record({ type: "turn.cancelled", turn: turn.id, by });
  if (waiting.length > 0) await session.record({ type: "messages.withdrawn", ids: waiting, by });
}

/** A defect in the runtime ends the turn with an error the person sees; a turn never hangs or loops. */
export async function failVisibly(session: Session, error: unknown, deps: LoopDeps): Promise<void> {
  const info = toErrorInfo(diskError(error, session.state.id) ?? error);
  const { turn, pending } = session.state;
  if (turn === undefined) {
    const [first] = pending;
    if (first === undefined) return;
    const id = deps.ids.next("turn") as TurnId; // minted here
    deps.stopwatch.start(id);
    await session.commit(opening(id, first));
  }
  const open = (turn?.calls ?? []).filter((item) => item.status !== "finished");
  if (open.length > 0)
    await settle(
      session,
      open.map((item): Settlement => ({
        call: item.call,
        status: item.status === "started" ? "interrupted" : "error",
        text: `Error: ${info.message} Next: tell the user.`,
      })),
      deps,
    );
  await endTurn({ do: "end", reason: "failed", error: info }, session, deps);
}
