/** Turns, model requests, tools, approvals and jobs as numbers, from what the sessions and the schedule of this process do. */
import { type AgentEvent, type ModelRef, type Session } from "@margay/core";
import { costOf, modelInfo, type SessionId } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { RESULTS } from "../../features/cron/job-view.ts";
import type { Metrics } from "./metrics.ts";

interface Running {
  readonly source: string;
  model?: ModelRef;
  /** When the request in flight was sent, ms; absent once its first token was seen. */
  askedAt?: number;
}

/** Where no chat platform is: each is a source by itself. */
const SOURCES: ReadonlySet<string> = new Set(["cli", "web", "api", "cron", "heartbeat", "greeting", "hook", "system"]);

/** @returns the function that ends it. */
export function followTurns(app: App, metrics: Metrics): () => void {
  const { clock } = app;
  const turns = new Map<string, Running>();
  const sourceOf = (channel: string): string => {
    if (SOURCES.has(channel)) return channel;
    return Object.hasOwn(app.inside.loaded().config.channelsById, channel) ? channel : "other";
  };
  const failed = ({ model }: Running): void => {
    if (model !== undefined) metrics.add("margay_model_requests_total", { ...labelsOf(model), outcome: "failed" });
  };
  const note = (event: AgentEvent): void => {
    switch (event.type) {
      case "turn.started":
        turns.set(event.turn, { source: sourceOf(event.replyTo.channel) });
        return;
      case "model.requested": {
        const turn = turns.get(event.turn) ?? { source: "other" };
        turns.set(event.turn, { ...turn, model: event.model, askedAt: clock.monotonic() });
        return;
      }
      case "text.delta":
      case "thinking.delta":
      case "tool-call.delta": {
        const turn = turns.get(event.turn);
        if (turn?.askedAt === undefined) return;
        metrics.observe("margay_first_token_seconds", (clock.monotonic() - turn.askedAt) / 1000);
        delete turn.askedAt;
        return;
      }
      case "model.responded": {
        const { usage, model: ref } = event.message;
        metrics.add("margay_model_requests_total", { ...labelsOf(ref), outcome: "ok" });
        for (const [kind, count] of [
          ["input", usage.input],
          ["output", usage.output],
          ["cache_read", usage.cacheRead],
          ["cache_write", usage.cacheWrite],
        ] as const)
          metrics.add("margay_tokens_total", { kind }, count);
        const cost = costOf(usage, modelInfo(ref.provider, ref.model).price);
        if (cost !== undefined) metrics.add("margay_cost_usd_total", {}, cost);
        return;
      }
      case "model.failed":
        failed(turns.get(event.turn) ?? { source: "other" });
        return;
      case "tool.finished": {
        const { name, status } = event.message;
        metrics.add("margay_tool_calls_total", { tool: toolLabel(name, app), status });
        metrics.observe("margay_tool_seconds", event.durationMs / 1000);
        return;
      }
      case "approval.resolved":
        metrics.add("margay_approvals_total", { verdict: event.verdict });
        return;
      case "turn.ended": {
        const source = turns.get(event.turn)?.source ?? "other";
        turns.delete(event.turn);
        metrics.add("margay_turns_total", { source, reason: event.reason });
        metrics.observe("margay_turn_seconds", event.durationMs / 1000);
        return;
      }
      // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other records are no numbers
      default:
    }
  };
  const waiting = new Map<SessionId, number>();
  const countWaiting = ({ state }: Session): void => {
    if (state.pending.length === (waiting.get(state.id) ?? 0)) return;
    if (state.pending.length === 0) waiting.delete(state.id);
    else waiting.set(state.id, state.pending.length);
    metrics.set(
      "margay_inbox_pending",
      [...waiting.values()].reduce((sum, count) => sum + count, 0),
    );
  };
  metrics.set("margay_inbox_pending", 0);
  const unwatchJobs = app.schedule.cron?.watch((_id, record) => {
    if (record.type === "run.finished") metrics.add("margay_cron_runs_total", { result: RESULTS[record.status] });
    if (record.type === "run.skipped") metrics.add("margay_cron_runs_total", { result: "skipped" });
  });
  const unwatch = app.inside.feed.watch((session) => {
    countWaiting(session);
    session.subscribe((event) => {
      note(event);
      if ("seq" in event) countWaiting(session);
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
