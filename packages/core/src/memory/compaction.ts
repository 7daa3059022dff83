/** A new epoch with less in it: cut, summarize, freeze afresh, all in one commit. */
import { never } from "../lib/async/never.ts";
import type { ModelRef, NoticeMessage } from "../contract/message.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { cutByRows, cutByTokens, cutHead, measure, withoutMedia, type Cut, type Measured } from "./cut.ts";
import { keepsMemory, writeAnswer } from "./consolidate-behind.ts";
import { apply, ask, type Answered, type MemoryDeps } from "./consolidation.ts";
import { labelOfAll, marksOf } from "../lib/labels.ts";
import { LONG } from "../session/kept-rows.ts";
import { NO_USAGE } from "../lib/usage.ts";
import type { LoopDeps } from "../loop/deps.ts";
import type { Step } from "../loop/step.ts";
import { excerpt, summarize, SUMMARY_TOKENS, type Summary } from "./summarize.ts";
import { fitsTarget } from "../context/due.ts";

export async function compact(
  because: Extract<Step, { do: "compact" }>["because"],
  session: Session,
  deps: LoopDeps,
  model: ModelRef,
  signal: AbortSignal,
): Promise<void> {
  if (!keepsMemory(deps)) return cutAndFreeze(because, session, deps, model, signal);
  const { key } = session.state;
  await deps.consolidations.instead(key, async () => {
    // Of a context that is gone: it must be in the files before another answer takes its place.
    if (session.state.answered?.epoch !== session.state.epoch) await writeAnswer(session, deps, signal);
    await cutAndFreeze(because, session, deps, model, signal);
  });
}

async function cutAndFreeze(
  because: Extract<Step, { do: "compact" }>["because"],
  session: Session,
  deps: LoopDeps,
  model: ModelRef,
  signal: AbortSignal,
): Promise<void> {
  const { state } = session;
  const cut = await cutFor(because, session, deps);
  if (state.messages.length > LONG) await deps.pause();
  const summary =
    cut.gone.length === 0
      ? undefined
      : keepsMemory(deps)
        ? await consolidated(cut, session, deps, signal)
        : await summaryOf(cut, session, deps, model, signal);
  const notice: readonly NoticeMessage[] =
    summary === undefined || summary.text.trim() === ""
      ? []
      : [
          {
            role: "notice",
            at: deps.clock.now(),
            kind: "summary",
            text: `Summary of the earlier conversation, written by the runtime:\n${summary.text}`,
            ...marksOf(labelOfAll(cut.gone)),
          },
        ];
  // Memory is written by now: a stop that came in between must not have its rows asked about again.
  const prefix = await deps.context.freeze(session.state, never());
  if (session.state.cleared !== state.cleared) {
    // Emptied meanwhile, and empty it stays: what was asked for is paid all the same.
    if (summary !== undefined && summary.usage !== NO_USAGE)
      await session.commit({ type: "usage.counted", purpose: "compaction", model, usage: summary.usage });
    return;
  }
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

/**
 * Memory is written first, so that the new prefix holds it; the summary is the same answer's history half.
 * What a consolidation beside the lane covered already is not asked about again.
 */
async function consolidated(cut: Cut, session: Session, deps: MemoryDeps, signal: AbortSignal): Promise<Summary> {
  const { state } = session;
  const { answered, epoch, turn } = state;
  const covered = coveredHead(state);
  const texts: string[] = [];
  if (covered > 0) {
    await writeAnswer(session, deps, signal);
    texts.push(session.state.answered?.history ?? "");
  }
  const rest = cut.gone.slice(covered);
  let fallback = answered?.fallback ?? false;
  if (rest.some((message) => message.role !== "notice")) {
    const inTurn = turn !== undefined && { turn: turn.id };
    const rows = rest.filter((message) => message.role !== "notice").length;
    const stretch = { messages: rest, epoch, gone: cut.gone.length, ...inTurn, rows };
    const once = (before?: Answered): Promise<Answered> => ask(stretch, session, deps, signal, before);
    // An answer from before a crash is used and not asked for again.
    const known = answered?.turn !== undefined && answered.gone === cut.gone.length ? answered : undefined;
    const used = known ?? (await once());
    await apply(used, deps, once);
    texts.push(used.history);
    ({ fallback } = used);
  }
  const text = texts.filter((each) => each.trim() !== "").join("\n\n");
  return { text, usage: NO_USAGE, fallback }; // counted when it was answered
}

/** How many messages at the head of the context an answer is about. */
function coveredHead({ answered, epoch }: SessionState): number {
  return answered?.turn === undefined && answered?.epoch === epoch ? (answered.gone ?? 0) : 0;
}

/** Counts against the budgets like every request; without room for it the excerpt stands in. */
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
  let summary: Summary | undefined;
  try {
    summary = await summarize(deps.provider(model), request, signal);
    return summary;
  } finally {
    deps.budget.settle(state, booked, summary?.usage ?? NO_USAGE);
  }
}

async function cutFor(
  because: Extract<Step, { do: "compact" }>["because"],
  session: Session,
  deps: LoopDeps,
): Promise<Cut> {
  const { state } = session;
  const { settings } = deps;
  const measured = (): Promise<Measured> => measure(state.messages, settings, deps.counter, deps.pause);
  const head = coveredHead(state);
  const atLeastHead = (cut: Cut): Cut => (cut.gone.length < head ? cutHead(state, settings, head) : cut);
  switch (because) {
    case "rows":
      return head > 0
        ? cutHead(state, settings, head)
        : cutByRows(state, settings, await measured(), fitsTarget(state, deps));
    case "media":
      return withoutMedia(state);
    case "tokens":
    case "refused": {
      const window = settings.contextWindow - settings.maxTokens;
      // A provider that refuses knows better than the table: half of what was sent must go.
      const budget = because === "refused" ? Math.min(window, deps.size(state)) : window;
      return atLeastHead(cutByTokens(state, settings, await measured(), fitsTarget(state, deps, budget)));
    }
  }
}
