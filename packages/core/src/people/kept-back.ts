/** What would be said in a chat and is made of what is not for who reads there: a sentence in its place, and a question to whom it belongs. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { OutboundMessage } from "../contract/bus.ts";
import type { Label, TextPart } from "../contract/message.ts";
import type { Audience, PersonId, Readers, Said } from "../contract/people.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { SessionState } from "../contract/session.ts";
import { isGroup, isGuestAt, readersTo } from "../lib/audience.ts";
import { firstOf } from "../lib/by-kind.ts";
import { isUntrusted, labelOf, marksOf } from "../lib/labels.ts";
import { speaker } from "../lib/texts.ts";
import { askedInOrder, needs, personOf, placed, readerAt, withheld } from "./readers.ts";
import type { Reading } from "./reading.ts";
import type { Releases, Wanted } from "./releases.ts";
import { sourcesOf } from "./sources.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

export interface KeptBackOptions {
  readonly people: Pick<
    PeopleOptions,
    "roleOf" | "isIn" | "usualAt" | "audienceAt" | "contact" | "persons" | "isAlone" | "shared"
  >;
  readonly reading: Pick<Reading, "instead">;
  readonly releases: Pick<Releases, "ask">;
  readonly language: () => AgentSettings["language"];
}

type ReplySent = Pick<OutboundMessage, "reply" | "to" | "parts">;

export interface KeptBack {
  /** Of the end of a turn; without a reply nobody is asked. Undefined: it is said as it is. */
  readonly answer: (state: SessionState, end: readonly JournalRecord[]) => Promise<Said> | undefined;
  /** Of what a job, a webhook or somebody else's code has put into a chat: it, or what is put there in its place. */
  readonly sent: (key: string, message: OutboundMessage) => Promise<OutboundMessage>;
}

const say = speaker(en, zh);

export function createKeptBack(options: KeptBackOptions): KeptBack {
  const { people, reading, language } = options;
  const text = (isAsked: boolean): string => say(language())(isAsked ? "withheld.asked" : "withheld");
  return {
    answer: (given, end) => {
      const said = firstOf(end, "turn.ended")?.text.trim() ?? "";
      if (said === "" || reading.instead(given) === undefined) return undefined;
      const reply = firstOf(end, "reply.queued");
      const audience = given.audience ?? people.usualAt(given.origin);
      const state: SessionState = audience === undefined ? given : { ...given, audience };
      const { label, turn, unasked } = state;
      // Where a stranger's text is in view nobody knows whose wish it is that somebody else reads the answer.
      const isAgreed = !isUntrusted(label) && (turn?.attended === true || unasked !== true);
      const from = { key: state.key, reader: readerAt(audience, state.origin), isAgreed, label };
      const sources = (of: PersonId): readonly string[] => sourcesOf(state, of, language()).sources;
      // What a subagent found is a result of the conversation that it works for.
      const isAnswer = reply !== undefined && state.parent === undefined;
      const asked = isAnswer ? ask(reply, { ...from, all: needs(state), sources }, options) : Promise.resolve(false);
      return asked.then((isAsked) => ({ text: text(isAsked), notice: isAsked ? ASKED : NOT_SHOWN }));
    },
    sent: async (key, message) => {
      const { marks: { readers = [] } = {}, to } = message;
      if (readers.length === 0) return message;
      const reader = readerAt(await people.audienceAt(to), to);
      const all = [readersTo([reader], personOf(reader)), ...readers];
      if (withheld(all, reader, people).length === 0) return message;
      const { marks, ...plain } = message;
      const made = { key, reader, all, isAgreed: false, label: labelOf(marks ?? {}), sources: () => [] };
      const isAsked = await ask(message, made, options);
      return { ...plain, parts: [{ type: "text", text: text(isAsked) }] };
    },
  };
}

/** The words are for the model. */
const NOT_SHOWN =
  "Your answer was not shown: who reads this chat may not read all it was made from. Its owner must say it.";
const ASKED =
  "Your answer was not shown: who reads this chat may not read all it was made from. Its owner was asked; if they let it go, it will be shown here.";

interface Made {
  readonly key: string;
  readonly reader: Audience;
  readonly all: readonly Readers[];
  /** Who reads there asked for it, and nobody else had a hand in it. */
  readonly isAgreed: boolean;
  readonly label: Label;
  readonly sources: (of: PersonId) => readonly string[];
}

/** @returns whether its owner was asked, now or before. */
async function ask(
  { reply, to, parts }: ReplySent,
  { key, reader, all, isAgreed, label, sources }: Made,
  { people, releases }: KeptBackOptions,
): Promise<boolean> {
  const texts = parts.filter((part): part is TextPart => part.type === "text");
  const of = texts.length < parts.length ? [] : wordsNeeded(all, reader, isAgreed, people);
  const chats = await Promise.all(of.map(({ of: person }) => people.contact(person)));
  if (of.length === 0 || chats.includes(undefined)) return false; // a file cannot be shown whole, or it is of nobody who can be asked
  const wanted: Wanted = {
    ...{ id: `${reply}:let-go`, session: key, to, reader, parts: texts, from: reader },
    of: of.map((one) => ({ ...one, sources: one.blind === true ? [] : sources(one.of) })),
    marks: marksOf({ ...label, readers: placed(all, reader, people) }),
  };
  return (await releases.ask(wanted)) !== undefined;
}

/**
 * Who is asked reads it, and it may hold what is the reader's own: then the reader is asked first, whether they may, without the words,
 * which are not for them yet.
 */
function wordsNeeded(
  all: readonly Readers[],
  reader: Audience,
  isAgreed: boolean,
  people: KeptBackOptions["people"],
): readonly Pick<Wanted["of"][number], "of" | "blind">[] {
  const isPersons = !isGroup(reader) && !isGuestAt(reader);
  const of = askedInOrder(all, reader, isPersons ? [reader] : [], people) ?? [];
  const isRead = of.some((person) => withheld(all, person, people).some(({ by }) => by === reader));
  const words = of.map((person) => ({ of: person }));
  return isPersons && isRead && !isAgreed ? [{ of: reader, blind: true }, ...words] : words;
}
