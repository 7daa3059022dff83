/** A secret: it goes in and never comes out; an empty field means "unchanged". */
import { isRecord } from "@margay/core/internal/state";
import { useRef } from "preact/hooks";
import { c } from "../texts/panels-common.ts";
import type { ControlProps } from "./form-control.ts";

/** As it is read: whether there is one and where from, never a part of it. */
export interface SecretState {
  readonly set: boolean;
  readonly source?: string;
}

/** `{"$secret":{set,…}}` of the server. */
export function secretState(value: unknown): SecretState | undefined {
  const inner = isRecord(value) ? value["$secret"] : undefined;
  if (!isRecord(inner)) return undefined;
  return { set: inner["set"] === true, ...(typeof inner["source"] === "string" && { source: inner["source"] }) };
}

/** The variable it comes from: it cannot be changed here. */
export function secretVariable(state: SecretState | undefined): string | undefined {
  return state?.source?.startsWith("env:") === true ? state.source.slice(4) : undefined;
}

export function SecretControl({
  value,
  onChange,
  id,
  label,
  describedBy,
  disabled,
  invalid,
  placeholder,
}: ControlProps) {
  const state = secretState(value);
  const typed = isRecord(value) && typeof value["$secret"] === "string" ? value["$secret"] : "";
  const variable = secretVariable(state);
  const kept = useRef<unknown>(undefined);
  if (state !== undefined) kept.current = value; // a mask: what is in the store
  const hint =
    value === null ? c("secretForgotten") : state?.set === true ? c("secretKeep") : (placeholder ?? c("secretNew"));
  return (
    <span class="p-row">
      <input
        id={id}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={invalid === true ? true : undefined}
        class="input grow p-mono"
        type="password"
        autocomplete="off"
        spellcheck={false}
        data-1p-ignore
        disabled={disabled === true || variable !== undefined}
        value={typed}
        placeholder={variable === undefined ? hint : c("fromEnv", { name: variable })}
        onInput={(event) =>
          onChange(event.currentTarget.value === "" ? kept.current : { $secret: event.currentTarget.value })
        }
      />
      {state?.set === true && variable === undefined && (
        <button type="button" class="button quiet small" disabled={disabled} onClick={() => onChange(null)}>
          {c("secretForget")}
        </button>
      )}
    </span>
  );
}
