/** Places to fill in, in a prompt that was chosen: `{}` or `{what goes there}`. */

/** Selects the next one behind the cursor. @returns false when there is none. */
export function selectPlace(field: HTMLTextAreaElement | null, from: number): boolean {
  const found = /\{[^{}\n]{0,80}\}/.exec(field?.value.slice(from) ?? "");
  if (field === null || found === null) return false;
  const start = from + found.index;
  field.setSelectionRange(start, start + found[0].length);
  return true;
}
