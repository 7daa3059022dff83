/** What belongs to this browser alone: language, theme, size of text. */
import { t } from "../../../i18n/panels-settings.ts";
import { language, setLanguage } from "../../../i18n/index.ts";
import { setTextSize, setTheme, textSize, theme } from "../../../lib/look.ts";
import { Field, Select } from "../../../ui/field.tsx";

export function BrowserSettings() {
  return (
    <div class="stack p-narrow">
      <p class="muted">{t("browserWhy")}</p>
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
      <Field label={t("textSize")} hint={t("textSizeNow", { n: textSize.value })}>
        {(control) => (
          <input
            {...control}
            type="range"
            min={12}
            max={20}
            step={1}
            value={textSize.value}
            aria-valuetext={t("textSizeNow", { n: textSize.value })}
            onInput={(event) => setTextSize(Number(event.currentTarget.value))}
          />
        )}
      </Field>
    </div>
  );
}
