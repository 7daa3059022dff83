/** In words: who can reach margay, where commands run; and the emergency stop. */
import type { Estop } from "../../features/approvals/schema.ts";
import type { SystemView } from "../../features/system/schema.ts";
import { t } from "../texts/panels-safety.ts";
import { Icon } from "../ui/icon.tsx";
import { Act, Outcome, useAct } from "../panel-kit/act.tsx";
import { api } from "../panel-kit/api.ts";
import { dateTime } from "../panel-kit/format.ts";
import { Loaded } from "../panel-kit/loaded.tsx";
import { useResource, type Resource } from "../panel-kit/resource.ts";

export function Overview() {
  const system = useResource<SystemView>("/system", "system");
  const estop = useResource<Estop>("/estop", "system");
  return (
    <div class="stack">
      <Loaded of={system}>
        {({ exposure, sandbox }) => {
          const local = /^(127\.|localhost|\[?::1)/.test(exposure.bind);
          const safe = local || exposure.tls || exposure.public;
          return (
            <>
              <section class={safe ? "p-card p-good" : "p-card p-bad"}>
                <h3>{t("exposureTitle")}</h3>
                <p>
                  {t(local ? "exposeLocal" : "exposeNet", { bind: exposure.bind })}{" "}
                  {!local && t(exposure.tls ? "exposeTls" : "exposePlain")} {exposure.public && t("exposePublic")}
                </p>
              </section>
              <section class={sandbox.ok ? "p-card p-good" : "p-card p-bad"}>
                <h3>{t("sandboxTitle")}</h3>
                <p>
                  {sandbox.ok
                    ? t("sandboxOk", { kind: sandbox.kind })
                    : t("sandboxBad", { reason: sandbox.reason ?? sandbox.kind })}
                </p>
              </section>
            </>
          );
        }}
      </Loaded>
      <Loaded of={estop}>{(state) => <Stop state={state} estop={estop} />}</Loaded>
    </div>
  );
}

function Stop({ state, estop }: { readonly state: Estop; readonly estop: Resource<Estop> }) {
  const acting = useAct();
  const set = (on: boolean) => async (): Promise<void> => {
    estop.put((await api.put<Estop>("/estop", { on })).body);
  };
  return (
    <section class={state.on ? "p-card p-bad" : "p-card"}>
      <h3>{t("estopTitle")}</h3>
      <p>{t("estopWhy")}</p>
      {state.on && (
        <div role="status">
          {state.since !== undefined && <p>{t("estopHolds", { when: dateTime(state.since), by: state.by ?? "?" })}</p>}
          {state.stopped !== undefined && (
            <p>{t("estopStopped", { turns: state.stopped.turns, processes: state.stopped.processes })}</p>
          )}
        </div>
      )}
      <Outcome of={acting} />
      <div>
        {state.on ? (
          <Act acting={acting} work={set(false)}>
            {t("estopOff")}
          </Act>
        ) : (
          <Act acting={acting} work={set(true)} kind="danger-primary">
            <Icon name="stop" />
            {t("estopOn")}
          </Act>
        )}
      </div>
    </section>
  );
}
