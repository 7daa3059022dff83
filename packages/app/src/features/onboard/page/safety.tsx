/** Where the assistant works and what holds it there. */
import { useState } from "preact/hooks";
import type { SystemView } from "../../system/schema.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { TextField } from "../../../web/ui/field.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { short } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import type { StepProps } from "./step.ts";
import { saveSettings } from "./save.ts";

interface Values {
  readonly workspace: string;
  readonly budgets: readonly { readonly scope: string; readonly tokens?: number }[];
  readonly tools: { readonly restrictToWorkspace: boolean };
}

export function SafetyStep({ done }: StepProps) {
  const settings = useResource<{ readonly values: Values }>("/settings");
  const system = useResource<SystemView>("/system");
  return (
    <Loaded of={settings}>
      {({ values }) => (
        <Loaded of={system}>{(data) => <Form values={values} sandbox={data.sandbox} done={done} />}</Loaded>
      )}
    </Loaded>
  );
}

interface FormProps extends StepProps {
  readonly values: Values;
  readonly sandbox: SystemView["sandbox"];
}

function Form({ values, sandbox, done }: FormProps) {
  const [workspace, setWorkspace] = useState(values.workspace);
  const acting = useAct();
  const tokensOf = (scope: string): number | undefined => values.budgets.find((one) => one.scope === scope)?.tokens;
  const [day, unattended] = [tokensOf("day"), tokensOf("unattended")];
  const save = async (): Promise<void> => {
    await saveSettings({ workspace: workspace.trim() });
    done();
  };
  return (
    <>
      <TextField
        label={t("workspace")}
        hint={t("workspaceWhy")}
        value={workspace}
        onValue={setWorkspace}
        spellcheck={false}
      />
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
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={save} kind="primary" disabled={workspace.trim() === ""}>
          {t("next")}
        </Act>
        <Button kind="quiet" onClick={done}>
          {t("skip")}
        </Button>
      </div>
    </>
  );
}
