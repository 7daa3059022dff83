/** All runs of a job, newest first. */
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Table } from "../../../web/ui/table.tsx";
import { dateTime, duration, money } from "../../../web/panel-kit/format.ts";
import { ChatLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { RunState } from "./run-state.tsx";
import { jobName, type Job, type Page, type Run } from "./types.ts";

export function History({ job }: { readonly job: Job }) {
  const runs = useResource<Page<Run>>(`/cron/jobs/${encodeURIComponent(job.id)}/runs?limit=50`, "cron");
  return (
    <Loaded of={runs}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="muted">{t("noHistory")}</p>
        ) : (
          <Table
            caption={t("historyOf", { name: jobName(job) })}
            rows={items}
            rowKey={(run) => run.id}
            columns={[
              { id: "due", title: t("due"), cell: (run) => whenOf(run), sort: (run) => run.due },
              { id: "result", title: c("result"), cell: (run) => <RunState run={run} />, sort: (run) => run.result },
              {
                id: "took",
                title: c("duration"),
                align: "end",
                cell: (run) =>
                  run.startedAt === undefined || run.endedAt === undefined ? "" : duration(run.endedAt - run.startedAt),
              },
              {
                id: "cost",
                title: c("cost"),
                align: "end",
                cell: (run) => (job.mode === "agent" && run.result !== "skipped" ? money(run.costUsd) : ""),
              },
              {
                id: "answer",
                title: t("answer"),
                cell: (run) => (
                  <>
                    {run.text !== undefined && <div class="p-clip">{run.text}</div>}
                    {run.error !== undefined && <div class="p-error">{run.error.detail}</div>}
                    {run.session !== undefined && <ChatLink session={run.session}>{t("transcript")}</ChatLink>}
                  </>
                ),
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}

/** What was given up may be many due times in one row. */
function whenOf({ due, until }: Run): string {
  return until === undefined ? dateTime(due) : `${dateTime(due)} – ${dateTime(until)}`;
}
