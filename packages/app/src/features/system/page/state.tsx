/** Version, sizes, exposure, and a restart where something starts margay again. */
import type { SystemView } from "../schema.ts";
import { t } from "./texts.ts";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { bytes, duration } from "../../../web/panel-kit/format.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

export function State() {
  const system = useResource<SystemView>("/system", "system");
  return <Loaded of={system}>{(data) => <Facts system={data} />}</Loaded>;
}

function Facts({ system }: { readonly system: SystemView }) {
  const facts: readonly (readonly [string, string])[] = [
    [t("version"), `${system.version} (${system.build})`],
    [t("platform"), `${system.platform}, Node ${system.node}`],
    [t("up"), duration(system.uptimeMs)],
    [t("bind"), system.exposure.bind],
    [
      t("sandbox"),
      system.sandbox.ok
        ? system.sandbox.kind
        : t("sandboxOff", { reason: system.sandbox.reason ?? system.sandbox.kind }),
    ],
    [t("memory"), bytes(system.rss)],
    [t("disk"), bytes(system.stateBytes)],
    [t("delay"), duration(system.eventLoopDelayMs)],
    [t("profile"), system.profile],
    [t("workspace"), system.workspace],
    [t("zone"), system.timeZone],
  ];
  return (
    <div class="stack">
      {system.practice && (
        <div class="note-box warn">
          <div class="grow">{t("practice")}</div>
          <PanelLink to="models">{t("setUp")}</PanelLink>
        </div>
      )}
      <dl class="p-facts">
        {facts.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>])}
      </dl>
      <Restart system={system} />
    </div>
  );
}

function Restart({ system }: { readonly system: SystemView }) {
  const acting = useAct();
  const restart = (when: "idle" | "now") => async (): Promise<void> => {
    await api.post("/system/restart", { when });
    toast(t("restartDone"));
  };
  return (
    <section class="p-card">
      <h3>{t("restart")}</h3>
      {system.pendingRestart.length > 0 && (
        <p class="p-warn">{t("restartPending", { list: system.pendingRestart.join(", ") })}</p>
      )}
      <p>{t(system.supervised ? "restartAsk" : "unsupervised")}</p>
      <Outcome of={acting} />
      {system.supervised && (
        <div class="p-row">
          <Act acting={acting} work={restart("idle")}>
            {t("restartIdle")}
          </Act>
          <Act acting={acting} work={restart("now")} kind="danger">
            {t("restartNow")}
          </Act>
        </div>
      )}
    </section>
  );
}
