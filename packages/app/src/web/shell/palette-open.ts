/** Whether the command palette is on screen. */
import { signal } from "@preact/signals";

export const paletteOpen = signal(false);
