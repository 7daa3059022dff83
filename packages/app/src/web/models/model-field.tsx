/** A model in a form: what is chosen, and the button that opens the picker. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import type { Source } from "./offers.ts";
import { ModelPicker } from "./picker.tsx";

interface ModelFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
  /** `provider/model`; empty: none. */
  readonly value: string;
  readonly source?: Source;
  readonly onValue: (name: string) => void;
  /** None is a choice, in these words. */
  readonly none?: string;
}

export function ModelField({ label, hint, fault, value, source, onValue, none }: ModelFieldProps): VNode {
  const [open, setOpen] = useState(false);
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <div class="row">
          <button type="button" class="input picker-field grow" {...control} onClick={() => setOpen(true)}>
            <span class="truncate">{value === "" ? (none ?? t("choose")) : value}</span>
          </button>
          {none !== undefined && value !== "" && (
            <Button kind="quiet" icon="close" label={none} onClick={() => onValue("")} />
          )}
          {open && (
            <ModelPicker
              title={label}
              value={value}
              {...(source !== undefined && { source })}
              onChoose={onValue}
              onClose={() => setOpen(false)}
            />
          )}
        </div>
      )}
    </Field>
  );
}
