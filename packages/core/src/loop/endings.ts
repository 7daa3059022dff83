/** The end of a turn and what the person is told: one commit, so that there is no end without a reply. */
import type { ContentPart } from "../contract/message.ts";
import type { ErrorInfo, JournalRecord } from "../contract/record.ts";
import type { Session, TurnState } from "../contract/session.ts";
import type { LoopDeps } from "./deps.ts";
import { someMarks } from "../lib/labels.ts";
import { openedWith, sameAddress } from "./placement.ts";
import type { Step } from "./step.ts";
import { hideLinks } from "./delivery/outgoing-links.ts";
import { cutMark, errorText, limitNotice } from "./texts.ts";

export async function endTurn(step: Extract<Step, { do: "end" }>, session: Session, deps: LoopDeps): Promise<void> {
  const { turn } = session.state;
  if (turn === undefined) return;
  deps.firstWords.over(session.state.key);
  const { text: said, notice, kind } = closing(step, turn, deps);
  const text = hideLinks(said, session.state, deps.settings.language);
  // A turn that ends before its first request still answers what it opened with, which must not start another turn. Those
  // that came after it do: nobody has answered them.
  const unplaced = openedWith(session.state);
  const records: JournalRecord[] = [
    ...(unplaced.length > 0
      ? [{ type: "messages.placed" as const, ids: unplaced.map((item) => item.message.id) }]
      : []),
    {
      type: "turn.ended",
      turn: turn.id,
      reason: step.reason,
      text,
      ...(notice !== undefined && { notice }),
      ...(step.error !== undefined && { error: step.error }),
      durationMs: durationOf(turn, deps),
      usage: turn.usage,
    },
  ];
  if (step.reason !== "cancelled" && text.trim() !== "" && !alreadySent(turn, text))
    records.push({
      type: "reply.queued",
      reply: `${turn.id}:reply`,
      to: turn.replyTo,
      kind,
      parts: [{ type: "text", text } satisfies ContentPart],
      ...someMarks(session.state.label),
    });
  await session.commit(...records);
}

/** The wall clock may have jumped meanwhile; only a turn that survived a restart has nothing better. */
function durationOf(turn: TurnState, { clock, stopwatch }: LoopDeps): number {
  return Math.round(stopwatch.stop(turn.id) ?? Math.max(0, clock.now() - turn.startedAt));
}

function closing(
  step: Extract<Step, { do: "end" }>,
  turn: TurnState,
  deps: LoopDeps,
): { text: string; notice?: string; kind: "reply" | "error" } {
  const { language, replyText, limitNotice: shown } = deps.settings;
  const said = (replyText === "all" ? turn.texts.join("") : (turn.texts.at(-1) ?? "")).trimEnd();
  switch (step.reason) {
    case "done":
    case "cancelled":
      return { text: said, kind: "reply" };
    case "limit": {
      const notice = limitNotice(language, step.limit ?? deps.settings.maxIterations);
      return shown ? { ...withNotice(said, notice), kind: "reply" } : { text: said, kind: "reply" };
    }
    case "budget":
      return { ...withNotice(said, errorText(language, step.error ?? UNKNOWN)), kind: "error" };
    case "failed": {
      const error = step.error ?? UNKNOWN;
      // A refusal is the provider's own sentence when it gave one.
      if (error.code === "model.refused" && said !== "") return { text: said, kind: "reply" };
      const broken = turn.finish === "cut" && said !== "";
      return {
        ...withNotice(
          broken ? `${said} ${cutMark(language)}` : replyText === "all" ? said : "",
          errorText(language, error),
        ),
        kind: "error",
      };
    }
  }
}

const UNKNOWN: ErrorInfo = { code: "internal.bug", message: "The turn ended for an unknown reason.", retryable: false };

/** Ours comes last, after a blank line when the model said something. */
function withNotice(text: string, notice: string): { text: string; notice: string } {
  return { text: text === "" ? notice : `${text}\n\n${notice}`, notice };
}

/** The `message` tool already said exactly this here. */
function alreadySent(turn: TurnState, text: string): boolean {
  return turn.sent.some((item) => sameAddress(item.to, turn.replyTo) && item.text.trim() === text.trim());
}
