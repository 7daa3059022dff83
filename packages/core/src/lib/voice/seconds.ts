/** How long it takes to read a text aloud, about. Pure. */

/** How fast programs read: letters of an alphabet, and characters that are a syllable each. */
const LETTERS_PER_SECOND = 15;
const SYLLABLES_PER_SECOND = 4.5;
const SYLLABLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export function secondsOf(text: string): number {
  let seconds = 0;
  for (const character of text) seconds += secondsOfOne(character);
  return seconds;
}

export function secondsOfOne(character: string): number {
  return 1 / (isSyllable(character) ? SYLLABLES_PER_SECOND : LETTERS_PER_SECOND);
}

/** Of a script that writes syllables, or words. */
export function isSyllable(character: string): boolean {
  return SYLLABLE.test(character);
}
