/** Known secrets in every form they travel in: raw, JSON, URL, hex, and base64 at each of its three offsets. */

/** Shorter strings are too likely to be ordinary words. */
export const MIN_SECRET_CHARS = 8;

export interface SecretForms {
  readonly pattern: RegExp;
  /** Index from which the end of `text` may become a known value when more is added; its length: nowhere. */
  readonly tail: (text: string) => number;
}

export function formsOf(secrets: ReadonlySet<string>): SecretForms {
  const forms = new Set<string>();
  for (const secret of secrets)
    for (const form of encodings(secret)) if (form.length >= MIN_SECRET_CHARS) forms.add(form);
  // Longest first: a secret that contains another is replaced as a whole.
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  const byFirst = Map.groupBy(sorted, (form) => form.charAt(0));
  const longest = sorted[0]?.length ?? 0;
  return {
    pattern: new RegExp(sorted.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g"),
    tail: (text) => {
      for (let at = Math.max(0, text.length - longest); at < text.length; at += 1) {
        const left = text.length - at;
        if (
          byFirst.get(text.charAt(at))?.some((form) => form.length > left && form.startsWith(text.slice(at))) === true
        )
          return at;
      }
      return text.length;
    },
  };
}

function encodings(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const url = encodeURIComponent(secret.toWellFormed());
  const base64 = [0, 1, 2].map((shift) => base64Core(bytes, shift));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll("%20", "+"),
    new URLSearchParams({ "": secret.toWellFormed() }).toString().slice(1),
    hex.map((pair) => `%${pair}`).join(""),
    hex.map((pair) => `%${pair.toUpperCase()}`).join(""),
    hex.join(""),
    hex.join("").toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** What base64 of any text with the secret at an offset of `shift` modulo 3 must contain. */
function base64Core(bytes: Uint8Array, shift: number): string {
  const text = btoa(String.fromCharCode(...new Array<number>(shift).fill(0), ...bytes));
  const usable = Math.floor(((shift + bytes.length) * 8) / 6); // characters decided by these bytes alone
  return text.slice(Math.ceil((shift * 8) / 6), usable);
}
