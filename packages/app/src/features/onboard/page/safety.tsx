/** Where the assistant works and what holds it there. */
import { useState } from "preact/hooks";
import type { SystemView } from "../../system/schema.ts";
import { t } from "./texts.ts";
import { FolderField } from "../../../web/folders/folder-field.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { lifeNow, untilAgain } from "./again.ts";
import { api } from "../../../web/panel-kit/api.ts";
import { short } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { StepFoot, type StepProps } from "./step.tsx";
import { saveSettings } from "./save.ts";

interface Values {
  readonly workspace: string;
  readonly budgets: readonly { readonly scope: string; readonly tokens?: number }[];
  readonly tools: { readonly restrictToWorkspace: boolean };
}

export function SafetyStep(props: StepProps) {
  const settings = useResource<{ readonly values: Values }>("/settings");
  const system = useResource<SystemView>("/system");
  return (
    <Loaded of={settings}>
      {({ values }) => <Loaded of={system}>{(data) => <Form values={values} system={data} {...props} />}</Loaded>}
    </Loaded>
  );
}

interface FormProps extends StepProps {
  readonly values: Values;
  readonly system: SystemView;
}

function Form({ values, system, done, back }: FormProps) {
  const { sandbox } = system;
  const [workspace, setWorkspace] = useState(values.workspace);
  const [said, setSaid] = useState<string | undefined>(undefined);
  const acting = useAct();
  const tokensOf = (scope: string): number | undefined => values.budgets.find((one) => one.scope === scope)?.tokens;
  const [day, unattended] = [tokensOf("day"), tokensOf("unattended")];
  const save = async (): Promise<void> => {
    setSaid(undefined);
    const problem = await moveTo(workspace.trim(), values.workspace, system.supervised, setSaid);
    if (problem === undefined) done();
    else setSaid(problem);
  };
  return (
    <>
      <FolderField label={t("workspace")} hint={t("workspaceWhy")} value={workspace} onValue={setWorkspace} />
      <section class={sandbox.ok ? "p-card p-good" : "p-card p-bad"}>
        <h2>{t("safety")}</h2>
        <p>
          {sandbox.ok
            ? t("sandboxOk", { kind: sandbox.kind })
            : t("sandboxBad", { reason: sandbox.reason ?? sandbox.kind })}
        </p>
        <p>{t(values.tools.restrictToWorkspace ? "inside" : "outside")}</p>
      </section>
      {day !== undefined && unattended !== undefined && (
        <p class="muted">{t("budgetHint", { day: short(day), unattended: short(unattended) })}</p>
      )}
      <p class="muted">{t("channelHint")}</p>
      <p role="status">{said}</p>
      <Outcome of={acting} />
      <StepFoot back={back}>
        <Button kind="quiet" onClick={done}>
          {t("skip")}
        </Button>
        <Act acting={acting} work={save} kind="primary" disabled={workspace.trim() === ""}>
          {t("next")}
        </Act>
      </StepFoot>
    </>
  );
}

/**
 * A folder that cannot be used is refused before anything is saved: margay would not come back from it.
 * @param say what is going on. @returns what the person has to know before they go on.
 * @throws ApiProblem `settings.invalid`.
 */
async function moveTo(
  workspace: string,
  before: string,
  begins: boolean,
  say: (text: string) => void,
): Promise<string | undefined> {
  if (workspace === before) return undefined;
  const { path } = (await api.post<{ readonly path: string }>("/workspace/folders", { path: workspace })).body;
  await saveSettings({ workspace });
  if (!begins) return t("movedLater", { command: "margay gateway" });
  say(t("moving", { path }));
  const life = await lifeNow();
  await api.post("/system/restart", { when: "now" });
  return (await untilAgain(life)) ? undefined : t("movedNot");
}
