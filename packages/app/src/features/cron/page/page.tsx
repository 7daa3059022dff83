/** Schedule: jobs as cards, what is due, and the builder for one of them. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Select } from "../../../web/ui/field.tsx";
import { Icon } from "../../../web/ui/icon.tsx";
import { dateTime, relative } from "../../../web/panel-kit/format.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { nowMs, useNow } from "../../../web/panel-kit/time.ts";
import { Builder } from "./builder.tsx";
import { JobCard } from "./card.tsx";
import { jobName, type Job, type Page, type Upcoming } from "./types.ts";

type Filter = "all" | "failed" | "paused";

export function CronPage({ rest }: PanelProps) {
  return rest === undefined ? <Jobs /> : <Builder id={rest === "new" ? undefined : rest} />;
}

function Jobs() {
  const jobs = useResource<Page<Job>>("/cron/jobs?limit=200", "cron");
  const [until] = useState(() => Math.round(nowMs()) + 7 * 86_400_000);
  const upcoming = useResource<Upcoming>(`/cron/upcoming?to=${until}&limit=50`, "cron");
  const [filter, setFilter] = useState<Filter>("all");
  const reload = async (): Promise<void> => {
    await Promise.all([jobs.reload(), upcoming.reload()]);
  };
  return (
    <Loaded of={jobs}>
      {({ items }) => {
        const shown = items.filter(
          (job) =>
            filter === "all" || (filter === "paused" ? !job.enabled : job.failures > 0 || job.invalid !== undefined),
        );
        return (
          <div class="stack">
            {upcoming.data?.paused === true && <p class="note-box warn">{t("pausedAll")}</p>}
            {items.length === 0 ? (
              <Empty action={<NewJob />}>{t("empty")}</Empty>
            ) : (
              <>
                <div class="p-row p-bottom">
                  <NewJob />
                  <span class="grow" />
                  <Select
                    label={t("filter")}
                    value={filter}
                    onValue={(value) => setFilter(value === "failed" || value === "paused" ? value : "all")}
                    options={[
                      { value: "all", label: t("filterAll") },
                      { value: "failed", label: t("filterFailed") },
                      { value: "paused", label: t("filterPaused") },
                    ]}
                  />
                </div>
                {shown.length === 0 && <p class="muted">{t("noneSuch")}</p>}
                <ul class="p-cards">
                  {shown.map((job) => (
                    <JobCard key={job.id} job={job} reload={reload} />
                  ))}
                </ul>
                {upcoming.data !== undefined && <Soon upcoming={upcoming.data} jobs={items} />}
              </>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

function NewJob() {
  return (
    <PanelLink to="cron/new" class="button primary">
      <Icon name="plus" />
      {t("new")}
    </PanelLink>
  );
}

function Soon({ upcoming, jobs }: { readonly upcoming: Upcoming; readonly jobs: readonly Job[] }) {
  const now = useNow();
  return (
    <section class="stack">
      <h3>{t("upcoming")}</h3>
      {upcoming.items.length === 0 ? (
        <p class="muted">{t("noUpcoming")}</p>
      ) : (
        <ol class="p-timeline">
          {upcoming.items.map(({ job, at, name }) => {
            const known = jobs.find(({ id }) => id === job);
            return (
              <li key={`${job} ${at}`}>
                <time dateTime={new Date(at).toISOString()}>{dateTime(at)}</time>
                <span class="p-faint">{relative(at, now)}</span>
                <PanelLink to={`cron/${job}`}>{name ?? (known === undefined ? job : jobName(known))}</PanelLink>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}
