/**
 * The tree in pieces that fit: at blocks, then at items, rows and lines of code, then at sentences, words, characters.
 * Offsets name the same place for every dialect and every limit: what has left stays known when these change.
 */
import { blankBefore, codePointBefore, createBoundaries, type Boundaries } from "./boundaries.ts";
import { endBefore, lastUpTo, leafAfter, leafAround, leavesOf, type Leaf, type Leaves } from "./leaves.ts";
import { parseMarkup } from "./parse.ts";
import { sliceBlocks } from "./slice.ts";
import { isBlank, type Block, type Range } from "./tree.ts";

export interface CutOptions {
  /** What is counted when these are printed. */
  readonly size: (blocks: readonly Block[]) => number;
  readonly max: number;
  /** The room for the first piece, when something is put before it. */
  readonly first?: number;
  /** Where the rest begins: 0, or a `to` of any earlier cut of this source. */
  readonly from?: number;
  /** Links have an address that is not seen: no cut goes through it. */
  readonly hidesAddresses: boolean;
}

/** What one message says; its range touches those of the pieces beside it. */
export interface MarkupPiece extends Range {
  readonly blocks: readonly Block[];
}

interface Cutter extends CutOptions {
  readonly source: string;
  readonly tree: readonly Block[];
  readonly leaves: Leaves;
  readonly boundaries: Boundaries;
}

interface Cut {
  readonly to: number;
  readonly blocks: readonly Block[];
}

/**
 * The rest of a source in pieces. What is blank is in the range of a piece beside it; at least one piece when it begins at 0.
 * A piece is too long only when one character of it is.
 */
export function* cutMarkup(source: string, options: CutOptions): Generator<MarkupPiece> {
  const { from = 0, max, first = max } = options;
  const tree = parseMarkup(source);
  const cutter: Cutter = { ...options, source, tree, leaves: leavesOf(tree), boundaries: createBoundaries() };
  let held: MarkupPiece | undefined; // until it is known that words follow
  let guess = max;
  for (let at = from; at < source.length;) {
    const limit = Math.max(1, held === undefined ? first : max);
    const { to, blocks } = cutAt(cutter, { at, limit, guess });
    guess = to - at;
    if (!isBlank(blocks)) {
      if (held !== undefined) yield held;
      held = { from: held?.to ?? from, to, blocks };
    }
    at = to;
  }
  if (held !== undefined) yield { ...held, to: source.length };
  else if (from === 0) yield { from, to: source.length, blocks: [] };
}

function cutAt(cutter: Cutter, { at, limit, guess }: Pick<Search, "at" | "limit" | "guess">): Cut {
  const { source, tree, size } = cutter;
  const blocks = (to: number): readonly Block[] => sliceBlocks(tree, at, to);
  const measure = (to: number): number => size(blocks(to));
  let most = widest({ measure, at, end: source.length, limit, guess });
  if (most >= source.length) return { to: source.length, blocks: blocks(source.length) };
  for (let tries = 0; tries < 32 && most > at; tries++) {
    const to = choose(cutter, at, most);
    if (to <= at) break;
    const part = blocks(to);
    if (size(part) <= limit) return { to, blocks: part };
    most = to - 1; // the end of a mark may make the whole shorter
  }
  return bare(cutter, at, limit);
}

interface Search {
  readonly measure: (to: number) => number;
  readonly at: number;
  readonly end: number;
  readonly limit: number;
  /** How far the piece before went. */
  readonly guess: number;
}

/**
 * The farthest end that fits, or nearly; `at` when none does. What is printed grows with its end, but for a few marks.
 * To measure is to print: it goes by what one character took so far, and by halves when that does not lead there.
 */
