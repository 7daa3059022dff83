/** Language and theme of this browser; the language also becomes the assistant's. */
import { t } from "./texts.ts";
import { language } from "../../../web/texts/index.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { LookFields } from "../../../web/panel-kit/look-fields.tsx";
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
