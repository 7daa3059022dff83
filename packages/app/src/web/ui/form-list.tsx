/** Lists and name → value tables, one row per entry. */
import { isRecord } from "@margay/core/internal/state";
import type { ComponentType } from "preact";
import { c } from "../texts/panels-common.ts";
import type { ControlProps } from "./form-control.ts";
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
    case "json":
      return null;
    case "text":
    case "secret":
      return "";
  }
}
