/** The heartbeat: when it looks, whether it would ask the model now, its list of tasks, and what came of it. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import HeartbeatBody from "virtual:form/heartbeat/schema.ts#HeartbeatBody";
import type { HeartbeatBody as Written, HeartbeatCheck, HeartbeatSchema } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { fieldsOf } from "../../../web/ui/form-shape.ts";
import type { OwnControls } from "../../../web/ui/schema-form.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { Act } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime, money, relative } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { DraftText } from "../../../web/panel-kit/document/draft-text.tsx";
import type { MemoryText } from "../../memory/schema.ts";
import { TargetField } from "./target.tsx";

type Heartbeat = z.infer<typeof HeartbeatSchema>;
type Body = z.infer<typeof Written>;
type Check = z.infer<typeof HeartbeatCheck>;

const TONES = { skip: "", running: "accent", ok: "ok", silent: "", failed: "danger", cancelled: "warn" } as const;

export function HeartbeatTab() {
  const heartbeat = useResource<Heartbeat>("/heartbeat", "cron");
  const tasks = useResource<z.infer<typeof MemoryText>>("/memory/files/HEARTBEAT.md");
  const reload = async (): Promise<void> => {
    await Promise.all([heartbeat.reload(), tasks.reload()]);
  };
  return (
    <div class="stack">
      <p class="muted">{t("why")}</p>
      <Loaded of={heartbeat}>{(data) => <State heartbeat={data} reload={heartbeat.reload} />}</Loaded>
      <section class="stack">
        <h3>{t("tasks")}</h3>
        <p class="p-help">{t("tasksWhy")}</p>
        <Loaded of={tasks}>{(file) => <DraftText file={file} reload={reload} />}</Loaded>
      </section>
      {heartbeat.data !== undefined && <Runs runs={heartbeat.data.runs} />}
    </div>
  );
}

const OWN: OwnControls = {
  target: ({ value, fault, onChange }) => <TargetField value={String(value)} fault={fault} onChange={onChange} />,
};

function State({ heartbeat, reload }: { readonly heartbeat: Heartbeat; readonly reload: () => Promise<void> }) {
  const { enabled, intervalMinutes, target, silent, chat, fault, nextAt, openTasks, hash } = heartbeat;
  const form = useForm<Body>({
    name: "heartbeat/interval",
    saved: { enabled, intervalMinutes, target, silent },
    hash,
    fields: fieldsOf(HeartbeatBody, ["enabled", "intervalMinutes", "target", "silent"], t.find),
    reload,
    write: async (value, condition) => void (await api.put("/heartbeat", value, condition)),
    said: () => t("saved"),
  });
  const [check, setCheck] = useState<Check | undefined>(undefined);
  const ask = async (): Promise<void> => {
    setCheck((await api.post<Check>("/heartbeat/check")).body);
  };
  return (
    <section class="p-card">
      <ResourceForm
        form={form}
        own={OWN}
        actions={
          <Act acting={form.acting} work={ask}>
            {t("check")}
          </Act>
        }
      >
        <p class="p-facts-line">
          <span>
            {nextAt === null ? t("noNext") : t("next", { relative: relative(nextAt), exact: dateTime(nextAt) })}
          </span>
          <span>{t("open", { n: openTasks })}</span>
          <span>
            {t("target")}: {chat === null ? t("targetNone") : `${chat.channel}:${chat.chat}`}
          </span>
        </p>
        {fault !== undefined && <p class="note-box warn">{fault}</p>}
        {check !== undefined && (
          <p class="note-box" role="status">
            {t(check.wouldCall ? "yes" : "no", { because: check.because })}
          </p>
        )}
      </ResourceForm>
    </section>
  );
}

function Runs({ runs }: { readonly runs: Heartbeat["runs"] }) {
  return (
    <section class="stack">
      <h3>{t("runs")}</h3>
      {runs.length === 0 ? (
        <p class="muted">{t("noRuns")}</p>
      ) : (
        <Table
          caption={t("runs")}
          rows={runs}
          rowKey={({ at }) => String(at)}
          columns={[
            { id: "at", title: c("when"), cell: ({ at }) => dateTime(at), sort: ({ at }) => at },
            {
              id: "result",
              title: c("result"),
              cell: ({ result }) => <span class={`badge ${TONES[result]}`}>{t(`result_${result}`)}</span>,
            },
            {
              id: "text",
              title: c("details"),
              cell: ({ text, session }) => <ChatLink session={session}>{text ?? c("open")}</ChatLink>,
            },
            { id: "cost", title: c("cost"), align: "end", cell: ({ costUsd }) => money(costUsd) },
          ]}
        />
      )}
    </section>
  );
}
