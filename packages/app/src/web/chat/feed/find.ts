/** Whether the search in this chat is on screen. */
import { signal } from "@preact/signals";

export const findOpen = signal(false);
/** How often a place that was found was gone to: again to the same one, when the reader went elsewhere. */
export const foundTimes = signal(0);

export function closeFind(): void {
  findOpen.value = false;
  document.querySelector<HTMLElement>("#composer")?.focus();
}
