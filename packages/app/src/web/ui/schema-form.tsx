/** Form controls for any value with a shape: native inputs, a label, a help line and the fault beside them. */
import { isRecord } from "@margay/core/internal/state";
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { c } from "../texts/panels-common.ts";
import type { ControlProps } from "./form-control.ts";
import { type Field, type Shape } from "./form-shape.ts";
import { SecretControl } from "./form-secret.tsx";
import { ListControl, MapControl } from "./form-list.tsx";

/** One control by the shape of its value; it shows and takes the plain JSON value. */
export function Control(props: ControlProps) {
  const { shape, value, onChange } = props;
  switch (shape.is) {
    case "boolean":
      return <Switch {...props} />;
    case "number":
      return <NumberControl {...props} shape={shape} />;
    case "choice":
      return <ChoiceControl {...props} shape={shape} />;
    case "text":
      return <TextControl {...props} shape={shape} />;
    case "secret":
      return <SecretControl {...props} />;
    case "list":
      return <ListControl {...props} shape={shape} entry={Control} />;
    case "map":
      return <MapControl {...props} shape={shape} entry={Control} />;
    case "object":
      return <Fields fields={shape.fields} value={value} onChange={onChange} disabled={props.disabled === true} />;
    case "json":
      return <JsonControl {...props} />;
  }
}

/** What every control says of itself. */
function commonOf(props: ControlProps) {
  return {
    id: props.id,
    "aria-label": props.label,
    "aria-describedby": props.describedBy,
    "aria-invalid": props.invalid === true ? true : undefined,
    disabled: props.disabled === true,
  };
}

/** A control of one shape. */
type Of<Is extends Shape["is"]> = ControlProps & { readonly shape: Extract<Shape, { readonly is: Is }> };

function Switch(props: ControlProps) {
  return (
    <input
      {...commonOf(props)}
      type="checkbox"
      role="switch"
      class="p-switch"
      checked={props.value === true}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}

function NumberControl(props: Of<"number">) {
  const { shape, value, onChange, nullable = false } = props;
  return (
    <input
      {...commonOf(props)}
      class="input"
      type="number"
      inputmode={shape.integer ? "numeric" : "decimal"}
      step={shape.integer ? 1 : "any"}
      min={shape.min}
      max={shape.max}
      value={typeof value === "number" ? value : ""}
      placeholder={nullable ? c("chooseNothing") : props.placeholder}
      onInput={(event) => {
        const text = event.currentTarget.value;
        if (text === "") onChange(nullable ? null : undefined);
        else onChange(Number(text));
      }}
    />
  );
}

function ChoiceControl(props: Of<"choice">) {
  const { shape, value, onChange, nullable = false } = props;
  return (
    <select
      {...commonOf(props)}
      class="select"
      value={typeof value === "string" ? value : ""}
      onChange={(event) => onChange(event.currentTarget.value === "" && nullable ? null : event.currentTarget.value)}
    >
      {(nullable || typeof value !== "string") && <option value="">{c("chooseNothing")}</option>}
      {shape.of.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

function TextControl(props: Of<"text">) {
  const { shape, value, onChange, nullable = false } = props;
  const text = typeof value === "string" ? value : "";
  const change = (next: string): void => onChange(next === "" && nullable ? null : next);
  const placeholder = nullable ? c("chooseNothing") : props.placeholder;
  return shape.long ? (
    <textarea
      {...commonOf(props)}
      class="textarea"
      rows={4}
      maxLength={shape.max}
      value={text}
      placeholder={placeholder}
      onInput={(event) => change(event.currentTarget.value)}
    />
  ) : (
    <input
      {...commonOf(props)}
      class="input"
      type="text"
      maxLength={shape.max}
      value={text}
      placeholder={placeholder}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}

/** A value without a control of its own, as JSON; what does not parse stays in the field and is not reported. */
function JsonControl({ value, onChange, id, label, describedBy, disabled }: ControlProps) {
  const [text, setText] = useState(value === undefined || value === null ? "" : JSON.stringify(value, null, 2));
  const [fault, setFault] = useState<string | undefined>(undefined);
  return (
    <>
      <textarea
        id={id}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={fault !== undefined}
        disabled={disabled}
        class="textarea p-mono"
        rows={Math.min(8, text.split("\n").length + 1)}
        spellcheck={false}
        value={text}
        onInput={(event) => {
          const next = event.currentTarget.value;
          setText(next);
          try {
            const parsed: unknown = next.trim() === "" ? undefined : JSON.parse(next);
            setFault(undefined);
            onChange(parsed);
          } catch (error) {
            setFault(error instanceof Error ? error.message : String(error));
          }
        }}
      />
      {fault !== undefined && <span class="p-error">{c("notJson", { reason: fault })}</span>}
    </>
  );
}

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly value: unknown;
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  readonly disabled?: boolean;
  /** JSON Pointer → what is wrong there. */
  readonly faults?: ReadonlyMap<string, string>;
}

/** A form: one row per field of an object. */
export function Fields({ fields, value, onChange, disabled = false, faults }: FieldsProps) {
  const values = isRecord(value) ? value : {};
  return (
    <div class="p-fields">
      {fields.map((field) => {
        const fault = faults?.get(`/${field.name}`);
        return (
          <Row
            key={field.name}
            title={field.title}
            help={field.help}
            fault={fault}
            required={field.required}
            inline={field.shape.is === "boolean"}
            group={isGroup(field.shape)}
          >
            {(id, describedBy) => (
              <Control
                shape={field.shape}
                value={values[field.name] === undefined ? field.default : values[field.name]}
                onChange={(next) => onChange(withField(values, field.name, next))}
                id={id}
                describedBy={describedBy}
                disabled={disabled}
                invalid={fault !== undefined}
                nullable={field.nullable}
              />
            )}
          </Row>
        );
      })}
    </div>
  );
}

function withField(
  values: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const { [name]: _before, ...others } = values;
  return value === undefined ? others : { ...values, [name]: value };
}

export function isGroup(shape: Shape): boolean {
  return shape.is === "list" || shape.is === "map" || shape.is === "object";
}

interface RowProps {
  readonly title: ComponentChildren;
  readonly help?: ComponentChildren;
  readonly fault?: string | undefined;
  readonly required?: boolean;
  /** Label and control in one line. */
  readonly inline?: boolean;
  /** Several controls under one name. */
  readonly group?: boolean;
  readonly children: (id: string, describedBy: string | undefined) => ComponentChildren;
}

/** Label, control, help and fault, tied together for assistive technology. */
export function Row({ title, help, fault, required = false, inline = false, group = false, children }: RowProps) {
  const id = useId();
  const describedBy = [help !== undefined && `${id}-help`, fault !== undefined && `${id}-fault`]
    .filter(Boolean)
    .join(" ");
  const rest = (
    <>
      {children(id, describedBy === "" ? undefined : describedBy)}
      {help !== undefined && (
        <span id={`${id}-help`} class="p-help">
          {help}
        </span>
      )}
      {fault !== undefined && (
        <span id={`${id}-fault`} class="p-error">
          {fault}
        </span>
      )}
    </>
  );
  const mark = required && (
    <span class="p-faint" aria-hidden="true">
      {" *"}
    </span>
  );
  if (group)
    return (
      <fieldset class="p-field p-group">
        <legend>
          {title}
          {mark}
        </legend>
        {rest}
      </fieldset>
    );
  return (
    <div class={inline ? "p-field p-inline" : "p-field"}>
      <label for={id}>
        {title}
        {mark}
      </label>
      {rest}
    </div>
  );
}
