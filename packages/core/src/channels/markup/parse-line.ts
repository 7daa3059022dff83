/** What stands inside of one paragraph, heading or cell. */
import type { Token } from "markdown-it";
import { endOf, inlineText, type Inline, type Link, type Marked, type Text } from "./tree.ts";

/**
 * One line, or the cells of a row: between two of them there is one character.
 * @param room how many characters the source has: more text than these cannot have offsets.
 * @returns nodes with their places. The address of a link has a place too, when there is room.
 */
export function parseLines(cells: readonly (readonly Token[])[], room: number): readonly (readonly Inline[])[] {
  const build = (counted: boolean): readonly (readonly Inline[])[] => {
    let at = 0;
    return cells.map((tokens) => {
      const nodes = nodesOf(tokens, { at, counted });
      at = endOf(nodes, at) + 1;
      return nodes;
    });
  };
  const nodes = build(true);
  // An address that stands elsewhere (`[text][name]`) may be longer than the line: then no cut goes through it.
  return nodes.every((cell) => endOf(cell, 0) <= room) ? nodes : build(false);
}

export function textNode(text: string, at: number): Text {
  return { type: "text", text, at, end: at + text.length };
}

interface Open {
  readonly type: Marked["type"] | "link";
  readonly url: string;
  readonly isAuto: boolean;
  readonly at: number;
  readonly nodes: Inline[];
}

function nodesOf(
  tokens: readonly Token[],
  { at: start, counted }: { readonly at: number; readonly counted: boolean },
): readonly Inline[] {
  const root: Inline[] = [];
  const stack: Open[] = [];
  let nodes = root;
  let at = start;
  const add = (node: Inline): void => {
    const last = nodes.at(-1);
    if (node.type === "text" && last?.type === "text")
      nodes.splice(-1, 1, { ...last, text: last.text + node.text, end: node.end });
    else nodes.push(node);
    at = node.end;
  };
  const open = (type: Open["type"], url = "", isAuto = false): void => {
    stack.push({ type, url, isAuto, at, nodes });
    nodes = [];
  };
  const close = (): void => {
    const opened = stack.pop();
    if (opened === undefined) return;
    const children = nodes;
    nodes = opened.nodes;
    if (opened.type === "link") add(linkNode(opened, { type: "link", children, counted }));
    // Within its own kind it changes nothing; printed twice it could be the mark of a block, as four tildes are.
    else if (stack.some(({ type }) => type === opened.type)) for (const child of children) add(child);
    else if (children.length > 0) add({ type: opened.type, at: opened.at, end: at, children });
  };
  for (const token of tokens) {
    const mark = markOf(token.type);
    if (mark !== undefined && token.nesting === 1) open(mark);
    else if (token.type === "link_open") open("link", String(token.attrGet("href") ?? ""), token.markup !== "");
    else if (token.nesting === -1) close();
    else if (token.type === "image") {
      const url = String(token.attrGet("src") ?? "");
      const alt = inlineText(nodesOf(token.children ?? [], { at, counted: false }));
      const children = alt === "" ? [] : [textNode(alt, at)];
      add(linkNode({ url, isAuto: false, at }, { type: "image", children, counted }));
    } else if (token.type === "code_inline")
      add({ type: "code", text: token.content, at, end: at + token.content.length });
    else if (token.type === "softbreak" || token.type === "hardbreak")
      add({ type: "break", hard: token.type === "hardbreak", at, end: at + 1 });
    else if (token.content !== "") add(textNode(token.content, at));
  }
  while (stack.length > 0) close();
  return root;
}

function markOf(type: string): Marked["type"] | undefined {
  if (type === "strong_open") return "strong";
  if (type === "em_open") return "emphasis";
  return type === "s_open" ? "strike" : undefined;
}

function linkNode(
  { url, isAuto, at }: Pick<Open, "url" | "isAuto" | "at">,
  { type, children, counted }: Pick<Link, "type" | "children"> & { readonly counted: boolean },
): Link {
  const text = inlineText(children).trim();
  if (text === "") {
    const only = textNode(url, at);
    return { type, url, at, end: only.end, children: [only], tail: "" };
  }
  const isSaid = isAuto || text === url || `mailto:${text}` === url;
  const tail = isSaid ? "" : ` (${url})`;
  return { type, url, at, end: endOf(children, at) + (counted ? tail.length : 0), children, tail };
}
