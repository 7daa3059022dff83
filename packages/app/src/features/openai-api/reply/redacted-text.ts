/** Text that grows, without secrets: a word is held back until it is whole, for half a secret cannot be recognized. */

export interface RedactedText {
  /** @returns what can be shown now. */
  push(text: string): string;
  /** @returns what was held back. */
  end(): string;
}

/** Longer runs are no words, and no secrets. */
const MAX_WORD_CHARS = 512;

export function createRedactedText(redact: (text: string) => string): RedactedText {
  let held = "";
  return {
    push: (text) => {
      held += text;
      const at = Math.max(wordStart(held), held.length - MAX_WORD_CHARS);
      const whole = held.slice(0, at);
      held = held.slice(at);
      return whole === "" ? "" : redact(whole);
    },
    end: () => {
      const rest = held;
      held = "";
      return rest === "" ? "" : redact(rest);
    },
  };
}

/** Where the last run of printable ASCII begins: secrets are made of nothing else, and Chinese text waits for nothing. */
function wordStart(text: string): number {
  let at = text.length;
  while (at > 0 && text.charCodeAt(at - 1) > 0x20 && text.charCodeAt(at - 1) < 0x7f) at -= 1;
  return at;
}
