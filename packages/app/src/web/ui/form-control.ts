/** What every form control takes. */
import type { Shape } from "./form-shape.ts";

export interface ControlProps {
  readonly shape: Shape;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly id?: string;
  readonly label?: string;
  readonly describedBy?: string | undefined;
  readonly disabled?: boolean;
  readonly invalid?: boolean;
  readonly nullable?: boolean;
  readonly placeholder?: string | undefined;
}

/** A control of one shape. */
export type Of<Is extends Shape["is"]> = ControlProps & { readonly shape: Extract<Shape, { readonly is: Is }> };

/** What every control says of itself. */
export function commonOf(props: ControlProps) {
  return {
    id: props.id,
    "aria-label": props.label,
    "aria-describedby": props.describedBy,
    "aria-invalid": props.invalid === true ? true : undefined,
    disabled: props.disabled === true,
  };
}
