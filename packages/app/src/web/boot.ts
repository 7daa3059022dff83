/** Runs before the first paint: theme, text size and language as they were chosen here, so that nothing flashes. */
const root = document.documentElement;
const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage switched off: everything works with the defaults
  }
};
const theme = stored("margay.theme");
const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
root.dataset["theme"] = dark ? "dark" : "light";
const size = Number(stored("margay.text-size"));
if (size >= 12 && size <= 20) root.style.setProperty("--text-size", `${String(size)}px`);
const chosen = stored("margay.language") ?? navigator.language;
root.lang = chosen.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
