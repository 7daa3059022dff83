/** Language and theme of this browser; the language also becomes the assistant's. */
import { t } from "../../i18n/panels-welcome.ts";
import { language } from "../../i18n/index.ts";
import { Act, Outcome, useAct } from "../panels/kit/act.tsx";
import { LookFields } from "../panels/kit/look-fields.tsx";
import type { StepProps } from "./step.ts";
import { saveSettings } from "./save.ts";

export function LookStep({ done }: StepProps) {
  const acting = useAct();
  const save = async (): Promise<void> => {
    await saveSettings({ language: language.value === "zh" ? "zh-CN" : "en" });
    done();
  };
  return (
    <>
      <LookFields />
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={save} kind="primary">
          {t("next")}
        </Act>
      </div>
    </>
  );
}
