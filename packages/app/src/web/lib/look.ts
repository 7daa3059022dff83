/** Theme and text size: kept here, set on the document, and by boot.ts before the next first paint. */
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const THEME = "margay.theme";
const SIZE = "margay.text-size";

export const theme = signal<Theme>(storedTheme());
/** Pixels of a rem; 16 is what the browser does without us. */
export const textSize = signal(Number(localStorage.getItem(SIZE) ?? 16));

export function setTheme(next: Theme): void {
  if (next === "system") localStorage.removeItem(THEME);
  else localStorage.setItem(THEME, next);
  theme.value = next;
  applyTheme();
}

export function setTextSize(pixels: number): void {
  localStorage.setItem(SIZE, String(pixels));
  textSize.value = pixels;
  document.documentElement.style.setProperty("--text-size", `${String(pixels)}px`);
}

/** Follows the system while nothing else is chosen. */
export function watchTheme(): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
}

function applyTheme(): void {
  const dark =
    theme.value === "dark" || (theme.value === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(THEME);
  return stored === "light" || stored === "dark" ? stored : "system";
}
