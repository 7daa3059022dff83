/** Whether the search in this chat is on screen. */
import { signal } from "@preact/signals";

export const findOpen = signal(false);

export function closeFind(): void {
  findOpen.value = false;
  document.querySelector<HTMLElement>("#composer")?.focus();
}
