/** What is said to screen readers: politely for progress, at once for approvals and errors. */
import { signal } from "@preact/signals";

export const polite = signal("");
export const assertive = signal("");

export function announce(text: string, how: "polite" | "assertive" = "polite"): void {
  const region = how === "polite" ? polite : assertive;
  region.value = region.value === text ? `${text} ` : text; // the same words twice are said twice
}
