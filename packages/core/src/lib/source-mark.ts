/** How a line of memory says that it came from somebody who may not steer the agent (ME17). Pure. */

const SOURCED = /\(source: /i;
const MARK = "(source: untrusted content)";

export function isSourced(line: string): boolean {
  return SOURCED.test(line);
}

/** Each line that says something and is not among the known ones gets a mark, unless it has one. */
export function withSource(text: string, known = ""): string {
  const kept = new Set(known.split("\n"));
  return text
    .split("\n")
    .map((line) => (line.trim() === "" || kept.has(line) || isSourced(line) ? line : `${line} ${MARK}`))
    .join("\n");
}

/** The lines that people vouch for, and how many others there are. */
export function withoutSourced(text: string): { readonly text: string; readonly left: number } {
  const lines = text.split("\n");
  const kept = lines.filter((line) => !isSourced(line));
  return { text: kept.join("\n").trim(), left: lines.length - kept.length };
}
