/** Language and theme of this browser; the language also becomes the assistant's. */
import { t } from "./texts.ts";
import { language } from "../../../web/texts/index.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { LookFields } from "../../../web/panel-kit/look-fields.tsx";
import { StepFoot, type StepProps } from "./step.tsx";
import { saveSettings } from "./save.ts";

export function LookStep({ done, back }: StepProps) {
  const acting = useAct();
  const save = async (): Promise<void> => {
    await saveSettings({ language: language.value === "zh" ? "zh-CN" : "en" });
    done();
  };
  return (
    <>
      <p class="welcome-why">{t("lookWhy")}</p>
      <LookFields />
      <Outcome of={acting} />
      <StepFoot back={back}>
        <Act acting={acting} work={save} kind="primary">
          {t("next")}
        </Act>
      </StepFoot>
    </>
  );
}
