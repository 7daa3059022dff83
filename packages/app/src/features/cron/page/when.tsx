/** The controls of "when": one form per kind, all over the same values. */
import type { RefObject } from "preact";
import { locale } from "../../../web/texts/panels.ts";
import { t } from "./texts.ts";
import { Field, Select } from "../../../web/ui/field.tsx";
import { readDays, readMonth, writeDays, writeMonth, type Form, type TriggerDraft } from "./trigger.ts";
import { ZoneField } from "./zone.tsx";

interface Props {
  readonly value: TriggerDraft;
  readonly onChange: (change: Partial<TriggerDraft>) => void;
  readonly fault: string | undefined;
  readonly expressionField: RefObject<HTMLInputElement | null>;
}

const FORMS = [
  ["once", "kindOnce"],
  ["every", "kindEvery"],
  ["days", "kindDays"],
  ["month", "kindMonth"],
  ["expression", "kindExpression"],
] as const;

export function When({ value, onChange, fault, expressionField }: Props) {
  return (
    <fieldset class="p-field p-group">
      <legend class="visually-hidden">{t("when")}</legend>
      <Select
        label={t("when")}
        value={value.form}
        onValue={(form) => onChange(switched(value, form as Form /* one of the options below */))}
        options={FORMS.map(([form, key]) => ({ value: form, label: t(key) }))}
      />
      {value.form === "once" && <Once value={value} onChange={onChange} fault={fault} />}
      {value.form === "every" && <Every value={value} onChange={onChange} fault={fault} />}
      {value.form === "days" && <DaysForm value={value} onChange={onChange} />}
      {value.form === "month" && <MonthForm value={value} onChange={onChange} />}
      {value.form === "expression" && (
        <Field label={t("expression")} hint={t("expressionWhy")} fault={fault}>
          {(control) => (
            <input
              {...control}
              ref={expressionField}
              class="input p-mono"
              type="text"
              spellcheck={false}
              autocapitalize="off"
              value={value.expression}
              onInput={(event) => onChange({ expression: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      {fault !== undefined && (value.form === "days" || value.form === "month") && <p class="p-error">{fault}</p>}
      {value.form !== "every" && <ZoneField value={value.zone} onChange={(zone) => onChange({ zone })} />}
    </fieldset>
  );
}

/** What cannot be shown in the other form stays kept; between days and month the time is taken along. */
function switched(value: TriggerDraft, form: Form): Partial<TriggerDraft> {
  const days = readDays(value.expression);
  const month = readMonth(value.expression);
  const kept = { ...value.kept, [value.form]: value.expression };
  if (form === "month" && days !== undefined)
    return { form, kept, expression: value.kept?.month ?? writeMonth({ time: days.time, day: 1 }) };
  if (form === "days" && month !== undefined)
    return { form, kept, expression: value.kept?.days ?? writeDays({ time: month.time, days: [1, 2, 3, 4, 5] }) };
  return { form };
}

interface PartProps {
  readonly value: TriggerDraft;
  readonly onChange: (change: Partial<TriggerDraft>) => void;
}

function Time({ value, onChange }: { readonly value: string; readonly onChange: (time: string) => void }) {
  return (
    <Field label={t("time")}>
      {(control) => (
        <input
          {...control}
          class="input"
          type="time"
          required
          value={value}
          onInput={(event) => event.currentTarget.value !== "" && onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function Once({ value, onChange, fault }: PartProps & { readonly fault: string | undefined }) {
  return (
    <div class="p-row p-top">
      <Field label={t("date")} fault={fault}>
        {(control) => (
          <input
            {...control}
            class="input"
            type="date"
            required
            value={value.date}
            onInput={(event) => onChange({ date: event.currentTarget.value })}
          />
        )}
      </Field>
      <Time value={value.time} onChange={(time) => onChange({ time })} />
    </div>
  );
}

function Every({ value, onChange, fault }: PartProps & { readonly fault: string | undefined }) {
  return (
    <div class="p-row p-top">
      <Field label={t("everyCount")} fault={fault}>
        {(control) => (
          <input
            {...control}
            class="input p-short"
            type="number"
            min={1}
            step={1}
            value={value.count}
            onInput={(event) => onChange({ count: Number(event.currentTarget.value) })}
          />
        )}
      </Field>
      <Select
        label={t("unit")}
        value={value.unit}
        onValue={(unit) => onChange({ unit: unit === "days" || unit === "hours" ? unit : "minutes" })}
        options={[
          { value: "minutes", label: t("minutes") },
          { value: "hours", label: t("hours") },
          { value: "days", label: t("days") },
        ]}
      />
    </div>
  );
}

function DaysForm({ value, onChange }: PartProps) {
  const days = readDays(value.expression);
  if (days === undefined) return <NoForm expression={value.expression} />;
  const toggle = (day: number, on: boolean): void => {
    const next = on ? [...days.days, day] : days.days.filter((one) => one !== day);
    if (next.length > 0) onChange({ expression: writeDays({ ...days, days: next }) });
  };
  return (
    <div class="p-row p-top">
      <fieldset class="p-days">
        <legend>{t("weekdays")}</legend>
        {[1, 2, 3, 4, 5, 6, 7].map((day) => (
          <label key={day} class="p-day">
            <input
              type="checkbox"
              checked={days.days.includes(day)}
              onChange={(event) => toggle(day, event.currentTarget.checked)}
            />
            <span>{weekdayName(day)}</span>
          </label>
        ))}
      </fieldset>
      <Time value={days.time} onChange={(time) => onChange({ expression: writeDays({ ...days, time }) })} />
    </div>
  );
}

function MonthForm({ value, onChange }: PartProps) {
  const month = readMonth(value.expression);
  if (month === undefined) return <NoForm expression={value.expression} />;
  return (
    <div class="p-row p-top">
      <Field label={t("dayOfMonth")} hint={month.day > 28 ? t("lastDayWhy") : undefined}>
        {(control) => (
          <input
            {...control}
            class="input p-short"
            type="number"
            min={1}
            max={31}
            value={month.day}
            onInput={(event) => {
              const day = Number(event.currentTarget.value);
              if (Number.isInteger(day) && day >= 1 && day <= 31)
                onChange({ expression: writeMonth({ ...month, day }) });
            }}
          />
        )}
      </Field>
      <Time value={month.time} onChange={(time) => onChange({ expression: writeMonth({ ...month, time }) })} />
    </div>
  );
}

function NoForm({ expression }: { readonly expression: string }) {
  return (
    <p class="note-box">
      <span>
        {t("noVisual")} <code>{expression}</code>
      </span>
    </p>
  );
}

/** 2024-01-01 was a Monday. */
function weekdayName(day: number): string {
  return new Intl.DateTimeFormat(locale(), { weekday: "short", timeZone: "UTC" }).format(Date.UTC(2024, 0, day));
}
