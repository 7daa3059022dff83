/** Language and theme of this browser; the language also becomes the assistant's. */
import { t } from "../../i18n/panels-welcome.ts";
import { t as settings } from "../../i18n/panels-settings.ts";
import { language, setLanguage } from "../../i18n/index.ts";
import { setTheme, theme } from "../../lib/look.ts";
import { Select } from "../../ui/field.tsx";
import { Act, Outcome, useAct } from "../panels/kit/act.tsx";
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
      <Select
        label={settings("language")}
        value={language.value}
        onValue={(value) => setLanguage(value === "zh" ? "zh" : "en")}
        options={[
          { value: "en", label: "English" },
          { value: "zh", label: "简体中文" },
        ]}
      />
      <Select
        label={settings("theme")}
        value={theme.value}
        onValue={(value) => setTheme(value === "light" || value === "dark" ? value : "system")}
        options={[
          { value: "system", label: settings("themeSystem") },
          { value: "light", label: settings("themeLight") },
          { value: "dark", label: settings("themeDark") },
        ]}
      />
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={save} kind="primary">
          {t("next")}
        </Act>
      </div>
    </>
  );
}
