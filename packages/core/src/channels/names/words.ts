/** Names in place of ids. Pure. */
import type { InboundMessage, Quote } from "../../contract/bus.ts";
import type { ContentPart, Sender, UserMessage } from "../../contract/message.ts";
import { neutral } from "../../lib/neutral.ts";

type Names = ReadonlyMap<string, string>;

const MAX_CHARS = 80;

/** One line, in which nothing is hidden; "" of what says nothing. */
export function plainName(name: string): string {
  const line = neutral(name)
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return [...line].slice(0, MAX_CHARS).join("").trim();
}

/** As its channel told it, with the names that are known. @param left ids that are still to be looked up */
export function withNames<Said extends InboundMessage>(message: Said, names: Names, left: readonly string[]): Said {
  const { unnamed: _unnamed, from, parts, quotes, ...rest } = message;
  return {
    ...rest,
    from: called(from, names),
    parts: mentioned(parts, names),
    ...(quotes !== undefined && { quotes: quoted(quotes, names) }),
    ...(left.length > 0 && { unnamed: left }),
  } as Said; // nothing was taken out of it but what is optional
}

/** As it stands in its conversation. @param own how its sender is called there; undefined: nobody knows more than before */
export function renamed({ unnamed: _unnamed, ...message }: UserMessage, names: Names, own?: string): UserMessage {
  const before = `[${message.from.name ?? ""}] `;
  const [first, ...others] = message.parts;
  const isSpoken = own !== undefined && first?.type === "text" && first.text.startsWith(before);
  const parts = isSpoken
    ? [{ ...first, text: `[${own}] ${first.text.slice(before.length)}` }, ...others]
    : message.parts;
  return {
    ...message,
    ...(own !== undefined && { from: { ...message.from, name: own } }),
    parts: mentioned(parts, names),
  };
}

function called(who: Sender, names: Names): Sender {
  const name = who.name ?? names.get(who.id);
  return name === undefined ? who : { ...who, name };
}

function quoted({ text, from, ...quote }: Quote, names: Names): Quote {
  return { ...quote, from: called(from, names), ...(text !== undefined && { text: inText(text, names) }) };
}

function mentioned(parts: readonly ContentPart[], names: Names): readonly ContentPart[] {
  return parts.map((part) => (part.type === "text" ? { ...part, text: inText(part.text, names) } : part));
}

/** `@ID`; and where we have written whose message one answers, `[ID]` and `message of ID`. */
function inText(text: string, names: Names): string {
  if (names.size === 0) return text;
  const ids = [...names.keys()].map((id) => id.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const places = new RegExp(`(?<=@|\\n\\[|\\(in answer to a message of )(?:${ids.join("|")})(?![\\w-])`, "g");
  return text.replaceAll(places, (id) => names.get(id) ?? id);
}
