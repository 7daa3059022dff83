/** Numbers with their unit and a slider where the bounds are near; a span of hours; a time zone. */
import { locale } from "../../../web/texts/panels.ts";
import type { Shape } from "../../../web/ui/form-shape.ts";
import { t } from "./texts.ts";

interface Common {
  readonly id: string;
  readonly describedBy: string;
  readonly invalid: boolean;
  readonly label?: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

interface NumberProps extends Common {
  /** Its last part ends with its unit. */
  readonly path: string;
  readonly shape: Extract<Shape, { readonly is: "number" }>;
}

/** Above that a slider is too coarse to choose with. */
const SLIDER_STEPS = 500;

export function NumberControl({ path, shape, value, id, describedBy, invalid, label, onChange }: NumberProps) {
  const { min, max, integer } = shape;
  const step = integer ? 1 : 0.1;
  const slides = min !== undefined && max !== undefined && (max - min) / step <= SLIDER_STEPS;
  const shown = typeof value === "number" ? value : "";
  const take = (text: string): void => onChange(text === "" ? undefined : Number(text));
  return (
    <div class="set-number">
      {slides && (
        <input
          type="range"
          aria-hidden="true"
          tabIndex={-1}
          min={min}
          max={max}
          step={step}
          value={typeof value === "number" ? value : min}
          onInput={(event) => take(event.currentTarget.value)}
        />
      )}
      <input
        id={id}
        class="input"
        type="number"
        inputmode={integer ? "numeric" : "decimal"}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={invalid ? true : undefined}
        step={integer ? 1 : "any"}
        min={min}
        max={max}
        value={shown}
        onInput={(event) => take(event.currentTarget.value)}
      />
      <Unit path={path} value={value} />
    </div>
  );
}

const UNITS = [
  [/Seconds$/, "second"],
  [/Minutes$/, "minute"],
  [/Hours$/, "hour"],
  [/Days$/, "day"],
  [/Megabytes$/, "megabyte"],
  [/Ms$/, "millisecond"],
] as const;

/** "60 s", and beside many seconds how long that is. */
function Unit({ path, value }: { readonly path: string; readonly value: unknown }) {
  const unit = UNITS.find(([ends]) => ends.test(path))?.[1];
  if (unit === undefined || typeof value !== "number" || !Number.isFinite(value)) return null;
  const name = new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "long" })
    .formatToParts(value)
    .find((part) => part.type === "unit")?.value;
  const minutes = unit === "second" && value >= 120 ? value / 60 : undefined;
  return (
    <span class="muted">
      {name}
      {minutes !== undefined && ` (${spoken(minutes)})`}
    </span>
  );
}

function spoken(minutes: number): string {
  const hours = minutes >= 120;
  return new Intl.NumberFormat(locale(), {
    style: "unit",
    unit: hours ? "hour" : "minute",
    unitDisplay: "short",
    maximumFractionDigits: 1,
  }).format(hours ? minutes / 60 : minutes);
}

interface HoursProps extends Common {
  readonly title: string;
}

/** `21-08`: two hours of the day; it may cross midnight. */
export function HoursControl({ value, id, describedBy, title, onChange }: HoursProps) {
  const [from = "21", to = "08"] = typeof value === "string" ? value.split("-") : [];
  const hour = (which: "from" | "to", chosen: string, put: (next: string) => void) => (
    <select
      {...(which === "from" && { id })}
      class="select"
      aria-label={`${title}: ${t(which === "from" ? "hoursFrom" : "hoursTo")}`}
      aria-describedby={describedBy}
      value={chosen}
      onChange={(event) => put(event.currentTarget.value)}
    >
      {HOURS.map((one) => (
        <option key={one} value={one}>
          {`${one}:00`}
        </option>
      ))}
    </select>
  );
  return (
    <div class="set-number">
      {hour("from", from, (next) => onChange(`${next}-${to}`))}
      <span aria-hidden="true">–</span>
      {hour("to", to, (next) => onChange(`${from}-${next}`))}
    </div>
  );
}

const HOURS: readonly string[] = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

/** Typed or chosen from those the browser knows. */
export function ZoneControl({ value, id, describedBy, invalid, onChange }: Common) {
  return (
    <>
      <input
        id={id}
        class="input"
        type="text"
        list={`${id}-zones`}
        spellcheck={false}
        aria-describedby={describedBy}
        aria-invalid={invalid ? true : undefined}
        value={typeof value === "string" ? value : ""}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={`${id}-zones`}>
        <option value="system" />
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
