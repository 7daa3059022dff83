/** `[^name]` in the text and `[^name]: note` in a line of its own. One without the other stays text. */
import type MarkdownIt from "markdown-it";
import type { Env, StateBlock, StateCore, StateInline } from "markdown-it";

const DEFINITION = /^\[\^([^\s\]\\]{1,64})\]:[ \t]*/;
const REFERENCE = /^\[\^([^\s\]\\]{1,64})\]/;
/** What belongs to a note after an empty line is indented this far. */
const INDENT = 4;

interface Footnotes {
  readonly defined: Set<string>;
  /** In the order of their first mention. */
  readonly numbers: Map<string, number>;
  /** A note in a note would nest without an end. */
  inside: boolean;
}

export function footnotes(md: InstanceType<typeof MarkdownIt>): void {
  md.block.ruler.before("reference", "footnote", definition, { alt: ["paragraph", "reference"] });
  md.inline.ruler.before("link", "footnote", reference);
  md.core.ruler.push("footnote", numbered);
}

export function hasFootnotes(env: Env): boolean {
  return of(env).defined.size > 0;
}

/** They are counted anew: a text that was parsed bit by bit knew its notes only at the end. */
export function recountFootnotes(env: Env): void {
  of(env).numbers.clear();
}

function of(env: Env): Footnotes {
  const all = env as { footnotes?: Footnotes }; // the parser's own bag
  all.footnotes ??= { defined: new Set(), numbers: new Map(), inside: false };
  return all.footnotes;
}

function numberOf({ numbers }: Footnotes, name: string): number {
  const number = numbers.get(name) ?? numbers.size + 1;
  numbers.set(name, number);
  return number;
}

function definition(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const notes = of(state.env);
  if (state.level > 0 || notes.inside) return false;
  const line = (at: number): string =>
    state.src.slice((state.bMarks[at] ?? 0) + (state.tShift[at] ?? 0), state.eMarks[at] ?? 0);
  const head = (state.sCount[start] ?? 0) < INDENT ? DEFINITION.exec(line(start)) : null;
  const name = head?.[1];
  if (!head || name === undefined) return false;
  if (silent) return true;
  let last = start;
  for (let at = start + 1; at < end; at += 1) {
    if (state.isEmpty(at)) continue;
    const isApart = last < at - 1;
    if (isApart ? (state.sCount[at] ?? 0) < INDENT : DEFINITION.test(line(at))) break;
    last = at;
  }
  const text = [line(start).slice(head[0].length), state.getLines(start + 1, last + 1, INDENT, false)].join("\n");
  notes.defined.add(name);
  const open = state.push("footnote_open", "", 1);
  open.map = [start, last + 1];
  open.content = name;
  const from = state.tokens.length;
  notes.inside = true;
  state.md.block.parse(text, state.md, state.env, state.tokens);
  notes.inside = false;
  for (const token of state.tokens.slice(from)) {
    token.level += 1;
    token.map = null; // its lines are those of the note
  }
  state.push("footnote_close", "", -1);
  state.line = last + 1;
  return true;
}

function reference(state: StateInline, silent: boolean): boolean {
  const found = REFERENCE.exec(state.src.slice(state.pos, Math.min(state.posMax, state.pos + 70)));
  const name = found?.[1];
  const notes = of(state.env);
  if (!found || name === undefined || !notes.defined.has(name)) return false;
  if (!silent) {
    const token = state.push("footnote_ref", "", 0);
    token.content = found[0];
    token.meta = { number: numberOf(notes, name) };
  }
  state.pos += found[0].length;
  return true;
}

/** After the text: a note that is mentioned has the number of its mention. */
function numbered({ tokens, env }: StateCore): void {
  const notes = of(env);
  for (const token of tokens)
    if (token.type === "footnote_open") token.meta = { number: numberOf(notes, token.content) };
}
