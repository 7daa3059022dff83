/** Who waits for the first words of an answer, what counts as such, and what is said when none come. */
import type { Clock } from "../../contract/base.ts";
import type { ModelEvent, Provider } from "../../contract/provider.ts";
import type { Session } from "../../contract/session.ts";
import { RuntimeError } from "../../lib/errors/errors.ts";
import { heardWithin } from "../../lib/async/heard-before.ts";
import type { LoopDeps, ModelDeps } from "../deps.ts";
import type { Wait } from "./first-words.ts";

/** The wait of what a session does now; undefined where nobody waits: jobs, hooks, subagents. */
export function waitOf(session: Session, { firstWords, settings }: ModelDeps): Wait | undefined {
  const { turn, pending, key } = session.state;
  const first = pending[0];
  const waits =
    turn === undefined
      ? first?.attended === true || first?.message.from.kind === "person"
      : turn.attended || turn.steerable;
  if (!waits) return undefined;
  const message = turn === undefined ? (first?.message.id ?? "") : (turn.opening ?? turn.id);
  return firstWords.wait(key, message, settings.firstTextMs, (waitedMs) => {
    const open = session.state.turn?.id;
    if (open !== undefined) session.publish({ type: "model.waiting", turn: open, waitedMs });
  });
}

/** Text or a call: what a person has been waiting for. */
export function isAnswering(event: ModelEvent): boolean {
  if (event.type === "text.delta") return event.text.trim() !== "";
  if (event.type === "part")
    return event.part.type === "tool-call" || (event.part.type === "text" && event.part.text.trim() !== "");
  return event.type === "tool-call.delta";
}

/** Reasoning that is shown is no silence either: the attempt that shows it keeps its own limits. */
export function isHeard(event: ModelEvent): boolean {
  return event.type === "thinking.delta" || isAnswering(event);
}

/** What failed and what to do, when the wait is over. */
export function silence(model: string, wait: Wait, clock: Clock): RuntimeError {
  const { fault } = wait;
  const afterMs = Math.round(clock.monotonic() - wait.begun);
  const last = fault === undefined ? "" : ` Last fault: ${fault.message}`;
  return new RuntimeError(
    "provider.silent",
    `${model} said nothing for ${Math.round(afterMs / 1000)} s.${last} Choose another model with /model, send the message again, or raise agent.firstTextSeconds.`,
    { details: { model, afterMs, ...(fault !== undefined && { fault: fault.code }) } },
  );
}

/** What is asked on the way to the answer takes half of the wait at most; the rest is the answer's. */
export function hurried(session: Session, deps: LoopDeps): LoopDeps {
  const wait = waitOf(session, deps);
  if (wait === undefined) return deps;
  const within = (provider: Provider): Provider => ({
    id: provider.id,
    stream: (request, signal) =>
      heardWithin({
        open: (own) => provider.stream(request, own),
        isHeard,
        withinMs: wait.left() / 2,
        clock: deps.clock,
        tooLate: () => new RuntimeError("provider.timeout", `${request.model} said nothing while a person waited.`),
        signal,
      }),
  });
  return { ...deps, provider: (ref) => within(deps.provider(ref)) };
}
