/** `stop` sequences: the text before the first match, with what may become one held back until it is decided. */

export interface StopText {
  /** @returns what can be shown now. */
  push(text: string): string;
  /** @returns what was held back and is no match. */
  end(): string;
  readonly matched: boolean;
}

export function createStopText(sequences: readonly string[]): StopText {
  let held = "";
  let matched = false;
  return {
    push: (text) => {
      if (matched) return "";
      held += text;
      const at = firstMatch(held, sequences);
      if (at !== undefined) {
        matched = true;
        const shown = held.slice(0, at);
        held = "";
        return shown;
      }
      const keep = openTail(held, sequences);
      const shown = held.slice(0, held.length - keep);
      held = held.slice(held.length - keep);
      return shown;
    },
    end: () => {
      const rest = held;
      held = "";
      return rest;
    },
    get matched() {
      return matched;
    },
  };
}

/** The match that is complete first: pieces of any size give the same. */
function firstMatch(text: string, sequences: readonly string[]): number | undefined {
  const found = sequences
    .map((one) => ({ at: text.indexOf(one), length: one.length }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at + a.length - (b.at + b.length) || a.at - b.at);
  return found[0]?.at;
}

/** Length of the longest end of `text` that begins a sequence. */
function openTail(text: string, sequences: readonly string[]): number {
  let longest = 0;
  for (const sequence of sequences)
    for (let length = Math.min(sequence.length - 1, text.length); length > longest; length--)
      if (text.endsWith(sequence.slice(0, length))) longest = length;
  return longest;
}
