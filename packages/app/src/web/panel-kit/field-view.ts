/** A key of the configuration as the gateway tells it. */
export interface FieldView {
  readonly source: "default" | "profile" | "file" | "env" | "flag";
  readonly name?: string;
  readonly locked: boolean;
  readonly restart: boolean;
  readonly secret: boolean;
  readonly safety: boolean;
  readonly title: string;
  readonly help: string;
  readonly takes: string;
  readonly default?: unknown;
}
