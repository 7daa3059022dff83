/** Where a text may be cut: after sentences, blanks, words, characters as people see them. */

/** The segmenters of one run: to make one takes longer than to use it. */
export interface Boundaries {
  /** The last end of a sentence that is not after `at`; 0 when there is none. */
  sentence(text: string, at: number): number;
  word(text: string, at: number): number;
  grapheme(text: string, at: number): number;
}

export function createBoundaries(): Boundaries {
  const by = (granularity: "sentence" | "word" | "grapheme"): ((text: string, at: number) => number) => {
    const segmenter = new Intl.Segmenter("en", { granularity });
    return (text, at) => (at >= text.length ? text.length : (segmenter.segment(text).containing(at)?.index ?? 0));
  };
  return { sentence: by("sentence"), word: by("word"), grapheme: by("grapheme") };
}

/** The last place not after `at`, and after `least`, that has a blank at one of its sides; 0 when there is none. */
export function blankBefore(text: string, at: number, least: number): number {
  for (let place = at; place > least; place--) if (isBlankAt(text, place) || isBlankAt(text, place - 1)) return place;
  return 0;
}

function isBlankAt(text: string, at: number): boolean {
  const char = text.charCodeAt(at);
  return char === 32 || char === 10 || char === 9;
}

/** Never between the halves of a character: the last resort for what is one character to people, and longer than a message. */
export function codePointBefore(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  const isInside = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return isInside ? at - 1 : at;
}
