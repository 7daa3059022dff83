/** When this browser was here before: what ran since then is told. The same moment for as long as the tab lives. */
const VISIT = "margay.visit";
const SINCE = "margay.since";
const DAY_MS = 86_400_000;

export function lastVisit(): number {
  const known = Number(sessionStorage.getItem(SINCE));
  if (known > 0) return known;
  const now = Date.now();
  const before = Number(localStorage.getItem(VISIT)) || now - DAY_MS;
  sessionStorage.setItem(SINCE, String(before));
  localStorage.setItem(VISIT, String(now));
  return before;
}
