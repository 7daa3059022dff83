/** One setting: control, help, where its value comes from, when a change holds, reset. */
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Control, isGroup, Row } from "../../../web/ui/schema-form.tsx";
import { secretState, secretVariable } from "../../../web/ui/form-secret.tsx";
import type { Edits } from "./edits.tsx";
import { brief, type Entry } from "./model.ts";

const SOURCE = {
  default: "source_default",
  profile: "source_profile",
  file: "source_file",
  env: "source_env",
  flag: "source_flag",
} as const;

const SOURCE_WHY = {
  default: "sourceWhy_default",
  profile: "sourceWhy_profile",
  file: "sourceWhy_file",
  env: "sourceWhy_env",
  flag: "sourceWhy_flag",
} as const;

export function SettingRow({ entry, edits }: { readonly entry: Entry; readonly edits: Edits }) {
  const edited = Object.hasOwn(edits.values, entry.path);
  const draft = edits.values[entry.path];
  // A secret keeps showing that one is set; everything else shows the default while a reset waits.
  const reset = edited && draft === null && !entry.field.nullable;
  const value = reset && !entry.secret ? entry.default : edited ? draft : entry.value;
  const variable = secretVariable(secretState(entry.value));
  return (
    <div class="p-setting" data-edited={edited} data-path={entry.path}>
      <Row
        title={entry.title}
        inline={entry.field.shape.is === "boolean"}
        group={isGroup(entry.field.shape)}
        fault={edits.faults.get(entry.path)}
        help={
          <>
            {inWords(entry.help)} <span class="p-faint">{t("takes", { what: inWords(entry.takes) })}</span>
          </>
        }
      >
        {(id, describedBy) => (
          <Control
            shape={entry.secret && entry.field.shape.is === "text" ? { is: "secret" } : entry.field.shape}
            nullable={entry.field.nullable}
            value={value}
            id={id}
            describedBy={describedBy}
            invalid={edits.faults.has(entry.path)}
            onChange={(next) =>
              next === undefined && entry.secret ? edits.drop(entry.path) : edits.set(entry.path, next ?? null)
            }
          />
        )}
      </Row>
      <div class="p-row p-marks">
        <code>{entry.path}</code>
        <span class="badge" title={t(SOURCE_WHY[entry.source], { name: entry.name ?? "" })}>
          {t(SOURCE[entry.source])}
          {entry.name !== undefined && `: ${entry.name}`}
        </span>
        <span class={entry.restart ? "badge warn" : "badge"}>{entry.restart ? c("restartNeeded") : c("nextTurn")}</span>
        {entry.safety && (
          <span class="badge" title={t("safetyWhy")}>
            {t("safety")}
          </span>
        )}
        {edited ? (
          <Button size="small" kind="quiet" onClick={() => edits.drop(entry.path)}>
            {c("undo")}
          </Button>
        ) : (
          entry.source === "file" && (
            <Button
              size="small"
              kind="quiet"
              aria-label={t("resetOf", { name: entry.title })}
              onClick={() => edits.set(entry.path, null)}
            >
              {t("reset")}
            </Button>
          )
        )}
      </div>
      {entry.locked && <p class="p-help">{t("locked")}</p>}
      {variable !== undefined && <p class="p-help">{t("lockedEnv", { name: variable })}</p>}
      {reset && <p class="p-help">{t("willReset", { value: brief(entry.default) })}</p>}
    </div>
  );
}

/** Files and commands write `null`; here a field is left empty. */
function inWords(text: string): string {
  return text.replaceAll(/\bnull\b/g, t("empty"));
}
