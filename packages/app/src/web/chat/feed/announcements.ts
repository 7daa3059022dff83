/** What happens in a chat, said once to screen readers: begin and end of an answer, approvals, failures. */
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../../texts/chat.ts";
import { announce } from "../../lib/announce.ts";
import { summaries } from "../../store/sessions.ts";
import { markSeen } from "../../store/seen.ts";
import type { Chat } from "../../store/chat-state.ts";

export function useAnnouncements(chat: Chat): void {
  useEffect(() => {
    let turn: string | undefined;
    let answering = false;
    let waiting = false;
    const asked = new Set<string>();
    return effect(() => {
      const running = chat.turn.value?.id;
      const live = chat.live.overlay.value;
      const writing = live !== undefined && (live.parts.length > 0 || live.calls.length > 0);
      const waits = !writing && live?.waitedMs !== undefined;
      if (waits && !waiting) announce(t("turn.waiting", { model: chat.turn.peek()?.model?.model ?? "" }));
      waiting = waits;
      if (writing && !answering) {
        answering = true;
        announce(t("say.answering"));
      }
      for (const approval of chat.approvals.value) {
        if (asked.has(approval.call)) continue;
        asked.add(approval.call);
        const title = chat.detail.peek()?.title ?? "";
        announce(t("say.approval", { tool: approval.tool, title }), "assertive");
      }
      const items = chat.items.value;
      const last = items.at(-1);
      const id = chat.id.peek() ?? "";
      // Commits that show nothing (a delivery, a title) are read with what is shown.
      const seq = Math.max(Number.parseInt(last?.id ?? "0", 10), summaries.value.get(id)?.lastSeq ?? 0);
      if (last && document.visibilityState === "visible") markSeen(id, seq);
      if (turn !== undefined && running === undefined) {
        const end = items.findLast((item) => item.kind === "turn-end");
        const reason = end?.kind === "turn-end" ? end.reason : "done";
        if (reason === "failed") announce(t("say.failed"), "assertive");
        else if (reason === "done") announce(t("say.finished", { n: wordsOf(chat, turn) }));
        else announce(t(reason === "cancelled" ? "say.stopped" : "say.early"));
        answering = false;
      }
      turn = running;
    });
  }, [chat]);
}

function wordsOf(chat: Chat, turn: string): number {
  const text = chat.items
    .peek()
    .flatMap((item) => (item.kind === "assistant" && item.turn === turn ? item.parts : []))
    .map((part) => (part.type === "text" ? part.text : ""))
    .join(" ");
  return [...text.matchAll(/\p{Script=Han}|[\p{L}\p{N}]+/gu)].length;
}
