/** Markdown → tokens. HTML stays text; http, https, mailto and files of the workspace are links; math is a token of its own. */
import MarkdownIt, { type Env, type StateBlock, type StateInline, type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import { footnotes } from "./footnotes.ts";

const MAX_FORMULA_CHARS = 2_000;

export type { Env, Token };

export function createParser(): (source: string, env: Env) => Token[] {
  const md = new MarkdownIt({ html: false, linkify: true, typographer: false }).use(cjkFriendly).use(footnotes);
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  md.validateLink = (url) => /^(https?:|mailto:)/i.test(url.trim()) || fileOf(url) !== undefined;
  md.inline.ruler.before("escape", "math", inlineMath); // which would take the backslash of \( first
  md.block.ruler.after("blockquote", "math", blockMath, { alt: ["paragraph", "reference", "blockquote", "list"] });
  return (source, env) => md.parse(source, env);
}

/** @returns the path of a link to a file of the workspace: no scheme, no host, no way up, and a name with an end. */
export function fileOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url).replace(/^\.\//, "");
    return /^(?!\/)(?!.*(?:\.\.|\/\/))[^:?#\\\p{Cc}\p{Cf}]+\.\w{1,8}$/u.test(path) ? path : undefined;
  } catch {
    return undefined; // no text behind its percent signs
  }
}

/** `$…$` without spaces inside the marks and no digit after them (prices), `$$…$$`, `\(…\)` and `\[…\]`. */
function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const rest = src.slice(pos, Math.min(posMax, pos + MAX_FORMULA_CHARS));
  const found =
    /^\$\$([^$]+)\$\$/.exec(rest) ??
    /^\$(?![\s$])((?:\\.|[^$\\\n])*?[^\s\\$])\$(?!\d)/.exec(rest) ??
    /^\\\(([\s\S]+?)\\\)/.exec(rest) ??
    /^\\\[([\s\S]+?)\\\](?![([:])/.exec(rest); // a link with its brackets escaped stays text
  if (!found) return false;
  if (!silent) {
    const token = state.push("math_inline", "", 0);
    token.content = found[1] ?? "";
    token.markup = found[0];
  }
  state.pos += found[0].length;
  return true;
}

/** A paragraph of its own between `$$` or `\[ \]` lines. An open one is not math yet. */
function blockMath(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const line = (at: number): string =>
    state.src.slice((state.bMarks[at] ?? 0) + (state.tShift[at] ?? 0), state.eMarks[at] ?? 0).trimEnd();
  const first = line(start);
  const [open, close] = first.startsWith("$$") ? ["$$", "$$"] : ["\\[", "\\]"];
  if (!first.startsWith(open)) return false;
  let last = start;
  let body = first.slice(open.length);
  while (body.length < MAX_FORMULA_CHARS - 1 && !body.trimEnd().endsWith(close)) {
    last += 1;
    if (last >= end) return false;
    body += `\n${line(last)}`;
  }
  if (body.length >= MAX_FORMULA_CHARS - 1) return false; // its first mark has two
  if (silent) return true;
  const token = state.push("math_block", "", 0);
  token.content = body.trimEnd().slice(0, -close.length).trim();
  token.map = [start, last + 1];
  state.line = last + 1;
  return true;
}
