/** Where a list is searched as one types; its label stands in the empty field. */
import type { VNode } from "preact";

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly class?: string;
}

export function SearchField({ label, value, onValue, class: more }: SearchFieldProps): VNode {
  return (
    <input
      class={more === undefined ? "input" : `input ${more}`}
      type="search"
      value={value}
      aria-label={label}
      placeholder={label}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
}
