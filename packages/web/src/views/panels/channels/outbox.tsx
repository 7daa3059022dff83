/** Answers that are not delivered yet: tried again, or dropped. */
import { c } from "../../../i18n/panels-common.ts";
import { t } from "../../../i18n/panels-channels.ts";
import { Table } from "../../../ui/table.tsx";
import { Act, Outcome, useAct } from "../kit/act.tsx";
import { api } from "../kit/api.ts";
import { dateTime, relative } from "../kit/format.ts";
import { ChatLink } from "../kit/go.tsx";
import { Empty } from "../kit/loaded.tsx";
import { More } from "../kit/more.tsx";
import { usePages } from "../kit/pages.ts";
import type { OutboxEntry } from "./types.ts";

export function Outbox() {
  const entries = usePages<OutboxEntry>("/outbox?limit=100", "channels");
  const acting = useAct();
  const post = (reply: string, verb: string) => async (): Promise<void> => {
    await api.post(`/outbox/${encodeURIComponent(reply)}/${verb}`);
    await entries.reload();
  };
  return (
    <div class="stack">
      <Outcome of={acting} />
      <More of={entries} empty={<Empty>{t("noOutbox")}</Empty>}>
        {(items) => (
          <Table
            caption={t("outbox")}
            rows={items}
            rowKey={({ reply }) => reply}
            columns={[
              {
                id: "state",
                title: c("state"),
                cell: ({ state }) => (
                  <span class={state === "failed" ? "badge danger" : "badge"}>
                    {state === "failed" ? t("state_failed") : t("state_retrying")}
                  </span>
                ),
              },
              {
                id: "to",
                title: t("to"),
                cell: ({ to, session }) => <ChatLink session={session}>{`${to.channel}:${to.chat}`}</ChatLink>,
              },
              { id: "text", title: t("text"), cell: ({ text }) => <span class="p-clip">{text}</span> },
              {
                id: "tries",
                title: t("tries"),
                align: "end",
                cell: ({ attempts }) => attempts,
                sort: ({ attempts }) => attempts,
              },
              {
                id: "next",
                title: t("next"),
                cell: ({ nextAt, at }) => (nextAt === undefined ? dateTime(at) : relative(nextAt)),
              },
              { id: "error", title: t("error"), cell: ({ error }) => <span class="p-error">{error}</span> },
              {
                id: "do",
                title: c("actions"),
                cell: ({ reply }) => (
                  <div class="p-row">
                    <Act acting={acting} work={post(reply, "retry")} size="small">
                      {t("retry")}
                    </Act>
                    <Act acting={acting} work={post(reply, "drop")} size="small" kind="quiet">
                      {t("drop")}
                    </Act>
                  </div>
                ),
              },
            ]}
          />
        )}
      </More>
    </div>
  );
}
