/** Who reads a conversation: the owner alone, a person, or a guest too. What was said for one is not in the context of the other. */
import type { InboundMessage } from "../contract/bus.ts";
import type { Sender } from "../contract/message.ts";
import type { Audience, Speaker } from "../contract/people.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Session, SessionState } from "../contract/session.ts";
import { createSerial } from "../lib/async/serial.ts";
import { groupOf, isGroup, isPerson } from "../lib/audience.ts";
import { isUnused } from "../session/is-unused.ts";

export interface AudienceOptions {
  readonly speaker: PeopleOptions["speaker"];
  /** What the chat is told when others read there from now on. */
  readonly told: () => string;
  /** What a guest is told once, before the first answer. */
  readonly welcome: () => string;
  /** What somebody is told who writes from elsewhere into what one person reads. */
  readonly foreign: () => string;
  /** As `/new` does. @param also what is committed with it. */
  readonly clear: (session: Session, by: Sender, also: () => readonly JournalRecord[]) => Promise<void>;
}

/**
 * Called before a message is taken: who sends it reads the answer.
 * @returns what they are told when it is not taken: into the conversation of a person nobody else writes.
 */
export function createAudience({
  speaker,
  told,
  welcome,
  foreign,
  clear,
}: AudienceOptions): (session: Session, message: InboundMessage) => Promise<string | undefined> {
  const alone = createSerial();
  const change = ({ state }: Session, message: InboundMessage): Audience | undefined => {
    if (message.from.kind === "person") return nextAudience(state, message, speaker(message.from, message.origin));
    return message.audience === (state.audience ?? "owner") ? undefined : message.audience;
  };
  return async (session, message) => {
    if (message.from.kind === "person" && isForeign(session.state, message, speaker(message.from, message.origin)))
      return foreign();
    if (message.agent !== undefined && (message.agent ?? undefined) !== session.state.agent)
      await session.commit({ type: "session.configured", agent: message.agent, reset: false });
    if (change(session, message) === undefined) return undefined;
    await alone(session.state.key, async () => {
      const audience = change(session, message); // anew: the message before may have done it
      if (audience === undefined) return;
      const set: JournalRecord = { type: "audience.set", audience };
      const say = (text: string): JournalRecord => ({
        type: "reply.queued",
        reply: `audience:${session.state.id}:${session.state.seq}:${message.key}`,
        to: message.replyTo ?? message.origin,
        kind: "message",
        parts: [{ type: "text", text }],
      });
      // A program, or a chat of which nobody says whose it is, is told nothing: nobody may be reading.
      const isWelcome = audience === "guest" && message.chat === "private";
      if (isUnused(session.state)) await session.commit(set, ...(isWelcome ? [say(welcome())] : []));
      else if (message.from.kind !== "person") await clear(session, message.from, () => [set]);
      else await clear(session, message.from, () => [set, say(told())]);
    });
    return undefined;
  };
}

type Read = Pick<SessionState, "audience" | "origin">;

/** @returns who reads from now on, `owner` for the owner alone; undefined when that is who reads already. */
export function nextAudience(
  state: Read,
  { origin, chat }: Pick<InboundMessage, "origin" | "chat">,
  { audience }: Speaker,
): Audience | undefined {
  if (origin.channel !== state.origin.channel) return undefined;
  if (chat === "group") return state.audience === groupOf(origin) ? undefined : groupOf(origin);
  if (audience === state.audience) return undefined;
  // Their own, only where nobody else can read along; elsewhere a chat that is not the owner's alone is everybody's.
  if (audience !== "guest" && chat === "private") return audience ?? "owner";
  return state.audience === "guest" || isGroup(state.audience) ? undefined : "guest";
}

/** Whether somebody writes from elsewhere into what a person or a group reads. */
export function isForeign({ audience, origin }: Read, message: Pick<InboundMessage, "origin">, by: Speaker): boolean {
  return (
    (isPerson(audience) || isGroup(audience)) && by.audience !== audience && message.origin.channel !== origin.channel
  );
}

/** Whether it is a person's own conversation, or a group's: what they say there is a word for the agent to act on, and not a stranger's text. */
export function isOwn({ audience }: Pick<SessionState, "audience">, by: Speaker): boolean {
  return (
    by.role !== "guest" &&
    by.program !== true &&
    (isGroup(audience) || (by.audience !== undefined && by.audience === audience))
  );
}
