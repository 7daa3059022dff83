/** Form controls for any value with a shape: native inputs, a label, a help line and the fault beside them. */
import { isRecord } from "@margay/core/internal/state";
import { Fragment, type ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { c } from "../texts/panels-common.ts";
import { commonOf, type ControlProps, type Of } from "./form-control.ts";
import { Check } from "./field.tsx";
import { type Field, type Shape } from "./form-shape.ts";
import { SecretControl } from "./form-secret.tsx";
import { EitherControl, ListControl, MapControl } from "./form-list.tsx";
import { JsonControl, LinesControl, TextControl } from "./form-text.tsx";

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
    case "choices":
      return <ChoicesControl {...props} shape={shape} />;
    case "text":
      return <TextControl {...props} shape={shape} />;
    case "lines":
      return <LinesControl {...props} />;
    case "secret":
      return <SecretControl {...props} />;
    case "list":
      return <ListControl {...props} shape={shape} entry={Control} />;
    case "map":
      return <MapControl {...props} shape={shape} entry={Control} />;
    case "object":
      return <Fields fields={shape.fields} value={value} onChange={onChange} disabled={props.disabled === true} />;
    case "either":
      return <EitherControl {...props} shape={shape} entry={Control} />;
    case "json":
      return <JsonControl {...props} />;
  }
}

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
          {shape.words?.get(option) ?? option}
        </option>
      ))}
    </select>
  );
}

function ChoicesControl({ shape, value, onChange, id, disabled }: Of<"choices">) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <div class="p-list" id={id}>
      {shape.of.map((option) => (
        <Check
          key={option}
          label={shape.words?.get(option) ?? option}
          checked={chosen.includes(option)}
          disabled={disabled === true}
          onChecked={(on) => onChange(shape.of.filter((one) => (one === option ? on : chosen.includes(one))))}
        />
      ))}
    </div>
  );
}

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly value: unknown;
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  readonly disabled?: boolean;
  /** JSON Pointer → what is wrong there. */
  readonly faults?: ReadonlyMap<string, string>;
  readonly own?: OwnControls;
  /** Side by side where there is room. */
  readonly compact?: boolean;
}

/** By the name of a field: its whole row, where no schema can tell how it is chosen. */
export type OwnControls = Readonly<Record<string, (control: OwnProps) => ComponentChildren>>;

interface OwnProps {
  readonly value: unknown;
  readonly fault: string | undefined;
  readonly onChange: (value: unknown) => void;
}

/** A form: one row per field of an object. */
export function Fields({ fields, value, onChange, disabled = false, faults, own = {}, compact = false }: FieldsProps) {
  const values = isRecord(value) ? value : {};
  const row = (field: Field): ComponentChildren => {
    const fault = faultOf(faults, field.name);
    const change = (next: unknown): void => onChange(withField(values, field, next));
    const control = own[field.name];
    if (control !== undefined)
      return <Fragment key={field.name}>{control({ value: values[field.name], fault, onChange: change })}</Fragment>;
    return (
      <Row
        key={field.name}
        title={field.title}
        help={field.help}
        fault={fault}
        required={field.required && (values[field.name] === undefined || values[field.name] === "")}
        inline={field.shape.is === "boolean"}
        group={isGroup(field.shape)}
      >
        {(id, describedBy) => (
          <Control
            shape={field.shape}
            value={values[field.name] === undefined ? field.default : values[field.name]}
            onChange={change}
            id={id}
            describedBy={describedBy}
            disabled={disabled}
            invalid={fault !== undefined}
            nullable={field.nullable}
          />
        )}
      </Row>
    );
  };
  const needed = neededOf(fields, values);
  const more = needed.filter((field) => field.more === true);
  return (
    <div class={compact ? "p-fields p-compact" : "p-fields"}>
      {needed.filter((field) => field.more !== true).map(row)}
      {more.length > 0 && (
        <details class="p-card" open={more.some(({ name }) => values[name] !== undefined)}>
          <summary>{c("moreSettings")}</summary>
          {more.map(row)}
        </details>
      )}
    </div>
  );
}

/** Without those that belong to another choice. One whose value is not shown chooses nothing away. */
export function neededOf(fields: readonly Field[], values: Readonly<Record<string, unknown>>): readonly Field[] {
  const valueOf = (name: string): unknown => values[name] ?? fields.find((one) => one.name === name)?.default;
  const isOther = ([name, is]: readonly [string, unknown]): boolean => {
    const value = valueOf(name);
    return typeof value === "string" && value !== is;
  };
  return fields.filter(({ when }) => when === undefined || !Object.entries(when).some(isOther));
}

/** Of the field, of a part of it, or of where the field stands in the configuration. */
function faultOf(faults: ReadonlyMap<string, string> = new Map(), name: string): string | undefined {
  for (const [pointer, fault] of faults) {
    const [first, ...rest] = pointer.slice(1).split("/");
    if (first === name || rest.findLast((part) => !/^\d+$/.test(part)) === name) return fault;
  }
  return undefined;
}

/** An emptied text that need not be there is none. */
function withField(
  values: Readonly<Record<string, unknown>>,
  { name, required }: Field,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const { [name]: _before, ...others } = values;
  return value === undefined || (value === "" && !required) ? others : { ...values, [name]: value };
}

export function isGroup(shape: Shape): boolean {
  return shape.is === "choices" || shape.is === "list" || shape.is === "map" || shape.is === "object";
}

interface RowProps {
  readonly title: ComponentChildren;
  readonly help?: ComponentChildren;
  readonly fault?: string | undefined;
  /** It is still to be filled in. */
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
