/** The two halves of a SKILL.md: YAML that is read as data and nothing else, and Markdown. */
import { messageOf } from "../lib/errors/errors.ts";

export type Fields = Readonly<Record<string, unknown>>;
export type ParsedText =
  | {
      readonly ok: true;
      readonly fields: Fields;
      /** As it stands in the file, so that it equals what `read_file` shows. */
      readonly body: string;
      /** The YAML was broken and could be read by quoting its values. */
      readonly repaired: boolean;
    }
  | { readonly ok: false; readonly reason: string };

const MAX_YAML_CHARS = 65_536;
/** Opening line, YAML, closing line. `---js` and other engines are no opening line: nothing here runs code. */
const HALVES = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:(?<=\n)|\r?\n)---[ \t]*(?:\r?\n|$)/;

/** Forgiving: values that YAML refuses (`description: Use when: …`) are read again as quoted text. */
export async function parseSkillText(text: string): Promise<ParsedText> {
  const halves = HALVES.exec(text);
  if (halves === null) return { ok: false, reason: "it does not begin with YAML between two lines of ---" };
  const [whole, yaml = ""] = halves;
  if (yaml.length > MAX_YAML_CHARS)
    return { ok: false, reason: `its frontmatter is over ${MAX_YAML_CHARS} characters` };
  const body = text.slice(whole.length);
  const first = await parseYaml(yaml);
  if (first.ok) return { ...first, body, repaired: false };
  const quoted = quoteValues(yaml);
  const second = quoted === yaml ? first : await parseYaml(quoted);
  return second.ok ? { ...second, body, repaired: true } : { ok: false, reason: first.reason };
}

type ParsedYaml = { readonly ok: true; readonly fields: Fields } | { readonly ok: false; readonly reason: string };

async function parseYaml(text: string): Promise<ParsedYaml> {
  const { parseDocument } = await import("yaml"); // at first use: most starts find every frontmatter in the cache
  try {
    const document = parseDocument(text, { schema: "core", resolveKnownTags: false, prettyErrors: true });
    const [error] = document.errors;
    if (error !== undefined) return { ok: false, reason: `broken YAML: ${firstLine(error.message)}` };
    // Aliases that multiply are refused by the library's bound of 100.
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (value === null) return { ok: true, fields: {} };
    return isFields(value) ? { ok: true, fields: value } : { ok: false, reason: "its frontmatter is no map of fields" };
  } catch (error) {
    return { ok: false, reason: `broken YAML: ${firstLine(messageOf(error))}` };
  }
}

/** Top-level `key: text` lines with the text in quotes. */
function quoteValues(yaml: string): string {
  return yaml.replaceAll(
    /^([A-Za-z][\w-]*):[ \t]+(?!["'|>&*!#[{])(\S.*?)[ \t]*\r?$/gm,
    (_line, key: string, value: string) => `${key}: ${JSON.stringify(value)}`,
  );
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstLine(text: string): string {
  return (text.split("\n")[0] ?? "").replace(/:$/, "");
}
