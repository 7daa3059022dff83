/** What somebody is shown who is asked: the exact words, to whom, why, what they were made of, and how to answer. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { TextPart } from "../contract/message.ts";
import type { Release } from "../contract/grant.ts";
import type { PeopleOptions } from "../contract/room.ts";
import { isGroup, isGuestAt, OWNER, readersTo } from "../lib/audience.ts";
import { speaker } from "../lib/texts.ts";
import { ellipsis, fenced, textOf } from "../lib/text.ts";
import { visible } from "../lib/visible.ts";
import { nameOfReader } from "./persons.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

const say = speaker(en, zh);
const TITLE_CHARS = 60;

export function releaseText(
  given: Release,
  language: AgentSettings["language"],
  people: Pick<PeopleOptions, "persons" | "titleOf">,
): string {
  const text = say(language);
  if (given.asks !== undefined) return callText(given, text, people);
  const { parts, reader, to, from, question, sources, lasting, next, code } = given;
  const name = (of: string, owner: "owner" | "owner.first" = "owner"): string =>
    visible(named(nameOfReader(of, people), text, owner));
  const values = {
    from: name(from, question === undefined ? "owner" : "owner.first"),
    reader: name(reader),
    chat: chatText(to, reader, text, people),
    code,
  };
  const isAsked = question !== undefined;
  if (given.blind === true) {
    const others = next.map((each) => name(each.of)).join(", ");
    return [text("release.blind", { ...values, others }), text("release.blindAnswer", values)].join("\n\n");
  }
  const quoted = parts.length === 0 ? [] : [fenced(visible(textOf(parts)))];
  const list = sources.map((source) => `- ${visible(source)}`);
  const others = next.map(({ of }) => name(of)).join(", ");
  return [
    text(isAsked ? "release.question" : from === reader ? "release.answered" : "release.asked", values),
    ...(isAsked
      ? [fenced(visible(question)), text(parts.length === 0 ? "release.nothing" : "release.draft", values)]
      : []),
    ...quoted,
    ...(list.length > 0 ? [[text(isAsked ? "release.found" : "release.sources"), ...list].join("\n")] : []),
    ...(others !== "" ? [text("release.then", { others })] : []),
    text(parts.length === 0 ? "release.words" : "release.answer", values),
    ...(lasting === undefined ? [] : [text("release.always", values)]),
  ].join("\n\n");
}

/** To an operator, who sees exactly what would be done. */
function callText(
  { parts, reader, to, code }: Release,
  text: ReturnType<typeof say>,
  people: Pick<PeopleOptions, "persons" | "titleOf">,
): string {
  const chat = chatText(to, reader, text, people);
  const kind = isGroup(reader) ? "call.group" : isGuestAt(reader) ? "call.guest" : "call.room";
  const place = text(kind, { chat, name: visible(named(nameOfReader(reader, people), text)) });
  return [text("call.asked", { place }), fenced(visible(textOf(parts))), text("call.answer", { code })].join("\n\n");
}

/** A group by what it is called too: what it is called says whoever may change that. */
function chatText(
  to: Release["to"],
  reader: Release["reader"],
  text: ReturnType<typeof say>,
  { titleOf }: Pick<PeopleOptions, "titleOf">,
): string {
  const chat = visible(`${to.channel}:${to.chat}`);
  const title = isGroup(reader) ? titleOf?.(to)?.trim() : undefined;
  if (title === undefined || title === "") return chat;
  return text("chat.titled", { title: ellipsis(visible(title).replaceAll("\n", " "), TITLE_CHARS), chat });
}

/** An owner whom nobody gave a name. */
function named(name: string, text: ReturnType<typeof say>, owner: "owner" | "owner.first" = "owner"): string {
  return name === OWNER ? text(owner) : name;
}

/** What is sent in their name. */
export function answerText(name: string, text: string, language: AgentSettings["language"]): string {
  const words = say(language);
  return words("ask.answer", { name: named(name, words, "owner.first"), text });
}

/** Theirs alone: nobody else has to be asked. */
export function ownWords(
  words: string | undefined,
  { of, from, reader, question }: Release,
  {
    people,
    language,
  }: { readonly people: Pick<PeopleOptions, "persons">; readonly language: () => AgentSettings["language"] },
): Pick<Release, "parts" | "marks"> | undefined {
  const said = words?.trim() ?? "";
  if (said === "") return undefined;
  const isMessage = question === undefined && from !== reader; // in the name of whoever would have sent it
  const text = isMessage ? said : answerText(nameOfReader(of, people), said, language());
  const parts: readonly TextPart[] = [{ type: "text", text }];
  return { parts, marks: { integrity: "untrusted", readers: [readersTo([of, reader], of)] } };
}
