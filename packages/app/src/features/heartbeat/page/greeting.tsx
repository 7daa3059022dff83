/** The greeting: after how long, how often, when not; and one to look at. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import GreetingBody from "virtual:form/heartbeat/greeting-schema.ts#GreetingBody";
import type { GreetingBody as Written, GreetingPreviewSchema, GreetingSchema } from "../greeting-schema.ts";
import { t } from "./texts.ts";
import { Select } from "../../../web/ui/field.tsx";
import { fieldsOf } from "../../../web/ui/form-shape.ts";
import type { OwnControls } from "../../../web/ui/schema-form.tsx";
import { Act } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { dateTime, money, relative } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TargetField } from "./target.tsx";

type Greeting = z.infer<typeof GreetingSchema>;
type Body = z.infer<typeof Written>;
type Preview = z.infer<typeof GreetingPreviewSchema>;

export function GreetingTab() {
  const greeting = useResource<Greeting>("/greeting", "cron");
  return <Loaded of={greeting}>{(data) => <Form greeting={data} reload={greeting.reload} />}</Loaded>;
}

const FIELDS = ["enabled", "idleHours", "maxPerDay", "quietHours", "target"] as const;

function Form({ greeting, reload }: { readonly greeting: Greeting; readonly reload: () => Promise<void> }) {
  const { enabled, idleHours, maxPerDay, quietHours, target, timeZone, hash } = greeting;
  const form = useForm<Body>({
    name: "heartbeat/greeting",
    saved: { enabled, idleHours, maxPerDay, quietHours, target },
    hash,
    fields: fieldsOf(GreetingBody, FIELDS, t.find),
    reload,
    write: async (value, condition) => void (await api.put("/greeting", value, condition)),
    said: () => t("saved"),
  });
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const look = async (): Promise<void> => {
    setPreview((await api.post<Preview>("/greeting/preview")).body);
  };
  const own: OwnControls = {
    quietHours: ({ value, onChange }) => <QuietHours value={String(value)} zone={timeZone} onChange={onChange} />,
    target: ({ value, fault, onChange }) => (
      <TargetField value={typeof value === "string" ? value : "last"} fault={fault} onChange={onChange} />
    ),
  };
  return (
    <div class="stack">
      <p class="muted">{t("greetWhy")}</p>
      <ResourceForm
        form={form}
        own={own}
        actions={
          <>
            <Act acting={form.acting} work={look} icon="play">
              {t("preview")}
            </Act>
            <span class="p-faint">{t("previewWhy")}</span>
          </>
        }
      >
        <Today greeting={greeting} preview={preview} />
      </ResourceForm>
    </div>
  );
}

/** When the next one is due, and how it would read. */
function Today({ greeting, preview }: { readonly greeting: Greeting; readonly preview: Preview | undefined }) {
  return (
    <>
      <p class="p-facts-line">
        <span>
          {greeting.nextSlot === null
            ? t("noSlot")
            : t("slot", { relative: relative(greeting.nextSlot), exact: dateTime(greeting.nextSlot) })}
        </span>
        <span>{t("sent", { n: greeting.sentToday, max: greeting.maxPerDay })}</span>
      </p>
      {preview !== undefined && (
        <blockquote class="p-quote" role="status">
          <p>{preview.text}</p>
          <p class="p-faint">{preview.dropped ? t("dropped") : t("previewCost", { cost: money(preview.costUsd) })}</p>
        </blockquote>
      )}
    </>
  );
}

interface QuietProps {
  /** `21-08`. */
  readonly value: string;
  readonly zone: string;
  readonly onChange: (value: string) => void;
}

/** Two hours and the day as a band, which may cross midnight. */
function QuietHours({ value, zone, onChange }: QuietProps) {
  const [from = 21, to = 8] = value.split("-").map(Number);
  const two = (hour: number): string => String(hour).padStart(2, "0");
  const hours = Array.from({ length: 24 }, (_hour, index) => index);
  const options = hours.map((hour) => ({ value: String(hour), label: `${two(hour)}:00` }));
  const quiet = (hour: number): boolean => (from <= to ? hour >= from && hour < to : hour >= from || hour < to);
  return (
    <fieldset class="p-field p-group">
      <legend>{t("quiet")}</legend>
      <div class="p-row">
        <Select
          label={t("quietFrom")}
          value={String(from)}
          options={options}
          onValue={(hour) => onChange(`${two(Number(hour))}-${two(to)}`)}
        />
        <Select
          label={t("quietTo")}
          value={String(to)}
          options={options}
          onValue={(hour) => onChange(`${two(from)}-${two(Number(hour))}`)}
        />
      </div>
      <div class="p-band" role="img" aria-label={t("quietBand", { from: two(from), to: two(to), zone })}>
        {hours.map((hour) => (
          <span key={hour} data-quiet={quiet(hour)} />
        ))}
      </div>
      <span class="p-help">{t("quietBand", { from: two(from), to: two(to), zone })}</span>
    </fieldset>
  );
}
