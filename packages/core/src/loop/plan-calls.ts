/** The part of plan() about tool calls: judge, run in place, settle what will not run. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Millis } from "../contract/base.ts";
import type { CallState, TurnState } from "../contract/session.ts";
import type { Settlement, Step } from "./step.ts";

export const MAY_HAVE_RUN =
  "Interrupted by a restart: it may or may not have taken effect. Check before you repeat it.";
const CLIENT_SILENT =
  "Error: the client did not answer. It may or may not have run the tool. Next: check before you repeat it.";
const STOPPED_RUNNING = "Stopped before it finished; it may have taken partial effect.";
/** Result of a call that a person's stop kept from running. */
export const STOPPED = "Not executed: the turn was stopped.";

/** The first open call decides; those behind it wait in place, so a write is a barrier (neighboring commands are one). */
export function planCalls(turn: TurnState, given: AgentSettings, now: Millis): Step | undefined {
  const settings = turn.sampling?.parallelTools === false ? { ...given, parallelTools: false } : given;
  const openCalls = turn.calls.filter((item) => item.status !== "finished");
  if (openCalls.length === 0) return undefined;
  if (turn.cancelled) return { do: "settle", calls: openCalls.map((item) => stopped(item)) };
  // What runs at the client holds nothing up here.
  const head = openCalls.find((item) => item.status !== "deferred");
  if (head === undefined) return awaitClient(openCalls, now);
  const proposed = openCalls.filter((item) => item.status === "proposed");
  if (proposed.length > 0) return { do: "judge", calls: proposed.map((item) => item.call) };
  const limit = callLimit(settings);
  switch (head.status) {
    case "proposed":
      return { do: "judge", calls: [head.call] };
    case "denied":
      return {
        do: "settle",
        calls: [{ call: head.call, status: "denied", text: denialText(head.reason) }],
      };
    case "asked":
      if (head.expiresAt > now) return { do: "wait", until: head.expiresAt };
      return {
        do: "settle",
        calls: [
          {
            call: head.call,
            status: "denied",
            text: `Denied: nobody answered within ${Math.round((head.expiresAt - head.askedAt) / 1000)} s.`,
          },
        ],
      };
    case "allowed":
      if (turn.executed >= limit)
        return {
          do: "settle",
          calls: openCalls.map((item) => ({
            call: item.call,
            status: "denied",
            text: `Not executed: the limit of ${limit} tool calls was reached.`,
          })),
        };
      return { do: "invoke", calls: batch(openCalls, settings, limit - turn.executed) };
    // Started and not finished can only mean that a process died: drive() awaits every call before it plans again.
    case "started":
      // All at once: those of a batch that never began are to run together again.
      if (head.effect === "write") return { do: "recover", calls: openCalls.filter(wasCutOff) };
      if (head.attempt >= attemptsFor(settings))
        return { do: "settle", calls: [{ call: head.call, status: "interrupted", text: MAY_HAVE_RUN }] };
      return { do: "invoke", calls: batch(openCalls, settings, limit) };
    case "retrying":
      if (head.retryAt > now) return { do: "sleep", until: head.retryAt };
      return { do: "invoke", calls: [head] };
  }
}

/** Its results come in their own time; without them the model is told so. */
function awaitClient(calls: readonly CallState[], now: Millis): Step {
  const deferred = calls.filter((item) => item.status === "deferred");
  const late = deferred.filter((item) => item.expiresAt <= now);
  if (late.length === 0) return { do: "wait", until: Math.min(...deferred.map((item) => item.expiresAt)) };
  return {
    do: "settle",
    calls: late.map(({ call }) => ({ call, status: "error", text: CLIENT_SILENT })),
  };
}

function stopped(item: CallState): Settlement {
  const ran = item.status === "started" || item.status === "retrying" || item.status === "deferred";
  return { call: item.call, status: ran ? "interrupted" : "denied", text: ran ? STOPPED_RUNNING : STOPPED };
}

function wasCutOff(item: CallState): boolean {
  return item.status === "started" && item.effect === "write";
}

/** So many commands at once: each is a tree of processes. */
export const MAX_COMMANDS = 8;

/** One call, or the neighboring `read` calls, or the neighboring commands behind it when they may overlap. */
function batch(calls: readonly CallState[], settings: AgentSettings, room: number): readonly CallState[] {
  const runnable: CallState[] = [];
  let kind: "read" | "command" | undefined;
  for (const item of calls) {
    if (item.status === "deferred") continue;
    if (item.status !== "allowed" && item.status !== "started") break;
    const own = item.effect === "read" ? "read" : isFreeCommand(item) ? "command" : undefined;
    const most = own === "command" ? Math.min(room, MAX_COMMANDS) : room;
    if (runnable.length > 0 && (own !== kind || !settings.parallelTools || runnable.length >= most)) break;
    runnable.push(item);
    kind = own;
    if (kind === undefined) break;
  }
  return runnable;
}

/** A command that no person was asked about: what they allowed is to be what runs, and a neighbor may write the script meanwhile. */
function isFreeCommand(item: CallState): boolean {
  return item.status === "allowed" && item.hash === undefined && item.call.name === "exec";
}

/** Attempts at a call that a crash cut off: a crash uses one up, and there is always a second. */
function attemptsFor(settings: AgentSettings): number {
  return Math.max(2, settings.maxRetries);
}

export function callLimit(settings: AgentSettings): number {
  if (settings.maxToolCalls === null) return Number.POSITIVE_INFINITY;
  return settings.maxToolCalls === "maxIterations" ? settings.maxIterations : settings.maxToolCalls;
}

/** A promised text stands as it is. */
function denialText(reason: string): string {
  return reason.startsWith("Error: ") ? reason : `Denied: ${reason.replace(/\.$/, "")}.`;
}
