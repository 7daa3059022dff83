/** What of somebody's a conversation holds, as far as they may read it: shown to them when they are asked. Pure. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { PersonId } from "../contract/people.ts";
import type { SessionState } from "../contract/session.ts";
import { personOf, readerOf } from "./readers.ts";
import { ellipsis, textOf } from "../lib/text.ts";
import { speaker } from "../lib/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

const MAX_SOURCES = 5;
const SOURCE_CHARS = 120;

/** As what was put into a chat by us is known from what was answered there. */
const POSTED = "margay";

const say = speaker(en, zh);

export interface Sources {
  readonly sources: readonly string[];
  /** Each of them as a text, where they are all that there is of theirs, and only theirs: what a yes for always would be bound to. */
  readonly told?: readonly string[];
}

interface Source {
  readonly shown: string;
  readonly told?: string;
}

/** The words that were told there are theirs; of what was found again the tool alone is named: it may hold more than theirs. */
export function sourcesOf(
  state: Pick<SessionState, "messages" | "audience" | "origin">,
  of: PersonId,
  language: AgentSettings["language"],
): Sources {
  const text = say(language);
  const found = state.messages.flatMap((message): readonly Source[] => {
    const { readers = [] } = message;
    if (readers.every(({ by }) => by !== of)) return [];
    if (message.role === "tool") return [{ shown: text("release.by", { tool: message.name }) }];
    if (message.role !== "assistant") return [{ shown: text("release.earlier") }];
    if (message.model.provider !== POSTED) return []; // an answer: what it was made of stands before it
    // Of what belongs to several, none sees the others'.
    if (readers.some(({ by }) => by !== of)) return [{ shown: text("release.earlier") }];
    const told = textOf(message.parts.filter(({ type }) => type === "text"));
    return [{ shown: text("release.told", { text: ellipsis(told.replaceAll(/\s+/g, " "), SOURCE_CHARS) }), told }];
  });
  const each = [...new Map(found.map((source) => [source.told ?? source.shown, source])).values()];
  const told = each.flatMap((source) => source.told ?? []);
  // In a conversation of their own anything may be theirs, and bears no name.
  const isNamed = personOf(readerOf(state)) !== of && told.length > 0 && told.length === each.length;
  return {
    sources: [...new Set(each.map(({ shown }) => shown))].slice(-MAX_SOURCES),
    ...(isNamed && told.length <= MAX_SOURCES && { told }),
  };
}
