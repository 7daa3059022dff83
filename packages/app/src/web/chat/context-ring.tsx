/** How full the context is; a click tells of what, and offers to summarize what is old. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api } from "../api.ts";
import { t } from "../texts/chat.ts";
import { tokens } from "../texts/format.ts";
import { number } from "../texts/index.ts";
import type { Chat } from "../store/chat-state.ts";
import { navigate } from "../lib/route.ts";
import { putSummary } from "../store/sessions.ts";
import { toast } from "../ui/toast.tsx";
import { Lazy } from "../shell/lazy.tsx";
import type { SessionDetail } from "../wire.ts";

const RADIUS = 7;
const AROUND = 2 * Math.PI * RADIUS;
const NEARLY_FULL = 0.85;

export function ContextRing({ chat, detail }: { chat: Chat; detail: SessionDetail }): VNode {
  const [open, setOpen] = useState(false);
  const { tokens: used, window } = detail.context;
  const share = Math.min(1, used / window);
  const text = t("session.context", { used: tokens(used), window: tokens(window) });
  const percent = number(share, { style: "percent" });
  return (
    <>
      <button
        type="button"
        class="button quiet small context-ring"
        aria-label={`${percent} · ${text}`}
        title={text}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="10" cy="10" r={RADIUS} fill="none" stroke="var(--line)" stroke-width="2.5" />
          <circle
            cx="10"
            cy="10"
            r={RADIUS}
            fill="none"
            stroke={share > NEARLY_FULL ? "var(--warn)" : "var(--accent)"}
            stroke-width="2.5"
            stroke-dasharray={`${String(share * AROUND)} ${String(AROUND)}`}
            transform="rotate(-90 10 10)"
          />
        </svg>
        <span class="muted">{percent}</span>
      </button>
      {open && (
        <Lazy
          over
          load={async () => (await import("./context-dialog.tsx")).ContextDialog}
          props={{
            chat,
            id: detail.id,
            compact: () => compact(detail.id),
            goOn: () => goOnWithSummary(detail.id),
            onClose: () => setOpen(false),
          }}
        />
      )}
    </>
  );
}

/** Goes on in a new chat that begins with a summary of this one. */
export async function goOnWithSummary(id: string): Promise<void> {
  toast(t("session.summarizing"));
  const { body } = await api.post<SessionDetail>(`/sessions/${id}/summary`);
  putSummary(body);
  navigate({ page: "chat", session: body.id });
}

/** Asks the gateway to put a summary in the place of what is old. */
export async function compact(id: string): Promise<void> {
  await api.post(`/sessions/${id}/compact`);
  toast(t("session.compacting"));
}
