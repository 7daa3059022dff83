/** A key out of the text of `config.json`, with the comment behind it; comments of other keys stay, which jsonc-parser's own removal takes along. */
import { applyEdits, createScanner, findNodeAtLocation, parseTree } from "jsonc-parser";

/** @param place Of a key that is there, and not the only one of its object. */
export function withoutKey(text: string, place: readonly string[]): string {
  const tree = parseTree(text);
  const property = tree && findNodeAtLocation(tree, [...place])?.parent;
  const siblings = property?.parent?.children ?? [];
  if (property === undefined) return text;
  const index = siblings.indexOf(property);
  const end = property.offset + property.length;
  if (siblings[index + 1] !== undefined) return withoutSpan(text, property.offset, nextToken(text, end) + 1);
  const before = siblings[index - 1];
  const left = withoutSpan(text, property.offset, end);
  return before === undefined ? left : withoutComma(left, nextToken(text, before.offset + before.length));
}

/** The comma: between two properties nothing else stands but comments. */
function nextToken(text: string, from: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  return scanner.getTokenOffset();
}

function withoutComma(text: string, at: number): string {
  return applyEdits(text, [{ offset: at, length: 1, content: "" }]);
}

/** Whole lines where nothing else stands on them but a comment behind it. */
function withoutSpan(text: string, from: number, to: number): string {
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  const rest = /^[ \t]*(?:\/\/[^\r\n]*)?(?:\r?\n)/.exec(text.slice(to))?.[0];
  const alone = text.slice(lineStart, from).trim() === "" && rest !== undefined;
  if (alone) return text.slice(0, lineStart) + text.slice(to + rest.length);
  return text.slice(0, from) + text.slice(to).replace(/^[ \t]+/, "");
}
