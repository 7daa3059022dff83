/** Of what the context of a chat is full. Loaded when somebody asks. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.ts";
import { t as ofChat } from "../texts/chat.ts";
import { tokens } from "../texts/format.ts";
import type { Chat } from "../store/chat-state.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ProblemBox } from "../ui/problem.tsx";
import { Skeleton } from "../ui/states.tsx";
import { tell } from "../ui/tell.ts";
import type { ContextReport } from "../wire.ts";
import { t } from "./context-texts.ts";

interface ContextProps {
  readonly chat: Chat;
  readonly id: string;
  /** Puts a summary in the place of what is old. */
  readonly compact: () => Promise<void>;
  /** In a new chat that begins with a summary. */
  readonly goOn: () => Promise<void>;
  readonly onClose: () => void;
}

export function ContextDialog({ chat, id, compact, goOn, onClose }: ContextProps): VNode {
  const [report, setReport] = useState<ContextReport>();
  const [fault, setFault] = useState<unknown>();
  const load = (): void => {
    setFault(undefined);
    api.get<ContextReport>(`/sessions/${id}/context`).then(({ body }) => setReport(body), setFault);
  };
  useEffect(load, [id]);
  const close = async (work: Promise<void>): Promise<void> => {
    if (await tell(work)) onClose();
  };
  return (
    <Dialog
      title={t("title")}
      onClose={onClose}
      footer={
        <>
          <Button
            icon="plus"
            needs="summarizeIntoNew"
            disabled={chat.turn.value !== undefined}
            onClick={() => void close(goOn())}
          >
            {ofChat("session.goOn")}
          </Button>
          <Button icon="layers" disabled={chat.turn.value !== undefined} onClick={() => void close(compact())}>
            {ofChat("session.compact")}
          </Button>
        </>
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
      <p>{ofChat("session.context", { used: tokens(report.tokens), window: tokens(window) })}</p>
      <table class="context-table">
        <caption class="visually-hidden">{t("title")}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{t("part")}</th>
            <th scope="col">{ofChat("stats.usage")}</th>
          </tr>
        </thead>
        <tbody>
          {sections.map((section) => (
            <tr key={section.id}>
              <th scope="row">{t(section.id)}</th>
              <td>{tokens(section.tokens)}</td>
              <td class="context-bar" aria-hidden="true">
                <span style={{ width: `${String((100 * section.tokens) / most)}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted small">{t("why")}</p>
    </div>
  );
}
