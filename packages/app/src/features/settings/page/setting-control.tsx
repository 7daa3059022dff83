/** The control of a setting: that of its schema, and better ones where the kind or the key says more than a schema can. */
import { useState } from "preact/hooks";
import { FolderInput } from "../../../web/folders/folder-field.tsx";
import { ModelPicker } from "../../../web/models/picker.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Control } from "../../../web/ui/schema-form.tsx";
import type { Shape } from "../../../web/ui/form-shape.ts";
import type { Entry } from "./model.ts";
import { HoursControl, NumberControl, ZoneControl } from "./number-control.tsx";
import { noneOf } from "./texts.ts";

export interface SettingControlProps {
  readonly entry: Entry;
  readonly value: unknown;
  readonly id: string;
  readonly describedBy: string;
  readonly invalid: boolean;
  /** While it is typed. */
  readonly onChange: (value: unknown) => void;
  /** A choice that is whole. */
  readonly onChosen: (value: unknown) => void;
}

/** Whether it is saved by a button: several lines, several entries, or a secret. */
export function isWritten({ field: { shape }, secret }: Entry): boolean {
  if (secret) return true;
  return ["list", "map", "object", "lines", "json", "secret"].includes(shape.is) || (shape.is === "text" && shape.long);
}

/** No value is a switch that is off, never an empty field. */
export function SettingControl(props: SettingControlProps) {
  const { entry, value, id, describedBy, onChange, onChosen } = props;
  if (entry.format === "margay-model") return <ModelControl {...props} />;
  if (!entry.field.nullable || entry.secret) return <PlainControl {...props} />;
  const on = value !== null && value !== undefined;
  return (
    <div class="set-none">
      <input
        id={id}
        type="checkbox"
        role="switch"
        class="p-switch"
        aria-describedby={describedBy}
        disabled={entry.locked}
        checked={on}
        onChange={(event) => (event.currentTarget.checked ? onChange(startOf(entry)) : onChosen(null))}
      />
      {on ? <PlainControl {...props} id={`${id}-value`} named /> : <span class="muted">{noneOf(entry.path)}</span>}
    </div>
  );
}

function ModelControl({ entry, value, id, describedBy, onChosen }: SettingControlProps) {
  const [open, setOpen] = useState(false);
  const name = typeof value === "string" ? value : "";
  return (
    <div class="set-none">
      <button
        type="button"
        id={id}
        class="input picker-field"
        aria-labelledby={`${id}-name ${id}`}
        aria-describedby={describedBy}
        onClick={() => setOpen(true)}
      >
        <span class="truncate">{name === "" ? noneOf(entry.path) : name}</span>
      </button>
      {entry.field.nullable && name !== "" && (
        <Button kind="quiet" icon="close" label={noneOf(entry.path)} onClick={() => onChosen(null)} />
      )}
      {open && (
        <ModelPicker
          title={entry.title}
          value={name}
          onChoose={(chosen) => onChosen(chosen)}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function PlainControl(props: SettingControlProps & { readonly named?: boolean }) {
  const { entry, value, id, describedBy, invalid, onChange, onChosen, named = false } = props;
  const { shape } = entry.field;
  const common = { id, describedBy, invalid, disabled: false, ...(named && { label: entry.title }) };
  if (shape.is === "number")
    return <NumberControl {...common} path={entry.path} shape={shape} {...{ value, onChange }} />;
  if (entry.path === "workspace")
    return (
      <FolderInput
        control={{ id, "aria-describedby": describedBy, ...(invalid && { "aria-invalid": "true" }) }}
        value={typeof value === "string" ? value : ""}
        onValue={onChange}
        onChosen={onChosen}
      />
    );
  if (entry.format === "margay-hours")
    return <HoursControl {...common} title={entry.title} value={value} onChange={onChosen} />;
  if (entry.format === "margay-time-zone") return <ZoneControl {...common} value={value} onChange={onChange} />;
  if (shape.is === "choice" && shape.of.length <= SEGMENTS_SHOWN)
    return <Segments id={id} title={entry.title} {...{ shape, value, describedBy }} onChange={onChosen} />;
  return (
    <Control
      {...common}
      shape={entry.secret && shape.is === "text" ? { is: "secret" } : shape}
      value={value}
      onChange={(next) => {
        if (next === undefined && entry.secret) return;
        if (shape.is === "boolean" || shape.is === "choice" || shape.is === "choices") onChosen(next);
        else onChange(next ?? null);
      }}
    />
  );
}

const SEGMENTS_SHOWN = 4;

interface SegmentsProps {
  /** Of the row: two settings may have one title, and radios of one name are one group. */
  readonly id: string;
  readonly title: string;
  readonly shape: Extract<Shape, { readonly is: "choice" }>;
  readonly value: unknown;
  readonly describedBy: string;
  readonly onChange: (value: string) => void;
}

/** A few choices side by side: one click, and all of them in sight. */
function Segments({ id, title, shape, value, describedBy, onChange }: SegmentsProps) {
  return (
    <div class="set-segments" role="radiogroup" aria-label={title} aria-describedby={describedBy}>
      {shape.of.map((option) => (
        <label key={option}>
          <input type="radio" name={id} value={option} checked={value === option} onChange={() => onChange(option)} />
          <span>{shape.words?.get(option) ?? option}</span>
        </label>
      ))}
    </div>
  );
}

/** What a value begins with when its switch is turned on. */
function startOf({ default: given, field: { shape } }: Entry): unknown {
  if (given !== null && given !== undefined) return given;
  return blankOf(shape);
}

function blankOf(shape: Shape): unknown {
  if (shape.is === "number") return shape.min ?? 0;
  if (shape.is === "choice") return shape.of[0] ?? "";
  if (shape.is === "either") return shape.of[0] === undefined ? "" : blankOf(shape.of[0]);
  if (shape.is === "object" || shape.is === "map") return {};
  return shape.is === "list" || shape.is === "lines" ? [] : "";
}
