/** Parsed SKILL.md heads by the hash of the text: a start need not load the YAML library for skills it knows. */
import { dirname } from "node:path";
import { makeDirectory, readIfExists, replaceFile } from "../machine/files/files.ts";
import { sha256 } from "../machine/system/hash.ts";
import { type Fields, isFields, type ParsedText, parseSkillText } from "./frontmatter.ts";

export interface ParseCache {
  parse(text: string): Promise<ParsedText>;
  /** Writes what is new; only texts that were parsed since the start are kept. */
  save(): void;
}

interface Entry {
  readonly fields: Fields;
  /** Characters before the body. */
  readonly head: number;
  readonly repaired: boolean;
}
/** Part of each key: raised when the same text is read otherwise. */
const READER = 1;

/** @param path undefined: nothing is kept beyond this process. */
export function openParseCache(path: string | undefined): ParseCache {
  let stored: Readonly<Record<string, unknown>> | undefined;
  const used = new Map<string, Entry>();
  let isNew = false;
  return {
    parse: async (text) => {
      const key = sha256(`${READER}\n${text}`);
      stored ??= path === undefined ? {} : load(path);
      const known = used.get(key) ?? asEntry(stored[key]);
      if (known !== undefined) {
        used.set(key, known);
        return { ok: true, fields: known.fields, body: text.slice(known.head), repaired: known.repaired };
      }
      const parsed = await parseSkillText(text);
      if (!parsed.ok) return parsed;
      used.set(key, { fields: parsed.fields, head: text.length - parsed.body.length, repaired: parsed.repaired });
      isNew = true;
      return parsed;
    },
    save: () => {
      if (path === undefined || !isNew) return;
      isNew = false;
      try {
        makeDirectory(dirname(path));
        replaceFile(path, JSON.stringify(Object.fromEntries(used)));
      } catch {
        // Only time is lost: the next start parses again.
      }
    },
  };
}

function load(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readIfExists(path)?.toString("utf8") ?? "{}");
    return isFields(value) ? value : {};
  } catch {
    return {}; // damaged: it is written anew
  }
}

function asEntry(value: unknown): Entry | undefined {
  if (!isFields(value)) return undefined;
  const { fields, head, repaired } = value;
  return isFields(fields) && typeof head === "number" && typeof repaired === "boolean"
    ? { fields, head, repaired }
    : undefined;
}
