/** What acts outside the lane, at once: approve, deny, stop, withdraw. */
import type { StoppedChild } from "../contract/agent.ts";
import type { Control } from "../contract/bus.ts";
import type { CallId, Clock } from "../contract/base.ts";
import type { StoppedWork } from "../contract/commands.ts";
import type { Sender, ToolCallPart, UserMessage } from "../contract/message.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Policy } from "../contract/policy.ts";
import type { CallState, Session, SessionState, TurnState } from "../contract/session.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import { toolHint } from "../lib/tool-hint.ts";
import { ellipsis } from "../lib/text.ts";
import { isOpen } from "./approvals.ts";
import { openingOf } from "../loop/placement.ts";
import { askedCall } from "../loop/plan.ts";
import { releaseIn } from "./who-may.ts";
import type { Execution } from "../loop/tool-result.ts";
import type { Result } from "../tools/invoke.ts";

export interface ControlDeps {
  readonly clock: Clock;
  readonly wake: (sessionKey: string) => void;
  readonly abort: (sessionKey: string, reason: Error) => Promise<void>;
  /** Aborts what works on the session, and keeps others from it until `task` has ended. */
  readonly interrupt: <Result>(sessionKey: string, reason: Error, task: () => Promise<Result>) => Promise<Result>;
  /** Stops the subagents of a session. @returns which. */
  readonly stopChildren: (session: Session) => Promise<readonly StoppedChild[]>;
  /** Asks again when what was shown is not what would run now. @returns whether it was. */
  readonly changed: (session: Session, call: CallId) => Promise<boolean>;
  /** Keeps a yes for all conversations. */
  readonly remember?: NonNullable<Policy["remember"]>;
  /** Answers for what somebody else would be told. Absent: there are no persons. */
  readonly release?: (
    session: Session,
    id: string,
    action: Answer,
    by: Sender,
    also: () => readonly JournalRecord[],
  ) => Promise<boolean>;
  /** The record of what a tool gave. */
  readonly finished: (
    session: Session,
    call: ToolCallPart,
    result: Result,
    execution: Execution,
  ) => Promise<JournalRecord>;
}

type Answer = Extract<Control, { type: "allow" | "deny" }>;

export interface Done {
  /** False: there was nothing to do it to. */
  readonly done: boolean;
  readonly stopped: boolean;
  readonly withdrawn: number;
  readonly work: StoppedWork;
}

const NO_WORK: StoppedWork = { calls: [], subagents: [], messages: [] };
const DONE: Done = { done: true, stopped: false, withdrawn: 0, work: NO_WORK };
const NOTHING: Done = { done: false, stopped: false, withdrawn: 0, work: NO_WORK };

/** @param also what is committed with what the action does; not asked for when it does nothing. */
export async function control(
  session: Session,
  action: Control,
  by: Sender,
  deps: ControlDeps,
  also: (done: Done) => readonly JournalRecord[] = () => [],
): Promise<Done> {
  switch (action.type) {
    case "allow":
    case "deny":
      return resolve(session, action, by, deps, () => also(DONE));
    case "result":
      return takeResult(session, action, deps, () => also(DONE));
    case "stop":
      return stop(session, action.withdraw, by, deps, also);
  }
}

/** A button is pressed by somebody too: only operators answer approvals. */
export function mayPress(action: Control, isOperator: boolean): boolean {
  if (action.type === "stop") return true;
  // A rule for all chats is made where its maker can prove who they are.
  return isOperator && !("remember" in action && action.remember === "always");
}

/**
 * Single use, bound to the exact call, never after its time.
 * @param also what is committed with the answer.
 */
export async function resolve(
  session: Session,
  action: Answer,
  by: Sender,
  deps: ControlDeps,
  also: () => readonly JournalRecord[] = () => [],
): Promise<Done> {
  const { call, reason, hash } = action;
  const release = releaseIn(session.state, action);
  if (release !== undefined)
    return (await deps.release?.(session, release.id, action, by, also)) === true ? DONE : NOTHING;
  const remember = action.type === "allow" ? action.remember : undefined;
  if (action.type === "allow" && open(session, call, hash, deps) !== undefined && (await deps.changed(session, call))) {
    deps.wake(session.state.key);
    return NOTHING;
  }
  const item = open(session, call, hash, deps);
  const { turn } = session.state;
  if (item === undefined || turn === undefined) return NOTHING;
  if (remember !== undefined) {
    if (item.grant === undefined) return NOTHING;
    const { always, ...grant } = item.grant;
    if (remember === "always" && (always !== true || deps.remember === undefined)) return NOTHING;
    // Before the answer: a rule whose call still waits is harmless, an answer that forgot its rule is a lie.
    if (remember === "always") {
      await deps.remember?.(grant, by.id);
      // It may have been answered while that was written.
      if (open(session, call, hash, deps)?.hash !== item.hash) return NOTHING;
    }
  }
  const answered: JournalRecord = {
    type: "approval.resolved",
    turn: turn.id,
    call,
    verdict: action.type,
    by: by.id,
    ...(reason !== undefined && { reason }),
    ...(remember !== undefined && { remember }),
    ...(!("status" in item) && { hash: item.hash }),
  };
  // Another process may have answered meanwhile.
  const stored = await session.commitIf((now) =>
    open(now, call, item.hash, deps) === undefined ? undefined : [answered, ...also()],
  );
  if (stored === undefined) return NOTHING;
  deps.wake(session.state.key);
  return DONE;
}

function open({ state }: Pick<Session, "state">, call: CallId, hash: string | undefined, { clock }: ControlDeps) {
  const { turn } = state;
  // Of several questions of one running call the one that it waits for, unless another is named.
  const item =
    askedCall(state, call) ??
    turn?.questions?.findLast((each) => each.call === call && (hash === undefined || each.hash === hash));
  if (item === undefined || !isOpen(item, clock.now())) return undefined;
  return hash === undefined || hash === item.hash ? item : undefined;
}

