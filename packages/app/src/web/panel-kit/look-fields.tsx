/** Language and theme of this browser: chosen in the welcome, and later in the settings. */
import { language, setLanguage } from "../texts/index.ts";
import { t } from "../../features/settings/page/texts.ts";
import { setTheme, theme } from "../lib/look.ts";
import { Select } from "../ui/field.tsx";

export function LookFields() {
  return (
    <>
      <Select
        label={t("language")}
        value={language.value}
        onValue={(value) => setLanguage(value === "zh" ? "zh" : "en")}
        options={[
          { value: "en", label: "English" },
          { value: "zh", label: "简体中文" },
        ]}
      />
      <Select
        label={t("theme")}
        value={theme.value}
        onValue={(value) => setTheme(value === "light" || value === "dark" ? value : "system")}
        options={[
          { value: "system", label: t("themeSystem") },
          { value: "light", label: t("themeLight") },
          { value: "dark", label: t("themeDark") },
        ]}
      />
    </>
  );
}
