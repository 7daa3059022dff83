// What an address that a model or a stranger wrote may be: cleaned, parsed and refused before anything is resolved.

const MAX_URL_CHARS = 8_192;

export type Refusal = { readonly fact: string; readonly next: string };
export type ParsedUrl = { readonly url: URL } | { readonly refusal: Refusal };

/** Quotes, brackets and punctuation around a URL belong to the sentence it stood in. */
export function cleanUrl(text: string): string {
  let url = text.trim();
  if (url.length > MAX_URL_CHARS) return url;
  for (;;) {
    const shorter = url
      .replace(/^["'`<>“”‘’«»]+/, "")
      .replace(/["'`<>“”‘’«».,;!?]+$/, "")
      .trim();
    const closed = trimUnopened(shorter);
    if (closed === url) return url;
    url = closed;
  }
}

/** A closing bracket without its opening one: `(see https://example.com/a)`. */
function trimUnopened(url: string): string {
  for (const [open, close] of ["()", "[]", "{}"].map((pair) => [pair.charAt(0), pair.charAt(1)] as const)) {
    if (url.endsWith(close) && url.split(close).length > url.split(open).length) return url.slice(0, -1);
  }
  return url;
}

/** http and https without credentials. The text of a refusal never holds a password. */
export function parseUrl(text: string, base?: URL): ParsedUrl {
  if (text.length > MAX_URL_CHARS) return refuse("the URL is longer than 8,192 characters", "use a shorter one");
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    return refuse("the URL cannot be read", "give a complete http or https URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refuse(`${url.protocol.slice(0, 20)} URLs are not fetched`, "use an http or https URL");
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("URLs with a user name or password are not fetched", "use the URL without them");
  }
  if (url.hostname === "") return refuse("the URL has no host", "give a complete http or https URL");
  return { url };
}

/** The host without brackets and without the final dot of a fully qualified name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

export function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** `allowHosts` entries are `host` (any port) or `host:port`, compared exactly, with the name as it was written. */
export function isAllowedHost(url: URL, allowHosts: readonly string[]): boolean {
  const host = url.hostname.replace(/\.$/, "");
  return allowHosts.some((entry) => {
    const wanted = entry.toLowerCase();
    return wanted === host || wanted === hostOf(url) || wanted === `${host}:${portOf(url)}`;
  });
}

function refuse(fact: string, next: string): { readonly refusal: Refusal } {
  return { refusal: { fact, next } };
}
