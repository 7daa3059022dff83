/** One line of the palette. */
import type { IconName } from "../ui/icon.tsx";

export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly icon: IconName;
  readonly label: string;
  /** Also found by these. */
  readonly other?: string;
  /** Also found by whole pieces of these. */
  readonly words?: string;
  /** Only for who asks: there are too many of them to show unasked. */
  readonly asked?: true;
  readonly note?: string;
  readonly run: () => void;
}
