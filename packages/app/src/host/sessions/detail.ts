/** Sessions as the API shows them: a line of the list, and everything about one. */
import { type ModelRef, type Usage } from "@margay/core";
import { sha256, sourceOf, type Summary } from "@margay/core/internal";
import { type SessionView } from "@margay/core/state";
import { callsOf, type CallView, type ItemOf, type TurnView } from "@margay/core/internal/state";
import type { z } from "zod";
import type { App } from "../../app.ts";
import type { SessionDetailSchema, SessionSummarySchema } from "../../protocol/sessions.ts";
import type { Events } from "../live/events.ts";
import { titleOf, type Mark } from "./marks.ts";
import type { Partial } from "../live/overlay.ts";

export type SessionSummary = z.infer<typeof SessionSummarySchema>;
export type Pending = Pick<ItemOf<"user">, "messageId" | "key" | "from" | "parts" | "mode" | "at">;
/** The schema's, with the parts that core makes in core's own types. */
export type SessionDetail = Omit<z.infer<typeof SessionDetailSchema>, "turn" | "pending"> & {
  readonly turn?: TurnView & { readonly open: readonly CallView[]; readonly partial?: Partial };
  readonly pending: readonly Pending[];
};

/** @param isHidden its text is another person's. */
export function summaryOf(app: App, summary: Summary, mark: Mark, isHidden: boolean): SessionSummary {
  const { peer, audience, forkedFrom, parent, persona, agent } = summary;
  return {
    ...(isHidden && { private: true as const }),
    id: summary.id,
    key: summary.key,
    title: isHidden ? summary.key : titleOf(mark, summary),
    channel: summary.origin.channel,
    chat: summary.origin.chat,
    ...(peer !== undefined && !(isHidden && parent !== undefined) && { peer }), // a helper bears the name of its task
    ...(audience !== undefined && { audience }),
    source: sourceOf(summary),
    createdAt: summary.createdAt,
    updatedAt: summary.updatedAt,
    lastSeq: summary.lastSeq,
    messages: summary.messages,
    state: stateOf(summary),
    approvals: summary.asked.size,
    ...(mark.folder !== undefined && !isHidden && { folder: mark.folder }),
    pinned: mark.pinned === true,
    archived: mark.archived === true,
    ...(mark.trashedAt !== undefined && { trashedAt: mark.trashedAt }),
    ...(forkedFrom !== undefined && { forkedFrom }),
    ...(parent !== undefined && { parent }),
    model: modelOf(app, summary),
    ...(persona !== undefined && { persona }),
    ...(agent !== undefined && { agent: { ...agent } }),
    preview: isHidden ? "" : summary.preview,
    ...costed(summary.usage),
  };
}

export function stateOf({ asked, running, failed }: Summary): SessionSummary["state"] {
  if (asked.size > 0) return "waiting";
  if (running) return "running";
  return failed ? "failed" : "idle";
}

/** Of what can be changed about a session: its ETag. */
export function hashOf(summary: Summary, mark: Mark): string {
  return sha256(
    JSON.stringify([
      mark.title ?? null,
      mark.folder ?? null,
      mark.pinned ?? false,
      mark.archived ?? false,
      summary.model ?? null,
      summary.persona ?? null,
      summary.limits ?? null,
    ]),
  );
}

/** At one moment: equal to the view it is made with. */
export function detailOf(
  app: App,
  { index, marks, hub }: Events,
  summary: Summary,
  view: SessionView,
  isHidden: boolean,
): SessionDetail {
  const branches = [...index.known()]
    .filter(({ id, forkedFrom }) => forkedFrom?.session === summary.id && marks.of(id).trashedAt === undefined)
    .toSorted((left, right) => right.updatedAt - left.updatedAt || (left.id < right.id ? -1 : 1));
  const mark = marks.of(summary.id);
  const epoch = view.items.findLast((item) => item.kind === "epoch");
  const last = view.items.findLast((item) => item.kind === "assistant" && item.usage.input > 0);
  const usage = last?.kind === "assistant" ? last.usage : undefined;
  const partial = isHidden ? undefined : hub.partial(summary.id);
  const { turn } = view;
  const running = turn === undefined ? undefined : view.items.findLast((item) => item.kind === "assistant");
  return {
    ...summaryOf(app, summary, mark, isHidden),
    hash: hashOf(summary, mark),
    overrides: {
      ...(summary.model !== undefined && { model: summary.model }),
      ...(summary.persona !== undefined && { persona: summary.persona }),
      ...(summary.limits !== undefined && { limits: { ...summary.limits } }),
    },
    ...(epoch?.kind === "epoch" && { epoch: { hash: epoch.hash, openedAt: epoch.at, because: epoch.because } }),
    ...(turn !== undefined && {
      turn: {
        ...turn,
        open: !isHidden && running?.kind === "assistant" && running.turn === turn.id ? callsOf(running) : [],
        ...(partial !== undefined && { partial }),
      },
    }),
    pending: isHidden ? [] : view.pending.map(pendingOf),
    branches: branches.map((branch) => ({
      session: branch.id,
      title: isHidden ? "" : titleOf(marks.of(branch.id), branch),
      seq: branch.forkedFrom?.seq ?? 0,
      updatedAt: branch.updatedAt,
    })),
    context: {
      tokens: usage?.input ?? 0,
      window: app.agent.settings.contextWindow,
      cachedTokens: usage?.cacheRead ?? 0,
    },
  };
}

export function pendingOf({ messageId, key, from, parts, mode, at }: ItemOf<"user">): Pending {
  return { messageId, key, from, parts, mode, at };
}

function modelOf(app: App, { model, askedModel }: Summary): ModelRef {
  return model ?? askedModel ?? app.agent.model;
}

/** Usage without the cost inside, and the cost beside it: `null` when it is not known. */
export function costed(usage: Usage): {
  readonly usage: { input: number; output: number; cacheRead: number; cacheWrite: number };
  readonly costUsd: number | null;
} {
  const { input, output, cacheRead, cacheWrite, costUsd } = usage;
  return { usage: { input, output, cacheRead, cacheWrite }, costUsd: costUsd ?? null };
}
