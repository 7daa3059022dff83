/** How full the context is; a click tells of what, and offers to summarize what is old. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.ts";
import { t } from "../texts/chat.ts";
import { tokens } from "../texts/format.ts";
import { number } from "../texts/index.ts";
import type { Chat } from "../store/chat-state.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ProblemBox } from "../ui/problem.tsx";
import { Skeleton } from "../ui/states.tsx";
import { tell } from "../ui/tell.ts";
import { toast } from "../ui/toast.tsx";
import type { ContextReport, SessionDetail } from "../wire.ts";

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
      {open && <Breakdown chat={chat} id={detail.id} onClose={() => setOpen(false)} />}
    </>
  );
}

function Breakdown({ chat, id, onClose }: { chat: Chat; id: string; onClose: () => void }): VNode {
  const [report, setReport] = useState<ContextReport>();
  const [fault, setFault] = useState<unknown>();
  const load = (): void => {
    setFault(undefined);
    api.get<ContextReport>(`/sessions/${id}/context`).then(({ body }) => setReport(body), setFault);
  };
  useEffect(load, [id]);
  const summarize = async (): Promise<void> => {
    if (!(await tell(compact(id)))) return;
    onClose();
  };
  return (
    <Dialog
      title={t("context.title")}
      onClose={onClose}
      footer={
        <Button icon="layers" disabled={chat.turn.value !== undefined} onClick={() => void summarize()}>
          {t("session.compact")}
        </Button>
      }
    >
      {fault !== undefined ? (
        <ProblemBox error={fault} onRetry={load} />
      ) : report === undefined ? (
        <Skeleton lines={5} />
      ) : (
        <Sections report={report} />
      )}
    </Dialog>
  );
}

function Sections({ report }: { report: ContextReport }): VNode {
  const { sections, window } = report;
  const most = Math.max(1, ...sections.map((section) => section.tokens));
  return (
    <div class="stack">
      <p>{t("session.context", { used: tokens(report.tokens), window: tokens(window) })}</p>
      <table class="context-table">
        <caption class="visually-hidden">{t("context.title")}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{t("context.part")}</th>
            <th scope="col">{t("stats.usage")}</th>
          </tr>
        </thead>
        <tbody>
          {sections.map((section) => (
            <tr key={section.id}>
              <th scope="row">{t(`context.${section.id}`)}</th>
              <td>{tokens(section.tokens)}</td>
              <td class="context-bar" aria-hidden="true">
                <span style={{ width: `${String((100 * section.tokens) / most)}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted small">{t("context.why")}</p>
    </div>
  );
}

/** Asks the gateway to put a summary in the place of what is old. */
export async function compact(id: string): Promise<void> {
  await api.post(`/sessions/${id}/compact`);
  toast(t("session.compacting"));
}
