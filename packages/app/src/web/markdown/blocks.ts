/** Cuts a growing text into blocks: closed ones are parsed once, only the open tail is parsed again. */
import remend from "remend";
import { hasFootnotes, recountFootnotes } from "./footnotes.ts";
import type { Env, Token } from "./parser.ts";

export interface Block {
  readonly key: number;
  readonly source: string;
  readonly tokens: readonly Token[];
}

/** An open fence is not parsed while it grows: its text is appended. */
export interface OpenFence {
  readonly info: string;
  readonly text: string;
}

export interface Cutter {
  /** The whole text so far. Same beginning, same blocks: their objects stay. */
  cut(text: string, live: boolean): { readonly blocks: readonly Block[]; readonly fence: OpenFence | undefined };
  /** Characters given to the parser, for the budget. */
  readonly parsed: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)(?:\n|$)/;
/** What may be a reference, or a footnote. */
const MENTIONS = /\]\[|\[\^|\[[^\]]+\](?!\()/;
/** A long open list or table is parsed again when it grew by this share, not at every frame. */
const LAZY_FROM = 4_000;
const LAZY_SHARE = 0.04;

export function createCutter(parse: (source: string, env: Env) => Token[]): Cutter {
  const env: Env = {};
  let closed: Block[] = [];
  let done = "";
  let tail: Block | undefined;
  let whole: string | undefined;
  let parsed = 0;

  const tokensOf = (source: string): Token[] => {
    parsed += source.length;
    return parse(source, env);
  };
  const close = (source: string, tokens: readonly Token[]): void => {
    closed = [...closed, { key: closed.length, source, tokens }];
    done += source;
  };
  const restart = (): void => {
    closed = [];
    done = "";
    tail = undefined;
  };

  /** Top-level blocks but the last are closed; what follows the last boundary stays open. */
  const advance = (rest: string): string => {
    const tokens = tokensOf(rest);
    const starts = tokens.flatMap((token) =>
      token.level === 0 && token.nesting >= 0 && token.map ? [token.map[0]] : [],
    );
    if (starts.length < 2) return rest;
    const offsets = lineOffsets(rest);
    let from = 0;
    for (const start of starts.slice(1)) {
      const to = offsets[start] ?? rest.length;
      if (to <= from) continue;
      const source = rest.slice(from, to);
      close(source, tokensOf(source));
      from = to;
    }
    return rest.slice(from);
  };

  return {
    get parsed() {
      return parsed;
    },
    cut: (text, live) => {
      if (!text.startsWith(done)) restart();
      if (!live && whole === text) return { blocks: tail ? [...closed, tail] : closed, fence: undefined };
      whole = live ? undefined : text;
      let rest = text.slice(done.length);
      const opened = live ? openFence(rest) : undefined;
      if (opened) {
        tail = undefined;
        return { blocks: closed, fence: opened };
      }
      const before = tail?.source.length ?? 0;
      const grown = rest.length - before;
      if (live && tail && rest.startsWith(tail.source) && before > LAZY_FROM && grown < before * LAZY_SHARE)
        return { blocks: [...closed, tail], fence: undefined };
      rest = advance(rest);
      const again = live ? openFence(rest) : undefined;
      if (again) {
        tail = undefined;
        return { blocks: closed, fence: again };
      }
      const shown = live
        ? remend(rest, { links: true, images: true, linkMode: "text-only", inlineKatex: false })
        : rest;
      tail = rest.trim() === "" ? undefined : { key: closed.length, source: rest, tokens: tokensOf(shown) };
      if (!live && tail && hasDefinitions(env)) {
        recountFootnotes(env);
        const again = (block: Block): Block =>
          MENTIONS.test(block.source) ? { ...block, tokens: tokensOf(block.source) } : block;
        closed = closed.map(again);
        tail = again(tail);
      }
      return { blocks: tail ? [...closed, tail] : closed, fence: undefined };
    },
  };
}

/** Only a fence that is still open, at the very beginning of the tail. */
function openFence(rest: string): OpenFence | undefined {
  const head = FENCE.exec(rest);
  const mark = head?.[1];
  if (!head || mark === undefined || (mark.startsWith("`") && (head[2] ?? "").includes("`"))) return undefined;
  const text = rest.slice(head[0].length);
  const end = new RegExp(`(^|\\n) {0,3}${mark[0] === "~" ? "~" : "`"}{${String(mark.length)},}[ \\t]*(\\n|$)`);
  if (end.test(text)) return undefined;
  return { info: (head[2] ?? "").trim(), text };
}

/** Only then may a block that was closed before mention what was defined after it. */
function hasDefinitions(env: Env): boolean {
  return Object.keys((env as { references?: object }).references ?? {}).length > 0 || hasFootnotes(env);
}

function lineOffsets(text: string): number[] {
  const offsets = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) offsets.push(at + 1);
  return offsets;
}
