/** What the screen says of the turn that runs, and the status below the line. */
import type { ChatApp } from "../chat-app.ts";
import { safeLine } from "../safe.ts";
import type { ScreenState } from "./screen-state.ts";
import { fit, WIDE, type Kit } from "./kit.ts";
import { statusLines, workLine } from "./status-line.ts";

export function belowLines(
  app: ChatApp,
  { hint: given, editing, shown, session, usage, facts }: ScreenState,
  now: number,
  width: number,
  kit: Kit,
): readonly string[] {
  // Beside the title of the queue there is room for it on a wide terminal alone.
  const hint = given ?? (editing !== undefined && width < WIDE ? kit.texts("queue.keys") : undefined);
  if (hint !== undefined) return [fit(kit.style.dim(` ${hint}`), width, kit)];
  const [question] = shown.approvals;
  const values = {
    model: modelOf(app),
    practice: app.practice(),
    session: safeLine(session),
    usage,
    contextTokens: shown.contextTokens,
    contextWindow: app.agent.settings.contextWindow,
    facts,
    isAtWork: shown.turn !== undefined,
    waiting: shown.waiting.length,
    ...(question !== undefined && { leftMs: question.expiresAt - now }),
  };
  return statusLines(values, width, kit);
}

function modelOf({ agent: { model } }: ChatApp): string {
  return safeLine(`${model.provider}/${model.model}`);
}

/** Nothing while a card says it, or a question stands below. */
export function doingLines(
  app: ChatApp,
  { shown: { turn, approvals }, stopping }: ScreenState,
  now: number,
  width: number,
  kit: Kit,
): readonly string[] {
  const { texts } = kit;
  if (turn === undefined) return [];
  if (stopping) return [workLine(texts("doing.stopping"), undefined, now, width, kit)];
  if (approvals.length > 0 || turn.tool !== undefined) return [];
  const { doing, since } = turn;
  if (doing === "retrying")
    return [
      workLine(texts("doing.retrying", { reason: safeLine(turn.error?.message ?? "") }), undefined, now, width, kit),
    ];
  return [workLine(texts(`doing.${doing}`, { model: modelOf(app) }), since, now, width, kit)];
}
