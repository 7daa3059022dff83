/** One of a few, side by side: radio buttons that look like segments. */
import type { VNode } from "preact";
import { useId } from "preact/hooks";

interface SegmentsProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onValue: (value: string) => void;
}

export function Segments({ label, value, options, onValue }: SegmentsProps): VNode {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      <div class="segments-row">
        {options.map((option) => (
          <label key={option.value}>
            <input type="radio" name={name} checked={option.value === value} onChange={() => onValue(option.value)} />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
