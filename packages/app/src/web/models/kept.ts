/** Models that somebody pinned, and those chosen last, by name; kept in this browser. */

const PINNED = "margay.models.pinned";
const RECENT = "margay.models.recent";
/** Of those chosen: more is the whole list again. */
const RECENT_MOST = 4;
const PINNED_MOST = 12;

export interface Kept {
  readonly pinned: readonly string[];
  /** The last one first. */
  readonly recent: readonly string[];
}

export function keptModels(): Kept {
  return { pinned: read(PINNED), recent: read(RECENT) };
}

export function togglePin(name: string): Kept {
  const { pinned } = keptModels();
  const next = pinned.includes(name) ? pinned.filter((one) => one !== name) : [...pinned, name].slice(-PINNED_MOST);
  localStorage.setItem(PINNED, JSON.stringify(next));
  return keptModels();
}

export function noteChosen(name: string): void {
  const { recent } = keptModels();
  const next = [name, ...recent.filter((one) => one !== name)].slice(0, RECENT_MOST);
  localStorage.setItem(RECENT, JSON.stringify(next));
}

/** Whatever stands there: what is no list of names is none. */
function read(key: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(found) ? found.filter((one): one is string => typeof one === "string") : [];
  } catch {
    return [];
  }
}
