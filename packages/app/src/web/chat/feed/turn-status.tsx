/** What the turn is doing while nothing is being written: asking, waiting to retry, waiting for you, stopping. */
import type { VNode } from "preact";
import { t } from "../../texts/chat.ts";
import { duration } from "../../texts/format.ts";
import { useNow } from "../../lib/now.ts";
import { Lazy } from "../../shell/lazy.tsx";
import type { Chat } from "../../store/chat-state.ts";

const CLOCK_AFTER_MS = 1_500;

export function TurnStatus({ chat }: { chat: Chat }): VNode | null {
  const turn = chat.turn.value;
  const now = useNow(turn !== undefined);
  if (turn === undefined) return null;
  const model = turn.model?.model ?? chat.detail.value?.model.model ?? "";
  const stopping = chat.stopping.value || turn.stopping === true;
  const overlay = chat.live.overlay.value;
  const writing = overlay !== undefined && (overlay.parts.length > 0 || overlay.calls.length > 0);
  let text: string | undefined;
  if (stopping) text = t("turn.stopping");
  else if (turn.doing === "sleep" && turn.retryAt !== undefined && turn.error)
    text = t("turn.retry", { model, reason: turn.error.message, time: duration(Math.max(0, turn.retryAt - now)) });
  else if (turn.doing === "wait") text = t("turn.wait");
  else if (writing || turn.doing === "invoke") return null;
  else if (overlay?.waitedMs !== undefined) text = t("turn.waiting", { model });
  else text = t(turn.doing === "request" ? "turn.asking" : "turn.working", { model });
  const since = turn.doing === "request" && turn.requestedAt !== undefined ? now - turn.requestedAt : 0;
  return (
    <div class="column turn-status">
      <span class="pulse" aria-hidden="true" />
      <span>{text}</span>
      {!stopping && since > CLOCK_AFTER_MS && (
        <span class="muted" aria-hidden="true">
          {duration(Math.floor(since / 1000) * 1000)}
        </span>
      )}
      {!stopping && turn.retryAt !== undefined && (
        <Lazy over load={async () => (await import("../remedies/waiting.tsx")).Waiting} props={{ chat }} />
      )}
    </div>
  );
}
