/** First letters of the pinyin of Chinese text, by the order in which the browser sorts it. A character that is read in several ways counts by its usual one. */
import { FIRST } from "./pinyin-order.zh.ts";

const LETTERS = "abcdefghjklmnopqrstwxyz";

/** @returns "sz" for the two characters of *shè zhì*; other characters stay, in lower case. */
export function initials(text: string): string {
  if (!/\p{Script=Han}/u.test(text)) return text.toLowerCase();
  const { compare } = new Intl.Collator("zh-Hans-CN-u-co-pinyin");
  const firsts = [...FIRST];
  return [...text]
    .map((character) => {
      if (!/\p{Script=Han}/u.test(character)) return character.toLowerCase();
      return LETTERS[firsts.findLastIndex((first) => compare(first, character) <= 0)] ?? character;
    })
    .join("");
}
