/** Text that HTML shows as it is. */
export function escapeHtml(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The same, between double quotes. */
export function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll('"', "&quot;");
}

/** The name of a language as a class; undefined when it is none. */
export function languageClass(lang: string): string | undefined {
  return /^[\w+#.-]{1,40}$/.test(lang) ? `language-${lang}` : undefined;
}
