/** A time zone with search: the zones this browser knows. */
import { useId } from "preact/hooks";
import { t } from "./texts.ts";
import { Field } from "../../../web/ui/field.tsx";

interface Props {
  readonly value: string;
  readonly onChange: (zone: string) => void;
}

export function ZoneField({ value, onChange }: Props) {
  const list = useId();
  return (
    <Field label={t("zone")} hint={t("zoneWhy")}>
      {(control) => (
        <>
          <input
            {...control}
            class="input"
            type="text"
            list={list}
            spellcheck={false}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <datalist id={list}>
            {Intl.supportedValuesOf("timeZone").map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
