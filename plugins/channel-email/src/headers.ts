/** Header fields of a mail as RFC 5322 means them: comments and quoted strings say nothing about structure. */

/** One header field, unfolded or not; as postal-mime lists them, topmost first. */
export interface Header {
  /** In lower case. */
  readonly key: string;
  readonly value: string;
}

/** What is looked at; a mail as postal-mime parses it fits. */
export interface ReceivedMail {
  readonly headers: readonly Header[];
  readonly text?: string | undefined;
  readonly attachments?: readonly {
    readonly mimeType: string;
    readonly method?: string | undefined;
    readonly content: ArrayBuffer | Uint8Array | string;
  }[];
}

/** All values of a field, topmost first. */
export function valuesOf(headers: readonly Header[], name: string): readonly string[] {
  return headers.filter(({ key }) => key.toLowerCase() === name).map(({ value }) => value);
}

/**
 * The value with comments as blanks and, inside of quoted strings, everything that could be read as structure percent-encoded:
 * what a stranger wrote there (a display name, a local part) can then be split on `;`, `=`, `<` without harm.
 *
 * @returns `undefined` when a comment or a quoted string has no end, or a control character is inside
 */
export function flatten(value: string): string | undefined {
  let flat = "";
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < value.length; at += 1) {
    let char = value.charAt(at);
    if (char === "\r" || char === "\n" || char === "\t") char = " ";
    if (char < " " || char === "\x7f") return undefined;
    const escaped = char === "\\" && (quoted || depth > 0);
    if (escaped) {
      at += 1;
      if (at >= value.length) return undefined;
      char = value.charAt(at);
    }
    if (depth > 0) {
      if (!escaped && char === "(") depth += 1;
      if (!escaped && char === ")") depth -= 1;
      if (depth === 0) flat += " ";
    } else if (!escaped && char === '"') quoted = !quoted;
    else if (quoted) flat += encode(char);
    else if (char === "(") depth = 1;
    else if (char === ")") return undefined;
    else flat += char === "%" ? "%25" : char;
  }
  return quoted || depth > 0 ? undefined : flat;
}

function encode(char: string): string {
  if (/[A-Za-z0-9.\-_\u0080-\uffff]/.test(char)) return char;
  return `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

/** The addresses of a `From` and the like, in lower case and without names. Of a damaged value whatever looks like one. */
export function addressesOf(value: string): readonly string[] {
  const flat = flatten(value) ?? value;
  const inBrackets = [...flat.matchAll(/<([^<>]*)>/g)].map(([, address = ""]) => address.trim());
  const found = inBrackets.length > 0 ? inBrackets : flat.split(/[\s,;:<>"]+/);
  return found.filter((address) => address.includes("@")).map((address) => address.toLowerCase());
}

/** The one address of a `From` that names nobody else: no list, no group. */
export function onlyAddressOf(value: string): string | undefined {
  const flat = flatten(value);
  if (flat === undefined || /[,;:]/.test(flat)) return undefined;
  const match = /^[^<>]*<([^<>\s]+)>\s*$|^\s*([^<>\s]+)\s*$/.exec(flat);
  const address = match?.[1] ?? match?.[2];
  return address !== undefined && /^[^@]+@[^@]+$/.test(address) ? address.toLowerCase() : undefined;
}
