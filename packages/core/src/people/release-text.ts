/** What somebody is shown who is asked: the exact words, to whom, why, what they were made of, and how to answer. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Release } from "../contract/grant.ts";
import type { PeopleOptions } from "../contract/room.ts";
import { speaker } from "../lib/texts.ts";
import { fenced, textOf } from "../lib/text.ts";
import { visible } from "../lib/visible.ts";
import { nameOfReader } from "./persons.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

const say = speaker(en, zh);

export function releaseText(
  { parts, reader, to, from, question, sources, lasting, next, code }: Release,
  language: AgentSettings["language"],
  people: Pick<PeopleOptions, "persons">,
): string {
  const text = say(language);
  const name = (of: string): string => visible(nameOfReader(of, people));
  const values = { from: name(from), reader: name(reader), chat: visible(`${to.channel}:${to.chat}`), code };
  const isAsked = question !== undefined;
  const quoted = parts.length === 0 ? [] : [fenced(visible(textOf(parts)))];
  const list = sources.map((source) => `- ${visible(source)}`);
  const others = next.map(({ of }) => name(of)).join(", ");
  return [
    text(isAsked ? "release.question" : "release.asked", values),
    ...(isAsked
      ? [fenced(visible(question)), text(parts.length === 0 ? "release.nothing" : "release.draft", values)]
      : []),
    ...quoted,
    ...(list.length > 0 ? [[text(isAsked ? "release.found" : "release.sources"), ...list].join("\n")] : []),
    ...(others !== "" ? [text("release.then", { others })] : []),
    text(parts.length === 0 ? "release.words" : isAsked ? "release.answerOrWords" : "release.answer", values),
    ...(lasting === undefined ? [] : [text("release.always", values)]),
  ].join("\n\n");
}

/** What is sent in their name. */
export function answerText(name: string, text: string, language: AgentSettings["language"]): string {
  return say(language)("ask.answer", { name, text });
}
