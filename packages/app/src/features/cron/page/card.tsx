/** One job: what, when, to whom, how it went, and what can be done with it. */
import { useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { toast, undoable } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime, duration, money, relative } from "../../../web/panel-kit/format.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { useNow } from "../../../web/panel-kit/time.ts";
import { History } from "./history.tsx";
import { RunState } from "./run-state.tsx";
import { inputOf, jobName, type Job } from "./types.ts";

/** What was given up longer ago than this before the last run is read in the history. */
const SKIPPED_SHOWN_MS = 86_400_000;

interface Props {
  readonly job: Job;
  readonly reload: () => Promise<void>;
}

export function JobCard({ job, reload }: Props) {
  const acting = useAct();
  const now = useNow();
  const [history, setHistory] = useState(false);
  const path = `/cron/jobs/${encodeURIComponent(job.id)}`;
  const name = jobName(job);
  const post = (verb: string) => async (): Promise<void> => {
    await api.post(`${path}/${verb}`);
    if (verb === "run") toast(t("started"));
    await reload();
  };
  const again = async (): Promise<void> => {
    await api.post("/cron/jobs", inputOf(job));
    await reload();
  };
  const remove = async (): Promise<void> => {
    await api.delete(path, { ifMatch: `"${job.hash}"` });
    undoable(t("deleted"), () => void acting.run(again));
    await reload();
  };
  const copy = async (): Promise<void> => {
    await api.post("/cron/jobs", { ...inputOf(job), name: t("copyOf", { name }), enabled: false });
    await reload();
  };
  return (
    <li class="p-card" data-job={job.id}>
      <div class="p-row">
        <PanelLink to={`cron/${job.id}`} class="p-title grow">
          {name}
        </PanelLink>
        {job.running && <span class="badge accent">{t("running")}</span>}
        {!job.enabled && <span class="badge">{t("paused")}</span>}
      </div>
      <p>{job.description}</p>
      {job.invalid !== undefined && <p class="p-error">{t("invalid", { reason: job.invalid.detail })}</p>}
      <p class="p-facts-line">
        <span>
          {job.nextAt === undefined
            ? t("noNext")
            : t("next", { relative: relative(job.nextAt, now), exact: dateTime(job.nextAt) })}
        </span>
        <span>{job.mode === "agent" ? t("modeAgentShort") : t("modeDeliverShort")}</span>
        {job.agent !== undefined && <span>{t("ofAgent", { name: job.agent })}</span>}
        <span title={`${job.target.channel}:${job.target.chat}`}>→ {job.target.channel}</span>
      </p>
      <Runs job={job} now={now} />
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={post("run")} icon="play" size="small" disabled={job.running}>
          {t("runNow")}
        </Act>
        <Act
          acting={acting}
          work={post(job.enabled ? "pause" : "resume")}
          icon={job.enabled ? "pause" : "play"}
          size="small"
        >
          {job.enabled ? t("pause") : t("resume")}
        </Act>
        <Button size="small" icon="clock" aria-expanded={history} onClick={() => setHistory(!history)}>
          {t("history")}
        </Button>
        <span class="grow" />
        <Act acting={acting} work={copy} icon="copy" size="small" kind="quiet" label={`${c("duplicate")}: ${name}`} />
        <Act acting={acting} work={remove} icon="trash" size="small" kind="quiet" label={`${c("delete")}: ${name}`} />
      </div>
      {history && <History job={job} />}
    </li>
  );
}

/** How it went last, and what was given up since. */
function Runs({ job, now }: { readonly job: Job; readonly now: number }) {
  return (
    <>
      {job.last === undefined ? (
        <p class="p-facts-line">
          <span>{t("neverRan")}</span>
          <span>{t("counts", { runs: job.runs, failures: job.failures })}</span>
        </p>
      ) : (
        <div class="p-quote">
          <p class="p-facts-line">
            <span>{t("last", { when: relative(job.last.startedAt ?? job.last.due, now) })}</span>
            <RunState run={job.last} />
            {job.last.startedAt !== undefined && job.last.endedAt !== undefined && (
              <span>{duration(job.last.endedAt - job.last.startedAt)}</span>
            )}
            {job.mode === "agent" && job.last.result !== "skipped" && <span>{money(job.last.costUsd)}</span>}
            <span>{t("counts", { runs: job.runs, failures: job.failures })}</span>
          </p>
          {job.last.text !== undefined && <p class="p-clip">{job.last.text}</p>}
          {job.last.error !== undefined && <p class="p-error">{job.last.error.detail}</p>}
        </div>
      )}
      {job.skipped !== undefined && job.skipped.due > (job.last?.startedAt ?? 0) - SKIPPED_SHOWN_MS && (
        <p class="p-facts-line">
          <RunState run={job.skipped} />
          <span>{dateTime(job.skipped.due)}</span>
          {job.skipped.until !== undefined && <span>– {dateTime(job.skipped.until)}</span>}
        </p>
      )}
    </>
  );
}
