/** A new conversation that begins with what an old one came to: the same summary as a compaction makes, with its labels. */
import {
  excerpt,
  marksOf,
  type Seq,
  SUMMARIZES,
  SUMMARY_TOKENS,
  type Summary,
  toSummarize,
} from "@margay/core/internal";
import type { JournalRecord, SessionState } from "@margay/core";
import type { Making } from "../../host/api/route.ts";
import { Problem } from "../../host/api/problem.ts";
import { eventsOf, type Caller } from "../../host/sessions/access.ts";
import { adopt } from "../../host/sessions/create.ts";
import { forked } from "../../host/sessions/forked.ts";
import { titleOf } from "../../host/sessions/marks.ts";

/** Of the copy: that it was opened, and from which. */
const FIRST = 1 as Seq;

/** @throws Problem `session.busy`, `request.invalid`; RuntimeError `provider.*`: nothing was made. */
export async function withSummary(
  caller: Caller & Making & { readonly signal: AbortSignal },
  old: Summary,
): Promise<Summary> {
  const { app } = caller.services;
  const state = (await app.agent.sessions.find(old.key))?.state;
  if (state === undefined || state.messages.length === 0)
    throw new Problem("request.invalid", "Nothing is in the context of this conversation yet.");
  if (state.turn !== undefined)
    throw new Problem("session.busy", {
      detail: "A turn is running in this session.",
      remedy: "Wait for its end, or stop it.",
    });
  // Others would not read the new one, and what they said is not for whoever asks here.
  if (state.audience !== undefined)
    throw new Problem("request.invalid", "This conversation is read by others: it goes on where it is.");
  const text = await summaryOf(caller, state);
  const copy = await forked(caller, old.key, FIRST);
  const { model, persona, limits, agent, label } = state;
  const notice: JournalRecord = {
    type: "notice.added",
    notice: {
      role: "notice",
      at: app.clock.now(),
      kind: "summary",
      text: `Summary of the earlier conversation, written by the runtime:\n${text}`,
      ...marksOf(label),
    },
  };
  const configured: JournalRecord = {
    type: "session.configured",
    ...(model !== undefined && { model }),
    ...(persona !== undefined && { persona }),
    ...(limits !== undefined && { limits }),
    ...(agent !== undefined && { agent }),
    reset: false,
  };
  // Asked for again after its first attempt died behind this: it is there.
  if (copy.state.messages.length === 0) await copy.commit(configured, notice);
  const { marks } = eventsOf(caller.services);
  const mark = marks.of(old.id);
  return adopt(caller.services, copy.state.id, { title: titleOf(mark, old), folder: mark.folder });
}

/** Counted in the old one, within its budgets; without room for it the end of what was said stands in. */
async function summaryOf(
  { services: { app }, signal }: Caller & { readonly signal: AbortSignal },
  { key, messages, model }: SessionState,
): Promise<string> {
  const request = {
    purpose: "summary",
    system: SUMMARIZES,
    text: toSummarize([...messages]),
    maxOutputTokens: SUMMARY_TOKENS,
    ...(model !== undefined && { model }),
  };
  const parts = (await app.agent.ask(key, request, signal)) ?? [];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return text.trim() === "" ? excerpt([...messages]).text : app.inside.redact(text.trim());
}
