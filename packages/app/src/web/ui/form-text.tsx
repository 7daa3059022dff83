/** Controls in which something is written: a text, lines of texts, JSON. */
import { useState } from "preact/hooks";
import { c } from "../texts/panels-common.ts";
import { commonOf, type ControlProps, type Of } from "./form-control.ts";

export function TextControl(props: Of<"text">) {
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

/** Empty lines stay while it is written; `tidied` takes them out. */
export function LinesControl(props: ControlProps) {
  const lines: readonly unknown[] = Array.isArray(props.value) ? props.value : [];
  return (
    <textarea
      {...commonOf(props)}
      class="textarea"
      rows={3}
      spellcheck={false}
      value={lines.map(String).join("\n")}
      onInput={(event) => props.onChange(event.currentTarget.value.split("\n"))}
    />
  );
}

/** A value without a control of its own, as JSON; what does not parse stays in the field and is not reported. */
export function JsonControl({ value, onChange, id, label, describedBy, disabled }: ControlProps) {
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
