/** `${VAR}`, `${env:VAR}`, `${file:PATH}`, `${vault:NAME}` and `${keyring:NAME}` inside configured strings; `$${` is a literal `${`. */
import type { Json } from "@margay/core";

export interface References {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Content of a file named by `${file:…}`, relative to the state directory; undefined when it is missing. */
  readonly readFile: (path: string) => string | undefined;
  /** Opened when the first reference asks. */
  readonly vault?: (name: string) => string | undefined;
  readonly keyring?: (name: string) => string | undefined;
}
export interface Missing {
  readonly path: string;
  readonly kind: "variable" | "file" | "vault" | "keyring";
  readonly name: string;
}

const REFERENCE = /\$\$\{|\$\{(?:(env|file|vault|keyring):)?([^}]*)\}/g;

/** Replaces the references in every string of `value`; what is missing is collected, never guessed. */
export function expand(value: Json, path: string, references: References, missing: Missing[]): Json {
  if (typeof value === "string") return expandText(value, path, references, missing);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item, index) => expand(item, `${path}[${index}]`, references, missing));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      expand(item, path === "" ? name : `${path}.${name}`, references, missing),
    ]),
  );
}

/** Whether the text takes anything from outside the file. */
export function hasReference(value: Json): boolean {
  return typeof value === "string" && [...value.matchAll(REFERENCE)].some((found) => found[0] !== "$${");
}

function expandText(text: string, path: string, references: References, missing: Missing[]): string {
  return text.replaceAll(REFERENCE, (whole: string, scheme: string | undefined, name: string | undefined) => {
    if (whole === "$${" || name === undefined) return "${";
    const kind =
      scheme === undefined || scheme === "env" ? "variable" : (scheme as Exclude<Missing["kind"], "variable">); // the pattern's
    const value = valueOf(kind, name, references);
    if (value === undefined) missing.push({ path, kind, name });
    return value ?? "";
  });
}

function valueOf(kind: Missing["kind"], name: string, references: References): string | undefined {
  switch (kind) {
    case "variable":
      return references.env[name];
    case "file":
      return references.readFile(name);
    case "vault":
      return references.vault?.(name);
    case "keyring":
      return references.keyring?.(name);
  }
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