/** Once, and in time; what comes from there was made by a stranger. */
async function takeResult(
  session: Session,
  { call: id, parts, isError = false }: Extract<Control, { type: "result" }>,
  { clock, wake, finished }: ControlDeps,
  also: () => readonly JournalRecord[],
): Promise<Done> {
  const waiting = ({
    state: { turn },
  }: Pick<Session, "state">): Extract<CallState, { status: "deferred" }> | undefined => {
    const found = turn?.calls.find(({ call }) => call.callId === id);
    return found?.status === "deferred" && found.expiresAt > clock.now() ? found : undefined;
  };
  const item = waiting(session);
  if (item === undefined) return NOTHING;
  const status = isError ? ("error" as const) : ("ok" as const);
  const execution = { durationMs: Math.max(0, clock.now() - item.deferredAt), attempts: 1 };
  const result = await finished(session, item.call, { status, parts, integrity: "untrusted" }, execution);
  const stored = await session.commitIf((now) => (waiting(now) === undefined ? undefined : [result, ...also()]));
  if (stored === undefined) return NOTHING;
  wake(session.state.key);
  return DONE;
}

async function stop(
  session: Session,
  withdraw: boolean,
  by: Sender,
  deps: ControlDeps,
  also: (done: Done) => readonly JournalRecord[],
): Promise<Done> {
  // A child that is waited for is a running call: it has to end before the turn can be settled.
  const children = await deps.stopChildren(session);
  return outsideOfOpening(session, deps, async () => {
    const { key, turn, pending } = session.state;
    const opening = openingOf(session.state);
    const withdrawn = withdraw ? pending.filter((item) => !opening.includes(item)) : [];
    const stopping = turn !== undefined && !turn.cancelled;
    const work: StoppedWork = {
      ...(stopping ? workOf(session.state, turn, children) : { calls: [] }),
      subagents: children.map(({ text }) => text),
      messages: withdrawn.map(({ message }) => inFewWords(message)),
    };
    const hasChildren = children.length > 0;
    if (!stopping && withdrawn.length === 0) return { ...NOTHING, done: hasChildren, stopped: hasChildren, work };
    const done: Done = { done: true, stopped: stopping || hasChildren, withdrawn: withdrawn.length, work };
    await session.commit(
      ...(stopping ? [{ type: "turn.cancelled" as const, turn: turn.id, by }] : []),
      ...(withdrawn.length > 0
        ? [{ type: "messages.withdrawn" as const, ids: withdrawn.map((item) => item.message.id), by }]
        : []),
      ...also(done),
    );
    if (stopping) {
      await deps.abort(key, stopped());
      // The driver is started again on the same journal: plan() settles what is open and ends the turn.
      deps.wake(key);
    }
    return done;
  });
}

/** A child that is waited for is named once. */
function workOf(
  state: SessionState,
  turn: TurnState,
  children: readonly StoppedChild[],
): Pick<StoppedWork, "turn" | "calls"> {
  const asked = [...state.messages, ...state.pending.map(({ message }) => message)].find(
    (message) => message.role === "user" && message.id === turn.opening,
  );
  const waitedFor = new Set(children.map(({ call }) => call));
  return {
    turn: asked?.role === "user" && asked.from.kind === "person" ? inFewWords(asked) : "",
    calls: turn.calls
      .filter(({ status, call }) => (status === "started" || status === "retrying") && !waitedFor.has(call.callId))
      .map(({ call }) => toolHint([call])),
  };
}

const FEW_WORDS = 60;

function inFewWords({ parts }: UserMessage): string {
  const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join(" ");
  return ellipsis(text.replaceAll(/\s+/g, " ").trim(), FEW_WORDS);
}

/** Takes a waiting message back, or stops the turn that is answering it. */
export async function stopMessage(session: Session, id: string, by: Sender, deps: ControlDeps): Promise<void> {
  await outsideOfOpening(session, deps, async () => {
    const { turn, pending } = session.state;
    const at = pending.findIndex((item) => item.message.id === id);
    if (at < 0 || (at === 0 && turn !== undefined)) await control(session, { type: "stop", withdraw: false }, by, deps);
    else await session.commit({ type: "messages.withdrawn", ids: [id], by });
  });
}

/** Takes a waiting message back. @returns false when it does not wait any more: the model sees it, or it is gone. */
export function withdraw(session: Session, id: string, by: Sender, deps: ControlDeps): Promise<boolean> {
  return outsideOfOpening(session, deps, async () => {
    const stored = await session.commitIf(({ state }) => {
      const waits = state.pending.some((item) => item.message.id === id);
      if (!waits || openingOf(state).some((item) => item.message.id === id)) return undefined;
      return [{ type: "messages.withdrawn", ids: [id], by }];
    });
    return stored !== undefined;
  });
}

/**
 * A lane that is opening a turn has read the message and not committed the turn yet: withdrawn under its hands, the
 * message would be missing from the turn. So the lane is held while the task looks and withdraws.
 */
async function outsideOfOpening<Result>(
  session: Session,
  deps: ControlDeps,
  task: () => Promise<Result>,
): Promise<Result> {
  const { key, turn, pending } = session.state;
  if (turn !== undefined || pending.length === 0) return task();
  const result = await deps.interrupt(key, stopped(), task);
  if (session.state.turn !== undefined || session.state.pending.length > 0) deps.wake(key);
  return result;
}

function stopped(): RuntimeError {
  return new RuntimeError("turn.cancelled", "The turn was stopped.");
}
