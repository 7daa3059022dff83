/** What a text is about, without understanding it: its title and its first sentences. */
export interface Excerpt {
  readonly title?: string;
  readonly sentences: readonly string[];
  readonly headings: readonly string[];
  readonly words: number;
  readonly lines: number;
}

const MAX_CHARS = 360;
const MAX_SENTENCES = 3;

export function excerpt(text: string): Excerpt {
  const lines = body(text).split(/\r?\n/);
  const heads = lines.flatMap((line) => /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1] ?? []);
  const setext = lines.findIndex((line, index) => index > 0 && /^=+\s*$/.test(line) && lines[index - 1]?.trim() !== "");
  const title = heads[0] ?? (setext > 0 ? lines[setext - 1]?.trim() : undefined);
  return {
    ...(title !== undefined && { title: plain(title) }),
    sentences: sentences(lines),
    headings: heads.slice(1, 7).map(plain),
    words: text.match(/[\p{Script=Han}]|[\p{L}\p{N}]+/gu)?.length ?? 0,
    lines: text === "" ? 0 : text.replace(/\n$/, "").split("\n").length,
  };
}

/** Front matter and comments are not what a file is about. */
function body(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---\n/, "").replace(/<!--[\s\S]*?-->/g, "");
}

/** Prose only: no headings, code, tables, badges or lists, unless there is nothing else. */
function sentences(lines: readonly string[]): readonly string[] {
  let fenced = false;
  const prose: string[] = [];
  const rest: string[] = [];
  for (const line of lines) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    else if (fenced || /^\s*(?:#|[=-]{3,}\s*$|\||\[!\[|!\[|<)/.test(line)) continue;
    else if (line.trim() === "") prose.push("\n");
    else if (/^\s*(?:[-*+]|\d+[.)])\s/.test(line)) rest.push(line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?/, ""));
    else prose.push(line.trim());
  }
  const paragraphs = prose
    .join(" ")
    .split(/\s*\n\s*/)
    .filter((paragraph) => paragraph.trim() !== "");
  const found = (paragraphs.length > 0 ? paragraphs : rest).flatMap(split);
  const kept: string[] = [];
  let length = 0;
  for (const sentence of found) {
    const letters = [...sentence];
    if (kept.length >= MAX_SENTENCES || (kept.length > 0 && length + letters.length > MAX_CHARS)) break;
    kept.push(letters.length > MAX_CHARS ? `${letters.slice(0, MAX_CHARS).join("")}…` : sentence);
    length += letters.length;
  }
  return kept;
}

function split(paragraph: string): readonly string[] {
  return plain(paragraph)
    .split(/(?<=[.!?]["')]?)\s+(?=[\p{Lu}\p{N}"'(])|(?<=[。！？])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** Markdown marks off, words kept. */
function plain(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|__|`/g, "")
    .trim();
}
