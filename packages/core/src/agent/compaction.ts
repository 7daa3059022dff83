/** A new epoch with less in it: cut, summarize, freeze afresh, all in one commit. */
import type { Memory } from "../contract/memory.ts";
import type { ModelRef, NoticeMessage } from "../contract/message.ts";
import type { Session } from "../contract/session.ts";
import { cutByRows, cutByTokens, cutHead, withoutMedia, type Cut } from "../context/compact.ts";
import { apply, ask, modelFor } from "./consolidate.ts";
import type { LoopDeps } from "./deps.ts";
import type { Step } from "./step.ts";
import { excerpt, summarize, type Summary } from "./summarize.ts";
import { NO_USAGE } from "../lib/usage.ts";

const SUMMARY_TOKENS = 1500;

export async function compact(
  because: Extract<Step, { do: "compact" }>["because"],
  session: Session,
  deps: LoopDeps,
  model: ModelRef,
  signal: AbortSignal,
): Promise<void> {
  const { state } = session;
  const { settings, memory } = deps;
  const behind = because === "rows" ? state.answered?.gone : undefined;
  const cut = behind === undefined ? cutFor(because, session, deps) : cutHead(state, settings, behind);
  const summary =
    cut.gone.length === 0
      ? undefined
      : memory === undefined
        ? await summaryOf(cut, session, deps, model, signal)
        : await consolidated(cut, session, deps, memory, signal);
  const notice: readonly NoticeMessage[] =
    summary === undefined || summary.text.trim() === ""
      ? []
      : [
          {
            role: "notice",
            at: deps.clock.now(),
            kind: "summary",
            text: `Summary of the earlier conversation, written by the runtime:\n${summary.text}`,
          },
        ];
  const prefix = await deps.context.freeze(session.state, signal);
  if (summary?.fallback === true) deps.log.warn("compaction.fallback", { session: state.id, because });
  await session.commit(
    {
      type: "history.compacted",
      rows: cut.rows,
      kept: [...notice, ...cut.kept],
      usage: summary?.usage ?? NO_USAGE,
      fallback: summary?.fallback ?? false,
    },
    { type: "prefix.frozen", prefix, because: "compacted", model: state.frozenFor ?? model },
  );
}

/** Memory is written first, so that the new prefix holds it; the summary is the same answer's history half (ME7). */
async function consolidated(
  cut: Cut,
  session: Session,
  deps: LoopDeps,
  memory: Memory,
  signal: AbortSignal,
): Promise<Summary> {
  const { state } = session;
  const stretch = { messages: cut.gone, epoch: state.epoch, gone: cut.gone.length, rows: cut.rows };
  const once = (): ReturnType<typeof ask> => ask(stretch, session, deps, memory, modelFor(session, deps), signal);
  // An answer from before a crash, or from beside the lane, is used and not asked for again.
  const known = state.answered?.gone === cut.gone.length ? state.answered : undefined;
  const used = await apply(known ?? (await once()), memory, once);
  return { text: used.history, usage: NO_USAGE, fallback: used.fallback }; // counted when it was answered
}

/** Counts against the budgets like every request; without room for it the excerpt stands in (PR26). */
async function summaryOf(
  { gone }: Cut,
  session: Session,
  deps: LoopDeps,
  model: ModelRef,
  signal: AbortSignal,
): Promise<Summary> {
  const { state } = session;
  const maxTokens = Math.min(SUMMARY_TOKENS, deps.settings.maxTokens);
  const booked = deps.size({ ...state, messages: gone }) + maxTokens;
  if ((await deps.budget.reserve(state, booked)) !== undefined) return excerpt(gone);
  const request = { id: `s${state.seq}`, model: model.model, gone, cacheKey: `${state.id}-summary`, maxTokens };
  const summary = await summarize(deps.provider(model), request, signal);
  deps.budget.settle(state, booked, summary.usage);
  return summary;
}

function cutFor(because: Extract<Step, { do: "compact" }>["because"], session: Session, deps: LoopDeps): Cut {
  const { state } = session;
  const { settings } = deps;
  switch (because) {
    case "rows":
      return cutByRows(state, settings);
    case "media":
      return withoutMedia(state);
    case "tokens":
    case "refused": {
      const window = settings.contextWindow - settings.maxTokens;
      // A provider that refuses knows better than the table: half of what was sent must go.
      const budget = because === "refused" ? Math.min(window, deps.size(state)) : window;
      return cutByTokens(state, settings, Math.floor(budget * settings.tokenTarget), (messages) =>
        deps.size({ ...state, messages }),
      );
    }
  }
}