function widest({ measure, at, end, limit, guess }: Search): number {
  let low = at;
  let lowSize = 0;
  let high = end + 1;
  let highSize = Infinity;
  const isNear = (): boolean => limit - lowSize <= limit / 64 && end - low > limit; // a short rest is asked for
  for (let step = guess; low < end && !isNear();) {
    const to = Math.min(end, low + step);
    const size = measure(to);
    if (size > limit) {
      high = to;
      highSize = size;
      break;
    }
    low = to;
    lowSize = size;
    const perOne = lowSize / (low - at);
    step = perOne === 0 ? step * 2 : Math.max(16, Math.ceil(((limit - lowSize) / perOne) * 1.05));
  }
  for (let tries = 0; high - low > 1 && high <= end && limit - lowSize > limit / 64; tries++) {
    const share = tries % 3 === 2 ? 0.5 : (limit - lowSize) / (highSize - lowSize);
    const middle = Math.min(high - 1, Math.max(low + 1, low + Math.floor((high - low) * share)));
    const size = measure(middle);
    if (size > limit) {
      high = middle;
      highSize = size;
    } else {
      low = middle;
      lowSize = size;
    }
  }
  return low;
}

/** The best end not after `most`; `at` when there is none. */
function choose(cutter: Cutter, at: number, most: number): number {
  const { leaves } = cutter;
  const outer = lastUpTo(leaves.outer, most);
  if (outer - at >= (most - at) / 3 && outer > at) return outer;
  const inner = lastUpTo(leaves.inner, most);
  if (inner - at >= (most - at) / 2 && inner > at) return inner;
  const leaf = leafAround(leaves, most);
  const inside = leaf === undefined ? undefined : cutInside(cutter, { leaf, at, most });
  return inside ?? Math.max(at, inner, endBefore(leaves, most));
}

interface Inside {
  readonly leaf: Leaf;
  readonly at: number;
  readonly most: number;
}

function cutInside({ boundaries, hidesAddresses }: Cutter, { leaf, at, most }: Inside): number | undefined {
  const start = Math.max(0, at - leaf.from);
  const place = most - leaf.from - start;
  const text = leaf.text.slice(start, start + place + 16); // what follows says whether a character is over
  const half = (at + most) / 2 - leaf.from - start;
  const least = Math.max(0, leaf.begin - start);
  const take = (end: number): number => {
    const tail = hidesAddresses
      ? leaf.tails.find(({ from, to }) => from <= start + end && start + end < to)
      : undefined;
    return leaf.from + (tail?.to ?? start + end);
  };
  const isGood = (end: number): boolean => end > least && end >= half;
  const sentence = leaf.isCode ? 0 : boundaries.sentence(text, place);
  if (isGood(sentence)) return take(sentence);
  const blank = blankBefore(text, place, Math.max(least, half));
  if (isGood(blank)) return take(boundaries.grapheme(text, blank));
  const word = leaf.isCode ? 0 : boundaries.word(text, place);
  if (isGood(word)) return take(boundaries.grapheme(text, word));
  const grapheme = boundaries.grapheme(text, place);
  return grapheme > least ? take(grapheme) : undefined;
}

/** Words without the containers that leave no room for them: one leaf at a time. */
function bare({ leaves, size, source, boundaries }: Cutter, at: number, limit: number): Cut {
  const leaf = leafAfter(leaves, at);
  if (leaf === undefined) return { to: source.length, blocks: [] };
  const start = Math.max(leaf.begin, at - leaf.from);
  const text = leaf.text.slice(start);
  const blocks = (end: number): readonly Block[] => {
    const words = text.slice(0, end).trim();
    const line = { type: "text" as const, text: words, at: 0, end: words.length };
    return words === "" ? [] : [{ type: "paragraph", from: leaf.from, to: leaf.to, children: [line] }];
  };
  const measure = (end: number): number => size(blocks(end));
  const most = Math.max(1, widest({ measure, at: 0, end: text.length, limit, guess: limit }));
  const blank = blankBefore(text, most, most / 2);
  const near = text.slice(0, most + 16);
  const ends = [most >= text.length ? most : blank, boundaries.grapheme(near, most), codePointBefore(near, most)];
  const end = ends.find((one) => one > 0 && (one === most || measure(one) <= limit)) ?? firstCharacter(text);
  const to = leaf.from + start + end;
  // More text than source has no offsets for the rest: then all of it.
  return end >= text.length || to >= leaf.to
    ? { to: leaf.to, blocks: blocks(text.length) }
    : { to, blocks: blocks(end) };
}

function firstCharacter(text: string): number {
  return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
}
