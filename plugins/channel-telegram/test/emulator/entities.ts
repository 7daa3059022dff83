// What Telegram finds in text by itself: commands, mentions, addresses, hashtags. Offsets are UTF-16 units.

import type { MessageEntity } from "grammy/types";

type Found = "mention" | "bot_command" | "url" | "email" | "hashtag";

const ZONES = "com|org|net|io|dev|me|de|ru|cn|uk|fr|it|es|nl|eu|info|app|ai|co|us|tv|xyz|md|sh|rs|py";

/** One after the other: what an earlier one took is not looked at again. */
const FINDERS: readonly (readonly [Found, RegExp])[] = [
  ["email", /(?<![\w.+-])[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?![\w])/giu],
  [
    "url",
    new RegExp(
      String.raw`(?<![\w@.])(?:https?:\/\/[^\s<>"]+|(?:[a-z0-9-]+\.)+(?:${ZONES})(?![\w-])(?:[/?#:][^\s<>"]*)?)`,
      "giu",
    ),
  ],
  ["bot_command", /(?<![\p{L}\p{N}_/<>])\/[a-z0-9_]{1,64}(?:@[a-z0-9_]{3,32})?(?![\p{L}\p{N}_/<>])/giu],
  ["mention", /(?<![\p{L}\p{N}_])@[a-z0-9_]{2,32}(?![\p{L}\p{N}_])/giu],
  ["hashtag", /(?<![\p{L}\p{N}_&/])#(?=[\p{N}_]*\p{L})[\p{L}\p{N}_]{1,256}(?![\p{L}\p{N}_#])/gu],
];

/** @param given entities that are there already: nothing is found in code, and nothing over a link. */
export function findEntities(text: string, given: readonly MessageEntity[] = []): MessageEntity[] {
  const taken: { offset: number; length: number }[] = given.filter(({ type }) =>
    ["code", "pre", "text_link", "text_mention", "mention", "url", "bot_command"].includes(type),
  );
  const found: MessageEntity[] = [];
  for (const [type, pattern] of FINDERS)
    for (const match of text.matchAll(pattern)) {
      const value = type === "url" ? match[0].replace(/[.,;:!?)\]}'"…]+$/u, "") : match[0];
      const span = { offset: match.index, length: value.length };
      if (taken.some((other) => overlaps(other, span))) continue;
      taken.push(span);
      found.push({ type, ...span });
    }
  return [...given, ...found].toSorted((a, b) => a.offset - b.offset || b.length - a.length);
}

function overlaps(a: { offset: number; length: number }, b: { offset: number; length: number }): boolean {
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

/** Space around a text goes, and the entities move with it. */
export function trimmed(text: string, entities: readonly MessageEntity[]): { text: string; entities: MessageEntity[] } {
  const start = text.length - text.trimStart().length;
  const shown = text.trim();
  const moved = entities.flatMap((entity) => {
    const offset = Math.max(0, entity.offset - start);
    const end = Math.min(shown.length, entity.offset + entity.length - start);
    return end > offset ? [{ ...entity, offset, length: end - offset }] : [];
  });
  return { text: shown, entities: moved };
}
