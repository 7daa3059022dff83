/** Groups: what is answered there and what is only heard, who is who, and what the model learns of what was said before. */
import type { Clock, Ids, Millis } from "../contract/base.ts";
import type { Accepted, InboundMessage } from "../contract/bus.ts";
import type { Address, SentFile, TextPart, UserMessage } from "../contract/message.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { HeardLine, Session, SessionState } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import { GROUP, groupOf } from "../lib/audience.ts";
import { createSerial } from "../lib/async/serial.ts";
import { plainName } from "../lib/media/media-type.ts";
import { neutral } from "../lib/neutral.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { gate, type Gate } from "./gate.ts";
import { BEFORE_AN_ANSWER, createHeard, FOR_A_DIGEST, type Heard, heardText } from "./heard.ts";
import { nameOf, spoken } from "./names.ts";
import { isMore, type Placed, unnamedIn } from "./written.ts";

export interface GroupsOptions {
  readonly people: PeopleOptions;
  readonly open: (sessionKey: string, origin: Address) => Promise<Session>;
  readonly sessions: Pick<SessionStore, "list" | "remove" | "find">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly redact: (text: string) => string;
  /** What one person writes within that time of their last line belongs to it. */
  readonly burstMs: (channel: string) => Millis;
  /** The command of ours that a text is. */
  readonly command: (text: string) => string | undefined;
}

type Said = Pick<InboundMessage, "from" | "origin" | "sessionKey">;

export interface Groups {
  /** How they are called here. @param state of the conversation; absent: that of the chat. */
  readonly label: (message: Said, state?: SessionState) => Promise<string>;
  /** @param isAdmitted whether we answer who sends it. */
  readonly gate: (message: InboundMessage, isAdmitted: boolean) => Promise<Gate>;
  readonly heardKeyOf: (origin: Address) => string;
  readonly hear: (message: InboundMessage) => Promise<Accepted>;
  /** A line that was heard in the last day. */
  readonly heardLine: Heard["find"];
  /** What is kept of a message that is only heard. */
  readonly lineOf: (message: InboundMessage, id?: string) => Promise<UserMessage>;
  /** One after the other in each group: a line is given once, and a name to one. */
  readonly alone: <T>(origin: Address, work: () => Promise<T>) => Promise<T>;
  /** What a message of a group is in its conversation. @param text without secrets. */
  readonly place: (session: Session, message: InboundMessage, text: string) => Promise<Placed>;
}

const BEFORE = "Said in this group before, and not to you:";
const DIGEST = "Sum up what was said in this group: what was decided, what is open, who wants what.";

export function createGroups(options: GroupsOptions): Groups {
  const { people, sessions, clock, ids, redact, command } = options;
  const heard = createHeard(options);
  const alone = createSerial();
  const named = async (message: Said, state: SessionState | undefined): Promise<string> => {
    const known = [...(await heard.names(message.origin)), ...(state?.names ?? [])];
    return nameOf(message.from, people.speaker(message.from, message.origin), known);
  };
  const conversation = async ({ origin, sessionKey }: Said): Promise<SessionState | undefined> =>
    (await sessions.find(sessionKey ?? sessionKeyOf(origin)))?.state;
  const lineOf = async (message: InboundMessage, id = ids.next("m")): Promise<UserMessage> => ({
    role: "user",
    id,
    at: message.sentAt ?? clock.now(),
    from: { ...message.from, name: await named(message, await conversation(message)) },
    // Files are not fetched: that somebody sent one is said.
    parts: [...message.parts, ...(message.files ?? []).map(unfetched)].map((part) =>
      part.type === "text" ? { ...part, text: neutral(redact(part.text)) } : part,
    ),
    integrity: "untrusted",
    ...unnamedIn(message),
  });
  return {
    label: async (message, state) => named(message, state ?? (await conversation(message))),
    heardKeyOf: heard.keyOf,
    alone: (origin, work) => alone(groupOf(origin), work),
    gate: async (message, isAdmitted) => {
      const { from, origin } = message;
      const name = command(textOf(message));
      const state = await conversation(message);
      return gate(message, {
        manners: people.group(origin),
        role: people.speaker(from, origin).role,
        isAdmitted,
        ...(name !== undefined && { command: name }),
        now: clock.now(),
        isMore: state !== undefined && isMore(state, message, options.burstMs, clock.now()),
        ...(state !== undefined && lastIn(state)),
        bots: from.bot === true && state !== undefined ? await botsSince(state, heard.since, origin) : 0,
      });
    },
    hear: async (message) => heard.keep(message, await lineOf(message)),
    lineOf,
    heardLine: heard.find,
    place: async ({ state }, message, text) => {
      const { from, origin, edits } = message;
      const { role, audience = "owner" } = people.speaker(from, origin);
      const name = await named(message, state);
      const isDigest = command(text) === "digest";
      const bounds = isDigest ? FOR_A_DIGEST : BEFORE_AN_ANSWER;
      const now = clock.now();
      const since = now - bounds.ms;
      const lines = await heard.since(origin, since);
      // By its place and not by its time: what waited on the platform comes later than it was said.
      const given = isDigest ? -1 : lines.findIndex(({ key }) => key === state.heardTo);
      const fresh = lines.slice(given + 1).filter(({ key, message: { at } }) => at >= since && key !== edits);
      const before = heardText(fresh, bounds);
      const last = fresh.at(-1)?.key;
      return {
        name,
        text: isDigest ? DIGEST : spoken(name, text),
        speaker: from.bot === true || role === "guest" ? "guest" : audience,
        queued: role === "guest",
        ...(before !== "" &&
          last !== undefined && { heard: { last, message: linesAs(`${BEFORE}\n${before}`, ids.next("m"), now) } }),
      };
    },
  };
}

function linesAs(text: string, id: string, at: Millis): UserMessage {
  return {
    role: "user",
    id,
    at,
    from: { id: GROUP, kind: "agent" },
    parts: [{ type: "text", text }],
    integrity: "untrusted",
  };
}

function unfetched({ name }: SentFile): TextPart {
  return { type: "text", text: `[The file ${plainName(name)} was not fetched: it was not meant for us.]` };
}

function textOf({ parts }: InboundMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function spokenIn({ messages }: SessionState): readonly UserMessage[] {
  return messages.filter(
    (message) => message.role === "user" && message.from.kind === "person",
  ) as readonly UserMessage[];
}

function lastIn(state: SessionState): { readonly last?: { readonly by: string; readonly at: Millis } } {
  const by = spokenIn(state).at(-1)?.from.id;
  const at = state.messages.findLast(({ role }) => role === "assistant")?.at;
  return by === undefined || at === undefined ? {} : { last: { by, at } };
}

/** How many bots were answered since a person said anything, to us or not; those that wait count too. */
async function botsSince(
  state: SessionState,
  heard: (origin: Address, at: Millis) => Promise<readonly HeardLine[]>,
  origin: Address,
): Promise<number> {
  const all = [...spokenIn(state), ...state.pending.map(({ message }) => message)];
  const bots = all.slice(all.findLastIndex(({ from }) => from.bot !== true) + 1);
  const [first] = bots;
  if (first === undefined) return 0;
  const people = (await heard(origin, first.at)).filter(
    ({ message: { from, at } }) => from.bot !== true && at >= first.at,
  );
  const since = people.at(-1)?.message.at ?? first.at;
  return bots.filter(({ at }) => at >= since).length;
}
