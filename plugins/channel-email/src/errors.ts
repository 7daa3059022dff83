/** What the libraries say of a failure. */

/** The server's own words where it said some. */
export function textOf(error: unknown): string {
  const said = fieldOf(error, "responseText");
  const text = typeof said === "string" && said !== "" ? said : error instanceof Error ? error.message : String(error);
  return text.replace(/[.\s]+$/, "");
}

/** That of the system or of TLS: nodemailer puts one of its own in its place. */
export function codeOf(error: unknown): string {
  return String(fieldOf(error, "originalCode") ?? fieldOf(error, "code"));
}

export function fieldOf(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? (error as Record<string, unknown>)[name] : undefined; // an error of a library
}
