/** The whole home in an encrypted backup: how old the last one is, whether it could be restored, and one that is made now. */
import type { BackupView } from "../../backup/schema.ts";
import { t } from "./texts.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { bytes, dateTime, number, relative } from "../../../web/panel-kit/format.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource, type Resource } from "../../../web/panel-kit/resource.ts";
import { useEffect } from "preact/hooks";

/** How often one that is being made is looked at. */
const LOOK_MS = 1000;

export function Kept() {
  const backup = useResource<BackupView>("/backup", "system");
  const isRunning = backup.data?.run?.state === "running";
  useEffect(() => {
    if (!isRunning) return;
    const timer = window.setInterval(() => void backup.reload(), LOOK_MS);
    return () => window.clearInterval(timer);
  }, [isRunning]);
  return (
    <section class="p-card stack" aria-labelledby="kept-title">
      <h3 id="kept-title">{t("keptTitle")}</h3>
      <Loaded of={backup}>{(data) => <Body of={backup} data={data} />}</Loaded>
    </section>
  );
}

function Body({ of, data }: { readonly of: Resource<BackupView>; readonly data: BackupView }) {
  const acting = useAct();
  const { run } = data;
  const make = async (): Promise<void> => of.put((await api.post<BackupView>("/backup/runs", {})).body);
  return (
    <>
      <Facts data={data} />
      {failures(data).map((text) => (
        <p key={text} class="p-warn">
          {text}
        </p>
      ))}
      <p class="muted">
        {t(data.ready ? "keptWhen" : "keptUnready")}{" "}
        <PanelLink to={`settings/find/backup.${data.ready ? "schedule" : "target"}`}>{t("keptSettings")}</PanelLink>
      </p>
      <Outcome of={acting} />
      <p role="status">{run === undefined ? "" : runText(run)}</p>
      <div>
        <Act acting={acting} work={make} icon="archive" disabled={!data.ready || run?.state === "running"}>
          {t("keptNow")}
        </Act>
      </div>
    </>
  );
}

function Facts({ data: { target, schedule, last, drilled } }: { readonly data: BackupView }) {
  const when = (at: number | undefined): string =>
    at === undefined ? t("keptNever") : `${dateTime(at)} (${relative(at)})`;
  const facts: readonly (readonly [string, string])[] = [
    [t("keptTarget"), target ?? t("keptNowhere")],
    [t("keptSchedule"), t(`keptEvery_${schedule}`)],
    [t("keptLast"), last === undefined ? t("keptNever") : `${when(last.at)}, ${bytes(last.bytes)}`],
    [t("keptDrilled"), when(drilled)],
  ];
  return (
    <dl class="p-facts">
      {facts.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}

function failures({ tried, checked, drill }: BackupView): readonly string[] {
  return [
    tried?.error !== undefined && t("keptTriedError", { at: dateTime(tried.at), reason: tried.error }),
    checked?.error !== undefined && t("keptCheckedError", { at: dateTime(checked.at), reason: checked.error }),
    drill?.error !== undefined && t("keptDrillError", { at: dateTime(drill.at), reason: drill.error }),
  ].filter((one) => one !== false);
}

function runText({ state, files, bytes: size, error }: NonNullable<BackupView["run"]>): string {
  if (state === "failed") return t("keptRunFailed", { reason: error ?? "" });
  return t(state === "done" ? "keptRunDone" : "keptRunning", { files: number(files), bytes: bytes(size) });
}
