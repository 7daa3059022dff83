/** The greeting: after how long, how often, when not; and one to look at. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { GreetingBody, GreetingPreviewSchema, GreetingSchema } from "../greeting-schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Select } from "../../../web/ui/field.tsx";
import { Control, Row } from "../../../web/ui/schema-form.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { dateTime, money, relative } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TargetField } from "./target.tsx";

type Greeting = z.infer<typeof GreetingSchema>;
type Body = z.infer<typeof GreetingBody>;
type Preview = z.infer<typeof GreetingPreviewSchema>;

export function GreetingTab() {
  const greeting = useResource<Greeting>("/greeting", "cron");
  return <Loaded of={greeting}>{(data) => <Form greeting={data} reload={greeting.reload} />}</Loaded>;
}

function Form({ greeting, reload }: { readonly greeting: Greeting; readonly reload: () => Promise<void> }) {
  const { enabled, idleHours, maxPerDay, quietHours, target } = greeting;
  const draft = useDraft<Body>(
    "heartbeat/greeting",
    { enabled, idleHours, maxPerDay, quietHours, target },
    greeting.hash,
  );
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const acting = useAct();
  const faults = faultsOf(acting.problem);
  const edit = (change: Partial<Body>): void => draft.change({ ...draft.value, ...change });
  const save = async (): Promise<void> => {
    await api.put("/greeting", draft.value, { ifMatch: `"${greeting.hash}"` });
    draft.discard();
    toast(t("saved"));
    await reload();
  };
  const look = async (): Promise<void> => {
    setPreview((await api.post<Preview>("/greeting/preview")).body);
  };
  return (
    <div class="stack">
      <p class="muted">{t("greetWhy")}</p>
      <Row title={t("on")} inline>
        {(id) => (
          <Control
            id={id}
            shape={{ is: "boolean" }}
            value={draft.value.enabled}
            onChange={(value) => edit({ enabled: value === true })}
          />
        )}
      </Row>
      <Row title={t("idle")} fault={faults.get("/idleHours")}>
        {(id) => (
          <Control
            id={id}
            shape={{ is: "number", integer: true, min: 1, max: 72 }}
            value={draft.value.idleHours}
            onChange={(value) => typeof value === "number" && edit({ idleHours: value })}
          />
        )}
      </Row>
      <Row title={t("perDay")} fault={faults.get("/maxPerDay")}>
        {(id) => (
          <Control
            id={id}
            shape={{ is: "number", integer: true, min: 1, max: 5 }}
            value={draft.value.maxPerDay}
            onChange={(value) => typeof value === "number" && edit({ maxPerDay: value })}
          />
        )}
      </Row>
      <QuietHours
        value={draft.value.quietHours}
        zone={greeting.timeZone}
        onChange={(hours) => edit({ quietHours: hours })}
      />
      <TargetField
        value={draft.value.target ?? "last"}
        fault={faults.get("/greeting/target") ?? faults.get("/target")}
        onChange={(value) => edit({ target: value })}
      />
      <Today greeting={greeting} preview={preview} />
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={look} icon="play">
          {t("preview")}
        </Act>
        <span class="p-faint grow">{t("previewWhy")}</span>
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
        <Act acting={acting} work={save} kind="primary" disabled={draft.state === "saved"}>
          {c("save")}
        </Act>
      </div>
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
