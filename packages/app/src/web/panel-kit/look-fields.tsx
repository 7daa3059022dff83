/** Language and theme of this browser: chosen in the welcome, and later in the settings. */
import { language, setLanguage } from "../texts/index.ts";
import { c } from "../texts/panels-common.ts";
import { LANGUAGE_NAMES } from "../lib/languages.zh.ts";
import { setTheme, theme } from "../lib/look.ts";
import { Select } from "../ui/field.tsx";
import { tell } from "../ui/tell.ts";

export function LookFields() {
  return (
    <>
      <Select
        label={c("language")}
        value={language.value}
        onValue={(value) => void tell(setLanguage(value === "zh" ? "zh" : "en"))}
        options={[
          { value: "en", label: LANGUAGE_NAMES.en },
          { value: "zh", label: LANGUAGE_NAMES.zh },
        ]}
      />
      <Select
        label={c("theme")}
        value={theme.value}
        onValue={(value) => setTheme(value === "light" || value === "dark" ? value : "system")}
        options={[
          { value: "system", label: c("themeSystem") },
          { value: "light", label: c("themeLight") },
          { value: "dark", label: c("themeDark") },
        ]}
      />
    </>
  );
}
