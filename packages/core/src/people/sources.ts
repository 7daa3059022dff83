/** What of somebody's a conversation holds, as far as they may read it: shown to them when they are asked. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { PersonId } from "../contract/people.ts";
import type { SessionState } from "../contract/session.ts";
import { ellipsis, textOf } from "../lib/text.ts";
import { speaker } from "../lib/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

const MAX_SOURCES = 5;
const SOURCE_CHARS = 120;

/** As what was put into a chat by us is known from what was answered there. */
const POSTED = "margay";

const say = speaker(en, zh);

/** The words that were told there are theirs; of what was found again the tool alone is named: it may hold more than theirs. */
export function sourcesOf(
  { messages }: Pick<SessionState, "messages">,
  of: PersonId,
  language: AgentSettings["language"],
): readonly string[] {
  const text = say(language);
  const found = messages.flatMap((message) => {
    const { readers = [] } = message;
    if (readers.every(({ by }) => by !== of)) return [];
    if (message.role === "tool") return [text("release.by", { tool: message.name })];
    if (message.role !== "assistant") return [text("release.earlier")];
    if (message.model.provider !== POSTED) return []; // an answer: what it was made of stands before it
    // Of what belongs to several, none sees the others'.
    if (readers.some(({ by }) => by !== of)) return [text("release.earlier")];
    const said = textOf(message.parts.filter(({ type }) => type === "text")).replaceAll(/\s+/g, " ");
    return [text("release.told", { text: ellipsis(said, SOURCE_CHARS) })];
  });
  return [...new Set(found)].slice(-MAX_SOURCES);
}
