/** How those who speak in a group are called, so that nobody is taken for somebody else. Pure. */
import type { Sender } from "../contract/message.ts";
import type { Names } from "../contract/session.ts";
import type { Speaker } from "../contract/people.ts";
import { neutral } from "../lib/neutral.ts";

const MAX_CHARS = 40;

/** @param known names that were given before. They stay. */
export function nameOf(from: Sender, speaker: Speaker, known: Names): string {
  const isGuest = speaker.role === "guest";
  const given = known.findLast(([id]) => id === from.id)?.[1];
  const name = plain(speaker.name ?? from.name ?? from.id);
  const label = `${isGuest ? (from.bot === true ? "bot " : "guest ") : ""}${name}`;
  if (given !== undefined && (given === label || withoutNumber(given) === label)) return given;
  const taken = new Set(known.flatMap(([id, other]) => (id === from.id ? [] : [folded(other)])));
  for (let number = 1; ; number++) {
    const unique = number === 1 ? label : `${label} ${number}`;
    if (!taken.has(folded(unique))) return unique;
  }
}

/** The text as the model sees it. A line that claims to be somebody else's is inside of it. */
export function spoken(name: string, text: string): string {
  return `[${name}] ${text.replaceAll(/\n(?=\s*\[)/g, "\n  ")}`;
}

function withoutNumber(label: string): string {
  return label.replace(/ \d+$/, "");
}

function plain(name: string): string {
  const bare = neutral(name)
    .replaceAll(/[[\]\p{Cc}\p{Zl}\p{Zp}]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  // Who calls themselves a guest of another name is no other person.
  const own = bare.replace(/^(?:(?:guest|bot)\b\s*)+/i, "").trim();
  return [...(own === "" ? "?" : own)].slice(0, MAX_CHARS).join("").trim();
}

/** Letters that look alike count as the same. */
function folded(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(LOOK_ALIKE, (letter) => LATIN[letter] ?? letter)
    .toLowerCase();
}

/** Cyrillic and Greek letters that are drawn like Latin ones. @see Unicode UTS #39, confusables. */
const LATIN: Readonly<Record<string, string>> = {
  ...{ а: "a", е: "e", о: "o", р: "p", с: "c", у: "y", х: "x", і: "i", ј: "j", ѕ: "s", ԁ: "d", ո: "n", һ: "h" },
  ...{ А: "A", В: "B", Е: "E", К: "K", М: "M", Н: "H", О: "O", Р: "P", С: "C", Т: "T", У: "Y", Х: "X", І: "I" },
  ...{
    ο: "o",
    ν: "v",
    α: "a",
    Α: "A",
    Β: "B",
    Ε: "E",
    Ζ: "Z",
    Η: "H",
    Ι: "I",
    Κ: "K",
    Μ: "M",
    Ν: "N",
    Ο: "O",
    Ρ: "P",
    Τ: "T",
    Υ: "Y",
    Χ: "X",
  },
};
const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/gu;
