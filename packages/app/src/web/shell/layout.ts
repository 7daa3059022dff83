/** Which columns are shown: kept for the next visit where that is wanted. */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { route } from "../lib/route.ts";

const LIST = "margay.list";

/** Of wide screens; on smaller ones the list is a drawer. */
export const listShown = signal(localStorage.getItem(LIST) !== "hidden");
export const drawerOpen = signal(false);

const narrow = matchMedia("(max-width: 1279px)");
const phone = matchMedia("(max-width: 767px)");
/** The list is a drawer. */
const isDrawer = followed(narrow);
/** A page covers the chat. */
export const isPhone = followed(phone);

/** The list can be seen: as a column, or as a drawer that is open. */
export const isListInSight = computed(() => (isDrawer.value ? drawerOpen.value : listShown.value));

/** What lies under a drawer or a full-height page can't be reached: the focus is never hidden (WCAG 2.4.11). */
export const chatCovered = computed(
  () => (isDrawer.value && drawerOpen.value) || (isPhone.value && route.value.panel !== undefined),
);
export const panelCovered = computed(() => isDrawer.value && drawerOpen.value);

export function isNarrow(): boolean {
  return narrow.matches;
}

/** What had the focus before the drawer opened. */
const opener: { element?: HTMLElement } = {};

export function closeDrawer(): void {
  drawerOpen.value = false;
  requestAnimationFrame(() => {
    const now = document.activeElement;
    if (now === document.body || now?.closest(".side")) opener.element?.focus(); // else a key or a click led elsewhere
  });
}

function openDrawer(): void {
  if (document.activeElement instanceof HTMLElement) opener.element = document.activeElement;
  drawerOpen.value = true;
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".side button")?.focus());
}

function followed(query: MediaQueryList): ReadonlySignal<boolean> {
  const matches = signal(query.matches);
  query.addEventListener("change", () => {
    matches.value = query.matches;
  });
  return matches;
}

export function toggleList(): void {
  if (isNarrow()) {
    if (drawerOpen.value) closeDrawer();
    else openDrawer();
    return;
  }
  listShown.value = !listShown.value;
  localStorage.setItem(LIST, listShown.value ? "shown" : "hidden");
}
