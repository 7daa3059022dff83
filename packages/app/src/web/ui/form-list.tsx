/** Controls made of others: lists and name → value tables, one row per entry, and a value of one of several kinds. */
import { isRecord } from "@margay/core/internal/state";
import type { ComponentType } from "preact";
import { c } from "../texts/panels-common.ts";
import { commonOf, type ControlProps } from "./form-control.ts";
import { type Shape } from "./form-shape.ts";

type Of<Kind extends Shape["is"]> = Omit<ControlProps, "shape"> & {
  readonly shape: Extract<Shape, { is: Kind }>;
  /** The control of one entry: any shape again. */
  readonly entry: ComponentType<ControlProps>;
};

export function ListControl({ shape, value, onChange, id, disabled = false, label, entry: Control }: Of<"list">) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const put = (index: number, next: unknown): void => onChange(items.map((item, at) => (at === index ? next : item)));
  return (
    <div class="p-list" id={id}>
      {items.map((item, index) => (
        // Entries have no identity but their place.
        <div class="p-row" key={index}>
          <span class="grow">
            <Control
              shape={shape.of}
              value={item}
              onChange={(next) => put(index, next ?? "")}
              label={`${label ?? c("itemValue")} ${index + 1}`}
              disabled={disabled}
            />
          </span>
          <RemoveEntry
            index={index}
            disabled={disabled}
            remove={() => onChange(items.filter((_item, at) => at !== index))}
          />
        </div>
      ))}
      <button
        type="button"
        class="button quiet small"
        disabled={disabled}
        onClick={() => onChange([...items, blank(shape.of)])}
      >
        + {c("addItem")}
      </button>
    </div>
  );
}

export function MapControl({ shape, value, onChange, id, disabled = false, entry: Control }: Of<"map">) {
  const entries = Object.entries(isRecord(value) ? value : {});
  const write = (next: readonly (readonly [string, unknown])[]): void => onChange(Object.fromEntries(next));
  return (
    <div class="p-list" id={id}>
      {entries.map(([name, item], index) => (
        <div class="p-row" key={index}>
          <input
            type="text"
            class="input p-mono p-name"
            value={name}
            disabled={disabled}
            aria-label={`${c("itemName")} ${index + 1}`}
            onChange={(event) => {
              const renamed = event.currentTarget.value;
              write(entries.map((entry, at) => (at === index ? [renamed, entry[1]] : entry)));
            }}
          />
          <span class="grow">
            <Control
              shape={shape.of}
              value={item}
              label={`${c("itemValue")} ${name}`}
              disabled={disabled}
              onChange={(next) => write(entries.map((entry, at) => (at === index ? [entry[0], next] : entry)))}
            />
          </span>
          <RemoveEntry
            index={index}
            disabled={disabled}
            remove={() => write(entries.filter((_entry, at) => at !== index))}
          />
        </div>
      ))}
      <button
        type="button"
        class="button quiet small"
        disabled={disabled || entries.some(([name]) => name === "")}
        onClick={() => write([...entries, ["", blank(shape.of)]])}
      >
        + {c("addItem")}
      </button>
    </div>
  );
}

interface RemoveProps {
  readonly index: number;
  readonly disabled: boolean;
  readonly remove: () => void;
}

function RemoveEntry({ index, disabled, remove }: RemoveProps) {
  return (
    <button
      type="button"
      class="button quiet small icon"
      disabled={disabled}
      aria-label={c("removeItem", { n: index + 1 })}
      onClick={remove}
    >
      ✕
    </button>
  );
}

/** Constants and kinds stand in one choice, the control of the chosen kind beside it. */
export function EitherControl({ entry: Entry, ...props }: Of<"either">) {
  const { shape, value, onChange, label, disabled = false } = props;
  const choices = shape.of.flatMap((one) => (one.is === "choice" ? [one] : []));
  const constants = choices.flatMap(({ of }) => of);
  const kinds = shape.of.filter((one) => one.is !== "choice");
  const at = typeof value === "string" && constants.includes(value) ? -1 : kinds.findIndex((one) => isOf(one, value));
  const chosen = kinds[at];
  const choose = (option: string): void => {
    const kind = /^kind (\d+)$/.exec(option)?.[1];
    const next = kind === undefined ? undefined : kinds[Number(kind)];
    onChange(next === undefined ? option : blank(next));
  };
  return (
    <div class="p-either">
      <select
        {...commonOf(props)}
        class="select"
        value={chosen === undefined ? String(value ?? "") : `kind ${String(at)}`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {constants.map((name) => (
          <option key={name} value={name}>
            {choices.find(({ of }) => of.includes(name))?.words?.get(name) ?? name}
          </option>
        ))}
        {kinds.map((kind, index) => (
          <option key={index} value={`kind ${String(index)}`}>
            {wordOf(kind)}
          </option>
        ))}
      </select>
      {chosen !== undefined && (
        <Entry
          shape={chosen}
          value={value}
          onChange={onChange}
          disabled={disabled}
          invalid={props.invalid === true}
          label={label ?? c("itemValue")}
          describedBy={props.describedBy}
        />
      )}
    </div>
  );
}

function isOf(shape: Shape, value: unknown): boolean {
  switch (shape.is) {
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    case "list":
    case "lines":
    case "choices":
      return Array.isArray(value);
    case "map":
    case "object":
      return isRecord(value);
    case "choice":
      return typeof value === "string" && shape.of.includes(value);
    case "either":
      return shape.of.some((one) => isOf(one, value));
    case "text":
    case "secret":
    case "json":
      return typeof value === "string";
  }
}

function wordOf({ is }: Shape): string {
  if (is === "number") return c("kindNumber");
  if (is === "list" || is === "lines" || is === "choices") return c("kindList");
  return is === "object" || is === "map" ? c("kindDetails") : c("kindText");
}

/** What a new entry starts with. */
function blank(shape: Shape): unknown {
  switch (shape.is) {
    case "boolean":
      return false;
    case "number":
      return shape.min ?? 0;
    case "choice":
      return shape.of[0] ?? "";
    case "choices":
    case "lines":
    case "list":
      return [];
    case "map":
    case "object":
      return {};
    case "either":
      return shape.of[0] === undefined ? "" : blank(shape.of[0]);
    case "json":
      return null;
    case "text":
    case "secret":
      return "";
  }
}
