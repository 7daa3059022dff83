/** What belongs to this browser alone: language, theme, size of text, keys, how reasoning is shown. */
import { useState } from "preact/hooks";
import { t as notify } from "../../../web/lib/notify-texts.ts";
import { t } from "./texts.ts";
import { t as voice } from "../../../web/chat/composer/voice-texts.ts";
import { keyLabel } from "../../../web/lib/keys.ts";
import { setTextSize, textSize } from "../../../web/lib/look.ts";
import { notifies, setNotifies } from "../../../web/lib/notify.ts";
import {
  letterKeys,
  reasoning,
  REASONING,
  sendKey,
  setLetterKeys,
  setReasoning,
  setSendKey,
} from "../../../web/lib/preferences.ts";
import { recordingFault } from "../../../web/lib/recorder.ts";
import { takesVoice } from "../../../web/store/system.ts";
import { Check, Field, Select } from "../../../web/ui/field.tsx";
import { LookFields } from "../../../web/panel-kit/look-fields.tsx";

export function BrowserSettings() {
  const [refused, setRefused] = useState(false);
  const silent = takesVoice.value ? recordingFault() : undefined;
  return (
    <div class="stack p-narrow">
      <p class="muted">{t("browserWhy")}</p>
      <LookFields />
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
      <Check
        label={notify("label")}
        hint={notify("hint")}
        checked={notifies.value}
        onChecked={(on) => void setNotifies(on).then((allowed) => setRefused(!allowed))}
      />
      {refused && (
        <p class="danger-ink small" role="alert">
          {notify("refused")}
        </p>
      )}
      {silent !== undefined && <p class="small muted">{voice(silent)}</p>}
      <Select
        label={t("sendKey")}
        value={sendKey.value}
        onValue={setSendKey}
        options={[
          { value: "enter", label: t("sendEnter") },
          { value: "mod-enter", label: t("sendModEnter", { keys: keyLabel("Mod+Enter") }) },
        ]}
      />
      <Select
        label={t("reasoning")}
        value={reasoning.value}
        onValue={setReasoning}
        options={REASONING.map((value) => ({ value, label: t(`reasoning_${value}`) }))}
      />
      <Check
        label={t("letterKeys")}
        hint={t("letterKeysWhy")}
        checked={letterKeys.value === "on"}
        onChecked={(checked) => setLetterKeys(checked ? "on" : "off")}
      />
    </div>
  );
}
