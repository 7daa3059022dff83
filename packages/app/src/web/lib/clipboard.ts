/** Copying, also on plain HTTP where `navigator.clipboard` does not exist. */

/** @returns whether the text is on the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // not allowed here: the old way
    }
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy"); // the only way without a secure context
  area.remove();
  return done;
}
