/** Whether the search in this chat is on screen. */
import { signal } from "@preact/signals";

export const findOpen = signal(false);
