/** What ends a turn, and what the person is told, as records. Pure. */
import type { Said } from "../contract/people.ts";
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Millis } from "../contract/base.ts";
import type { ContentPart } from "../contract/message.ts";
import type { ErrorInfo, JournalRecord } from "../contract/record.ts";
import type { SessionState, TurnState } from "../contract/session.ts";
import { sameAddress } from "../lib/session-key.ts";
import { isGroup } from "../lib/audience.ts";
import { someMarks } from "../lib/labels.ts";
import { cameByVoice } from "../lib/text.ts";
import { finalReply } from "../session/reduce-outbox.ts";
import { shareOf } from "../session/spending.ts";
import type { TurnDeps } from "./deps.ts";
import { notice as runtimeNotice } from "./model-step.ts";
import { openedWith } from "./placement.ts";
import type { Step } from "./step.ts";
import { hideLinks } from "../channels/markup/outgoing-links.ts";
import { cutMark, errorText, groupError, limitNotice, shareUsedUp } from "./texts.ts";

export function ending(
  step: Extract<Step, { do: "end" }>,
  state: SessionState,
  turn: TurnState,
  durationMs: Millis,
  { settings, clock }: Pick<TurnDeps, "settings" | "clock">,
  instead?: Said,
): readonly JournalRecord[] {
  const own =
    state.audience !== undefined && isGroup(state.audience)
      ? inGroup(step, state, turn, durationMs, settings)
      : closing(step, turn, settings);
  const { text: said, kind } = own;
  const notice = instead === undefined ? own.notice : undefined;
  const text = instead?.text ?? hideLinks(said, state, settings.language);
  // A turn that ends before its first request still answers what it opened with, which must not start another turn. Those
  // that came after it do: nobody has answered them.
  const unplaced = openedWith(state);
  const records: JournalRecord[] = [
    ...(unplaced.length > 0
      ? [{ type: "messages.placed" as const, ids: unplaced.map((item) => item.message.id) }]
      : []),
    ...(instead === undefined
      ? []
      : [{ type: "notice.added" as const, notice: runtimeNotice(clock.now(), instead.notice) }]),
    {
      type: "turn.ended",
      turn: turn.id,
      reason: step.reason,
      text,
      ...(notice !== undefined && { notice }),
      ...(step.error !== undefined && { error: step.error }),
      durationMs: Math.round(durationMs),
      usage: turn.usage,
    },
  ];
  if (step.reason !== "cancelled" && text.trim() !== "" && !alreadySent(turn, text))
    records.push({
      type: "reply.queued",
      reply: finalReply(turn.id),
      to: turn.replyTo,
      kind,
      parts: [{ type: "text", text } satisfies ContentPart],
      ...(instead === undefined && someMarks(state.label)),
      ...(turn.opening !== undefined && state.handles !== undefined && { answers: turn.opening }),
      ...(kind === "reply" &&
        cameByVoice(state) && { voice: turn.speaker === undefined ? {} : { speaker: turn.speaker } }),
    });
  return records;
}

function closing(
  step: Extract<Step, { do: "end" }>,
  turn: TurnState,
  { language, replyText, limitNotice: shown, maxIterations }: AgentSettings,
): { text: string; notice?: string; kind: "reply" | "error" } {
  const said = (replyText === "all" ? turn.texts.join("") : (turn.texts.at(-1) ?? "")).trimEnd();
  switch (step.reason) {
    case "done":
    case "cancelled":
      return { text: said, kind: "reply" };
    case "limit": {
      const notice = limitNotice(language, step.limit ?? maxIterations);
      return shown ? { ...withNotice(said, notice), kind: "reply" } : { text: said, kind: "reply" };
    }
    case "budget": {
      const error = step.error ?? UNKNOWN;
      const share = shareOf(error);
      if (share === "told") return { text: said, kind: "reply" };
      return {
        ...withNotice(said, share === undefined ? errorText(language, error) : shareUsedUp(language)),
        kind: "error",
      };
    }
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

/** What a model says there that has nothing to say. */
const NOTHING = "(nothing)";
const ERROR_EVERY_MS = 600_000;

/** Others read along: nothing of what is wrong with us but one sentence now and then, and nothing of what anything costs. */
function inGroup(
  step: Extract<Step, { do: "end" }>,
  { errorAt }: SessionState,
  turn: TurnState,
  durationMs: Millis,
  settings: AgentSettings,
): ReturnType<typeof closing> {
  const said = (turn.texts.at(-1) ?? "").trim();
  const text = said === NOTHING ? "" : said;
  if (step.reason !== "failed" || text !== "") return { text, kind: "reply" };
  const isSaid = errorAt !== undefined && turn.startedAt + durationMs - errorAt < ERROR_EVERY_MS;
  return { text: isSaid ? "" : groupError(settings.language), kind: "error" };
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
