/** For each commit, the step plan() wanted: debugger, replay check and proof of determinism in one. */
import { limited } from "./context/window.ts";
import { plan } from "./loop/plan.ts";
import { callLimit } from "./loop/plan-calls.ts";
import type { Step } from "./loop/step.ts";
import { createPromptHash } from "./context/project.ts";
import { createTokenCounter } from "./context/tokens.ts";
import type { AgentSettings } from "./contract/agent-options.ts";
import type { SessionId } from "./contract/base.ts";
import type { Commit, JournalRecord } from "./contract/record.ts";
import type { SessionState } from "./contract/session.ts";
import { sha256 } from "./machine/system/hash.ts";
import { emptyState, fold } from "./session/reduce.ts";
import { firstOf } from "./lib/by-kind.ts";

export interface Explained {
  readonly commit: Commit;
  /** What `plan` wanted on the state before the commit. */
  readonly wanted: Step;
  /** The commit is the outcome of the step before it: an answer, a result. `wanted` is then what a crash would repeat. */
  readonly outcome: boolean;
  /** `outside`: it came from a person, a timer or the delivery, which need no plan. */
  readonly verdict: "wanted" | "outside" | "unexpected";
  /** Present on commits with a request: whether the stored prompt hash is that of the state. */
  readonly promptHashOk?: boolean;
  /** State after the commit. */
  readonly state: SessionState;
}

/** Folds the journal again. `settings` are today's: a commit made under others may be `unexpected`. */
export async function* explain(
  commits: AsyncIterable<Commit> | Iterable<Commit>,
  settings: AgentSettings,
): AsyncIterable<Explained> {
  const counter = createTokenCounter();
  const promptHash = createPromptHash(sha256);
  const input = {
    settings,
    behind: settings.memoryTiming === "background",
    size: (state: SessionState) => counter.request(state.prefix, state.messages, state.tokenFactor),
  };
  let state = emptyState("explained" as SessionId); // never stored
  for await (const commit of commits) {
    const wanted = plan(state, { ...input, settings: limited(settings, state.limits) }, commit.at);
    state = fold(state, commit);
    const request = firstOf(commit.records, "model.requested");
    yield {
      commit,
      wanted,
      outcome: commit.records.some((record) => OUTCOMES.has(record.type)),
      verdict: verdictOf(commit, wanted),
      state,
      ...(request !== undefined && { promptHashOk: request.promptHash === promptHash(state) }),
    };
  }
}

const OUTCOMES: ReadonlySet<JournalRecord["type"]> = new Set([
  "model.responded",
  "model.failed",
  "tool.finished",
  "tool.failed",
]);

/** Stand before any record. */
const BESIDE: ReadonlySet<JournalRecord["type"]> = new Set([
  "journal.raised",
  "notice.added",
  "prefix.frozen",
  "agent.bound",
]);

const OUTSIDE: ReadonlySet<JournalRecord["type"]> = new Set([
  "session.opened",
  "audience.set",
  "message.received",
  "voice.transcribed",
  "media.fetched",
  "message.edited",
  "messages.withdrawn",
  "command.handled",
  "control.handled",
  "context.endorsed",
  "skill.requested",
  "approval.resolved",
  "call.asked",
  "question.closed",
  "release.asked",
  "release.answered",
  "release.closed",
  "turn.cancelled",
  "reply.queued",
  "message.posted",
  "usage.counted",
  "reply.live",
  "reply.held",
  "handle.received",
  "reply.sending",
  "reply.sent",
  "reply.delivered",
  "reply.failed",
  "session.cleared",
  "history.imported",
  "memory.answered", // beside the lane, or the first half of a compaction
  "memory.written",
  "memory.archived",
  "session.configured",
]);

/** Which records carry out which step; notices may stand before any of them. */
const CARRIED_OUT_BY: Readonly<Record<Step["do"], readonly JournalRecord["type"][]>> = {
  start: ["turn.started"],
  deliver: ["messages.placed"],
  compact: ["history.compacted"],
  judge: ["call.judged", "call.deferred", "tool.finished"],
  // The start of an effect, and its outcome while the plan still wants it.
  invoke: ["tool.started", "tool.finished", "tool.failed"],
  recover: ["tool.finished", "tool.failed"],
  settle: ["tool.finished"],
  request: ["model.requested", "model.responded", "model.failed", "turn.ended", "messages.placed"],
  sleep: ["tool.started", "model.requested"],
  wait: ["tool.finished"],
  end: ["turn.ended", "messages.placed"],
  rest: [],
};

function verdictOf(commit: Commit, wanted: Step): Explained["verdict"] {
  const types = commit.records.map((record) => record.type).filter((type) => !BESIDE.has(type));
  if (types.every((type) => OUTSIDE.has(type))) return "outside";
  const allowed = CARRIED_OUT_BY[wanted.do];
  return types.some((type) => allowed.includes(type)) ? "wanted" : "unexpected";
}

/** One line for a person: what the loop wanted there. */
export function stepText(step: Step, settings: AgentSettings): string {
  switch (step.do) {
    case "start":
      return "start a turn";
    case "deliver":
      return `show ${step.results.length} result(s) and wait for somebody to ask`;
    case "compact":
      return `compact (${step.because})`;
    case "judge":
      return `judge ${step.calls.map((call) => call.name).join(", ")}`;
    case "invoke":
      return `run ${step.calls.map((item) => item.call.name).join(", ")}`;
    case "recover":
      return `ask the receipt of ${step.calls.map((item) => item.call.name).join(", ")}`;
    case "settle":
      return `settle ${step.calls.map((item) => `${item.call.name}: ${item.status}`).join(", ")}`;
    case "request":
      return `ask the model${step.attempt > 1 ? `, attempt ${step.attempt}` : ""}${step.place.length > 0 ? `, placing ${step.place.length}` : ""}${step.tools ? "" : ", without tools"}`;
    case "sleep":
      return `wait until ${new Date(step.until).toISOString()}`;
    case "wait":
      return `wait for an approval until ${new Date(step.until).toISOString()}`;
    case "end":
      return `end: ${step.reason}${step.reason === "limit" ? ` (${step.limit ?? callLimit(settings)})` : ""}`;
    case "rest":
      return "rest";
  }
}
