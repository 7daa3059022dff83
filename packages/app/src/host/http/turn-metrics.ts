/** Turns, model requests, tools, approvals and jobs as numbers, from what the sessions and the schedule of this process do. */
import { type AgentEvent, type ModelRef, type Session } from "@margay/core";
import {
  bySomeKind,
  costOf,
  modelInfo,
  type OfKind,
  type SessionId,
  type SomeKinds,
  type TurnId,
} from "@margay/core/internal";
import type { App } from "../../app.ts";
import { RESULTS } from "../run-results.ts";
import type { Metrics } from "./metrics.ts";

interface Running {
  readonly source: string;
  model?: ModelRef;
  /** When the request in flight was sent, ms; absent once its first token was seen. */
  askedAt?: number;
}

/** Where no chat platform is: each is a source by itself. */
const SOURCES: ReadonlySet<string> = new Set(["cli", "web", "api", "cron", "heartbeat", "greeting", "hook", "system"]);

/** What is counted with. */
interface Counting {
  readonly app: App;
  readonly metrics: Metrics;
  readonly turns: Map<string, Running>;
  /** Messages that wait, by session. */
  readonly waiting: Map<SessionId, number>;
}

/** @returns the function that ends it. */
export function followTurns(app: App, metrics: Metrics): () => void {
  const counting: Counting = { app, metrics, turns: new Map(), waiting: new Map() };
  metrics.set("margay_inbox_pending", 0);
  const unwatchJobs = app.schedule.cron?.watch((_id, record) => {
    if (record.type === "run.finished") metrics.add("margay_cron_runs_total", { result: RESULTS[record.status] });
    if (record.type === "run.skipped") metrics.add("margay_cron_runs_total", { result: "skipped" });
  });
  const unwatch = app.inside.feed.watch((session) => {
    countWaiting(session, counting);
    session.subscribe((event) => {
      bySomeKind(EVENTS, event, counting);
      if ("seq" in event) countWaiting(session, counting);
    });
  });
  const unwatchCommits = app.inside.commitTimes.watch((ms) =>
    metrics.observe("margay_journal_commit_seconds", ms / 1000),
  );
  return () => {
    unwatchCommits();
    unwatch();
    unwatchJobs?.();
  };
}

/** Other events are no numbers. */
const EVENTS: SomeKinds<AgentEvent, [counting: Counting], void> = {
  "turn.started": ({ turn, replyTo }, { turns, app }) => {
    turns.set(turn, { source: sourceOf(replyTo.channel, app) });
  },
  "model.requested": ({ turn, model }, { turns, app }) => {
    turns.set(turn, { ...(turns.get(turn) ?? OTHER), model, askedAt: app.clock.monotonic() });
  },
  "text.delta": firstToken,
  "thinking.delta": firstToken,
  "tool-call.delta": firstToken,
  "model.responded": responded,
  "model.failed": ({ turn }, { turns, metrics }) => {
    const { model } = turns.get(turn) ?? OTHER;
    if (model !== undefined) metrics.add("margay_model_requests_total", { ...labelsOf(model), outcome: "failed" });
  },
  "tool.finished": ({ message: { name, status }, durationMs }, { metrics, app }) => {
    metrics.add("margay_tool_calls_total", { tool: toolLabel(name, app), status });
    metrics.observe("margay_tool_seconds", durationMs / 1000);
  },
  "approval.resolved": ({ verdict }, { metrics }) => metrics.add("margay_approvals_total", { verdict }),
  "turn.ended": ({ turn, reason, durationMs }, { turns, metrics }) => {
    const { source } = turns.get(turn) ?? OTHER;
    turns.delete(turn);
    metrics.add("margay_turns_total", { source, reason });
    metrics.observe("margay_turn_seconds", durationMs / 1000);
  },
};

const OTHER: Running = { source: "other" };

function firstToken({ turn: id }: { readonly turn: TurnId }, { turns, metrics, app }: Counting): void {
  const turn = turns.get(id);
  if (turn?.askedAt === undefined) return;
  metrics.observe("margay_first_token_seconds", (app.clock.monotonic() - turn.askedAt) / 1000);
  delete turn.askedAt;
}

function responded({ message }: OfKind<AgentEvent, "model.responded">, { metrics }: Counting): void {
  const { usage, model } = message;
  metrics.add("margay_model_requests_total", { ...labelsOf(model), outcome: "ok" });
  for (const [kind, count] of [
    ["input", usage.input],
    ["output", usage.output],
    ["cache_read", usage.cacheRead],
    ["cache_write", usage.cacheWrite],
  ] as const)
    metrics.add("margay_tokens_total", { kind }, count);
  const cost = usage.costUsd ?? costOf(usage, modelInfo(model.provider, model.model).price);
  if (cost !== undefined) metrics.add("margay_cost_usd_total", {}, cost);
}

function countWaiting({ state }: Session, { metrics, waiting }: Counting): void {
  if (state.pending.length === (waiting.get(state.id) ?? 0)) return;
  if (state.pending.length === 0) waiting.delete(state.id);
  else waiting.set(state.id, state.pending.length);
  metrics.set(
    "margay_inbox_pending",
    [...waiting.values()].reduce((sum, count) => sum + count, 0),
  );
}

function sourceOf(channel: string, { inside }: App): string {
  if (SOURCES.has(channel)) return channel;
  return Object.hasOwn(inside.loaded().config.channelsById, channel) ? channel : "other";
}

function labelsOf({ provider, model }: ModelRef): Readonly<Record<string, string>> {
  return { provider, model };
}

/** Names of strangers' tools are their own matter: MCP tools count for their server, a client's for the client. */
function toolLabel(name: string, { inside }: App): string {
  const { mcpServers } = inside.loaded().config;
  const server = Object.keys(mcpServers).find((one) => name.startsWith(`mcp_${one}_`));
  if (server !== undefined) return `mcp:${server}`;
  return inside.tools.list().some((tool) => tool.name === name) ? name : "client";
}
