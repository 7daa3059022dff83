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
