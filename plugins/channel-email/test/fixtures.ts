import { readFileSync } from "node:fs";
import { join } from "node:path";
import PostalMime, { type Email } from "postal-mime";

/** A mail of `fixtures/`, parsed as the channel parses it. */
export function fixture(name: string): Promise<Email> {
  return PostalMime.parse(readFileSync(join(import.meta.dirname, "fixtures", `${name}.eml`)));
}
