/** A labelled control with hint and fault. The control gets its id and descriptions from the field. */
import type { ComponentChildren, JSX, VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { t } from "../texts/index.ts";
import { Button } from "./button.tsx";

export interface ControlProps {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: "true";
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** What is wrong with the value; said to screen readers when it appears. */
  readonly fault?: string | undefined;
  readonly children: (control: ControlProps) => ComponentChildren;
}

export function Field({ label, hint, fault, children }: FieldProps): VNode {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`]
    .filter(Boolean)
    .join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described !== "" && { "aria-describedby": described }),
        ...(fault !== undefined && { "aria-invalid": "true" }),
      })}
      {hint !== undefined && (
        <div class="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {fault !== undefined && (
        <div class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </div>
      )}
    </div>
  );
}

/** What inputs here take, besides label and value. */
interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly fault?: string | undefined;
  readonly name?: string;
  readonly autocomplete?: string;
  readonly autofocus?: boolean;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly spellcheck?: boolean;
  readonly maxLength?: number;
  readonly inputMode?: "text" | "numeric" | "decimal" | "url" | "email";
}

export function TextField({ label, hint, fault, value, onValue, ...rest }: InputProps): VNode {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <input
          class="input"
          type="text"
          {...rest}
          {...control}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** With a toggle; paste and password managers work. */
export function PasswordField({ label, hint, fault, value, onValue, ...rest }: InputProps): VNode {
  const [shown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <div class="row">
          <input
            class="input"
            {...(shown ? { type: "text" } : { type: "password" })}
            {...rest}
            {...control}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <Button kind="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
            {t(shown ? "common.hide" : "common.show")}
          </Button>
        </div>
      )}
    </Field>
  );
}

type AreaProps = Omit<JSX.IntrinsicElements["textarea"], "onInput" | "value" | "label"> & {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly fault?: string | undefined;
};

export function TextArea({ label, hint, fault, value, onValue, ...rest }: AreaProps): VNode {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <textarea
          class="textarea"
          rows={5}
          {...rest}
          {...control}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onValue: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly fault?: string | undefined;
  readonly disabled?: boolean;
}

export function Select({ label, hint, fault, value, options, onValue, disabled = false }: SelectProps): VNode {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <select
          class="select"
          {...control}
          disabled={disabled}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export interface CheckProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly hint?: ComponentChildren;
  readonly disabled?: boolean;
}

export function Check({ label, checked, onChecked, hint, disabled = false }: CheckProps): VNode {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span class="muted small"> {hint}</span>}
      </span>
    </label>
  );
}
