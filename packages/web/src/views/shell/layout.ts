/** Which columns are shown: kept for the next visit where that is wanted. */
import { signal } from "@preact/signals";

const LIST = "margay.list";

/** Of wide screens; on smaller ones the list is a drawer. */
export const listShown = signal(localStorage.getItem(LIST) !== "hidden");
export const drawerOpen = signal(false);

export function isNarrow(): boolean {
  return matchMedia("(max-width: 1279px)").matches;
}

export function toggleList(): void {
  if (isNarrow()) {
    drawerOpen.value = !drawerOpen.value;
    return;
  }
  listShown.value = !listShown.value;
  localStorage.setItem(LIST, listShown.value ? "shown" : "hidden");
}
