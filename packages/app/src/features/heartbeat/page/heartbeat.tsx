/** The heartbeat: when it looks, whether it would ask the model now, its list of tasks, and what came of it. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { HeartbeatBody, HeartbeatCheck, HeartbeatSchema } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Control, Row } from "../../../web/ui/schema-form.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { dateTime, money, relative } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { DraftText } from "../../../web/panel-kit/document/draft-text.tsx";
import type { MemoryText } from "../../memory/schema.ts";
import { TargetField } from "./target.tsx";

type Heartbeat = z.infer<typeof HeartbeatSchema>;
type Body = z.infer<typeof HeartbeatBody>;
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

function State({ heartbeat, reload }: { readonly heartbeat: Heartbeat; readonly reload: () => Promise<void> }) {
  const { enabled, intervalMinutes, target, chat, fault, nextAt, openTasks } = heartbeat;
  const draft = useDraft<Body>("heartbeat/interval", { enabled, intervalMinutes, target }, heartbeat.hash);
  const [check, setCheck] = useState<Check | undefined>(undefined);
  const acting = useAct();
  const save = async (): Promise<void> => {
    await api.put("/heartbeat", draft.value, { ifMatch: `"${heartbeat.hash}"` });
    draft.discard();
    toast(t("saved"));
    await reload();
  };
  const ask = async (): Promise<void> => {
    setCheck((await api.post<Check>("/heartbeat/check")).body);
  };
  return (
    <section class="p-card">
      <Row title={t("on")} inline>
        {(id) => (
          <Control
            id={id}
            shape={{ is: "boolean" }}
            value={draft.value.enabled}
            onChange={(value) => draft.change({ ...draft.value, enabled: value === true })}
          />
        )}
      </Row>
      <Row title={t("interval")}>
        {(id) => (
          <Control
            id={id}
            shape={{ is: "number", integer: true, min: 1, max: 1440 }}
            value={draft.value.intervalMinutes}
            onChange={(value) => typeof value === "number" && draft.change({ ...draft.value, intervalMinutes: value })}
          />
        )}
      </Row>
      <TargetField
        value={draft.value.target ?? target}
        fault={faultsOf(acting.problem).get("/heartbeat/target")}
        onChange={(value) => draft.change({ ...draft.value, target: value })}
      />
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
      <Outcome of={acting} />
      {check !== undefined && (
        <p class="note-box" role="status">
          {t(check.wouldCall ? "yes" : "no", { because: check.because })}
        </p>
      )}
      <div class="p-row">
        <Act acting={acting} work={ask}>
          {t("check")}
        </Act>
        <span class="grow" />
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
        {draft.state !== "saved" && (
          <Act acting={acting} work={save} kind="primary">
            {c("save")}
          </Act>
        )}
      </div>
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
