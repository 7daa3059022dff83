/** Names and texts that a stranger chose, in an answer that is Markdown: they make no line, no link and no picture of their own. */
import { visible } from "../lib/visible.ts";

export function code(path: string): string {
  const text = oneLine(path);
  const longest = longestRun(text);
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

export function unmarked(cause: string): string {
  return oneLine(cause).replaceAll(/[[\]<>`*\\]/g, "\\$&");
}

/** Of several lines. */
export function codeBlock(text: string): string {
  const shown = text.replace(/\n$/, "").split("\t").map(visible).join("\t");
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}\n${shown}\n${fence}`;
}

function oneLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n");
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** A head, and a line for each of what it is about. */
export function listed(head: string, items: readonly string[]): readonly string[] {
  return [head, ...items.map((item) => `- ${item}`)];
}
