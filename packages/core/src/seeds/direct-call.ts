/** One tool call outside of any conversation: the loop's own path, without a model. */
import { textOf } from "../lib/text.ts";
import type { JsonObject, TurnId } from "../contract/base.ts";
import type { ToolCallPart } from "../contract/message.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { HOST_CALL } from "../lib/host-calls.ts";
import { createSerial } from "../lib/async/serial.ts";
import { NO_USAGE } from "../lib/usage.ts";
import { untilIdle, isIdle } from "../session/idle.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { emergencyStopped } from "../control/emergency-stop.ts";
import { drive } from "../loop/loop.ts";
import type { AgentEvent } from "../contract/event.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";

/** Where the calls are journaled, and so seen by audit and tool history. */
export const DIRECT_SESSION = "direct:tools";

export interface DirectCalls {
  /** Drives for a lane. A session is worked on by its lane or by a direct call, never by both at once. */
  readonly drive: typeof drive;
  /**
   * Runs when the session is idle: behind its open turn, what waits in it, and other direct calls.
   * @returns the text of the result, error texts included.
   * @throws `signal.reason` when aborted; the call is settled by then.
   */
  execute(session: Session, name: string, args: JsonObject, signal: AbortSignal): Promise<string>;
  /** Aborts the call in hand; resolves when it is settled. */
  abort(sessionKey: string, reason: Error): Promise<void>;
}

export interface DirectOptions {
  /** Of the room of a conversation. */
  readonly deps: (state: SessionState) => LoopDeps;
  /** Hands a session to its lane, which ends what a crash left open. */
  readonly wake: (sessionKey: string) => void;
  /** Aborts when the agent closes: then a call stays open and is settled after the restart. */
  readonly closing: AbortSignal;
}

export function createDirectCalls({ deps, wake, closing }: DirectOptions): DirectCalls {
  const alone = createSerial();
  const running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();

  const perform = async (session: Session, name: string, args: JsonObject, given: AbortSignal): Promise<string> => {
    given.throwIfAborted();
    const current = deps(session.state);
    if (current.stopped()) throw emergencyStopped();
    const { key } = session.state;
    const controller = new AbortController();
    const done = Promise.withResolvers<void>();
    running.set(key, { controller, done: done.promise });
    try {
      return await callTool(session, name, args, current, AbortSignal.any([given, controller.signal]), closing);
    } finally {
      running.delete(key);
      done.resolve();
    }
  };

  return {
    drive: (session, current, signal) =>
      alone(session.state.key, () => drive(session, () => forTurn(current(), session.state), signal)),
    execute: async (session, name, args, given) => {
      const { key } = session.state;
      const signal = AbortSignal.any([given, closing]);
      for (;;) {
        if (!isIdle(session.state)) wake(key);
        await untilIdle(session, signal);
        const result = await alone(key, async () =>
          // Something may have come while this call waited for its place.
          isIdle(session.state) ? { text: await perform(session, name, args, signal) } : undefined,
        );
        if (result !== undefined) return result.text;
      }
    },
    abort: async (key, reason) => {
      const call = running.get(key);
      call?.controller.abort(reason);
      await call?.done;
    },
  };
}

/** A direct call answers no message, and its turn ends with it: what a crash left open is never sent to a model. */
function forTurn(deps: LoopDeps, { turn }: SessionState): LoopDeps {
  if (turn === undefined || turn.opening !== undefined) return deps;
  // One response is the limit, so the turn ends when the call has its result.
  const bounds = { maxIterations: 1, maxToolCalls: null, limitNotice: false, limitSummary: false };
  return { ...deps, settings: { ...deps.settings, ...bounds } };
}

async function callTool(
  session: Session,
  name: string,
  args: JsonObject,
  deps: LoopDeps,
  signal: AbortSignal,
  closing: AbortSignal,
): Promise<string> {
  const turn = deps.ids.next("turn") as TurnId; // minted here
  const call: ToolCallPart = {
    type: "tool-call",
    callId: deps.ids.next("call") as ToolCallPart["callId"],
    name,
    input: args,
  };
  const at = deps.clock.now();
  deps.stopwatch.start(turn);
  await session.commit(
    { type: "turn.started", turn, replyTo: session.state.origin, attended: false },
    {
      type: "model.responded",
      turn,
      message: {
        role: "assistant",
        at,
        model: HOST_CALL,
        parts: [call],
        finish: "tool-calls",
        usage: NO_USAGE,
      },
    },
  );
  let text = "";
  const result: SomeKinds<AgentEvent, [], void> = {
    "tool.finished": ({ message }) => {
      if (message.callId === call.callId) text = textOf(message.parts);
    },
  };
  const end = session.subscribe((event) => bySomeKind(result, event));
  try {
    await driveToEnd(session, deps, signal);
  } catch (error) {
    if (closing.aborted) throw error;
    // Nobody else would go on with it, and the session could never be used again.
    if (session.state.turn?.cancelled === false)
      await session.commit({ type: "turn.cancelled", turn, by: { id: "direct", kind: "agent" } });
    await driveToEnd(session, deps, closing);
    throw error;
  } finally {
    end();
  }
  return text;
}

async function driveToEnd(session: Session, deps: LoopDeps, signal: AbortSignal): Promise<void> {
  while (session.state.turn !== undefined) {
    const { until } = await drive(session, () => forTurn(deps, session.state), signal);
    if (until === undefined) return;
    await deps.clock.sleep(until - deps.clock.now(), signal);
  }
}
