// Light or dark before the first paint; on a narrow screen the list of pages begins closed.
const KEY = "margay-help-theme";

/** Storage can be forbidden: then the choice holds for this page. */
function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // the page shows it all the same
  }
}

const theme = kept();
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
document.addEventListener("DOMContentLoaded", () => {
  if (matchMedia("(max-width: 50rem)").matches) document.querySelector("nav.pages details").open = false;
  const button = document.querySelector("#theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    const { dataset } = document.documentElement;
    const isDark =
      (dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    dataset.theme = isDark ? "light" : "dark";
    keep(dataset.theme);
  });
});
