/** What people do to a message after they sent it: one that waits, or was only heard, is replaced or taken back; what the model has seen stays. */
import type { Accepted, ChannelInbox, Edited, InboundMessage } from "../contract/bus.ts";
import type { Address, Sender, UserMessage } from "../contract/message.ts";
import type { Policy } from "../contract/policy.ts";
import type { Session, Waiting } from "../contract/session.ts";
import type { SessionStore } from "../contract/store.ts";
import { createSerial } from "../lib/async/serial.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { voiceNotes } from "../lib/text.ts";
import { sessionsAtWork } from "../loop/lanes/sessions-at-work.ts";
import { withdraw, type ControlDeps } from "./control.ts";

export interface EditsOptions {
  readonly accept: (message: InboundMessage) => Promise<Accepted>;
  readonly admit: Policy["admit"];
  readonly sessions: SessionStore;
  /** Undefined: there is none of that key. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  /** Which keys of a platform were accepted. */
  readonly keys: { find(channel: string, key: string): unknown };
  /** What stands in a conversation of a message. */
  readonly write: (
    session: Session,
    message: InboundMessage,
    id: string,
  ) => { readonly written: UserMessage } | Promise<{ readonly written: UserMessage }>;
  /** Absent: there are none. */
  readonly groups?: {
    gate(message: InboundMessage, isAdmitted: boolean): Promise<"answer" | "hear" | "drop" | "late">;
    heardLine(
      origin: Address,
      key: string,
    ): Promise<{ readonly session: Session; readonly message: UserMessage } | undefined>;
    lineOf(message: InboundMessage, id: string): Promise<UserMessage>;
  };
  /** The command of ours that a text is. */
  readonly command: (text: string) => string | undefined;
  readonly control: () => ControlDeps;
}

const SEEN: Accepted = { status: "ignored", why: "seen" };
type Removed = Parameters<ChannelInbox["removed"]>[0];

export function createEdits(options: EditsOptions): Pick<ChannelInbox, "edited" | "removed"> & {
  readonly alone: <T>(origin: Address, work: () => Promise<T>) => Promise<T>;
} {
  const alone = createSerial();
  return {
    alone: (origin, work) => alone(sessionKeyOf(origin), work),
    edited: (change) => alone(sessionKeyOf(change.origin), () => edit(change, options)),
    removed: (change) => alone(sessionKeyOf(change.origin), () => remove(change, options)),
  };
}

async function edit(change: Edited, options: EditsOptions): ReturnType<ChannelInbox["edited"]> {
  const { edits, from, origin } = change;
  // A command was carried out when it was written, and none is given by changing something else.
  const isCommand = options.command(textOf(change)) !== undefined || change.control !== undefined;
  if (isCommand || change.parts.length + (change.files ?? []).length === 0 || !(await isKnown(origin, edits, options)))
    return SEEN;
  const waiting = await waitingOf(origin, edits, options);
  if (waiting === undefined) return editHeard(change, options);
  const { session, item } = waiting;
  if (item.message.from.id !== from.id || !(await isAdmitted(change, options))) return SEEN;
  return replace(session, item, change, options);
}

async function replace(
  session: Session,
  item: Waiting,
  change: Edited,
  { write }: EditsOptions,
): ReturnType<ChannelInbox["edited"]> {
  const { id, at, parts } = item.message;
  const sentAt = item.late === true ? writtenTime(parts) : undefined;
  const { sentAt: _changedAt, edits: _edits, media: _media, ...said } = change;
  const { written } = await write(session, { ...said, ...(sentAt !== undefined && { sentAt }) }, id);
  const now = withOwnFiles(written, item.message, change.media === "kept");
  const message: UserMessage = {
    ...now,
    at,
    parts: [...now.parts, ...transcripts(item.message, now)],
    ...(now.parts.some(({ type }) => type === "media") &&
      item.message.integrity !== undefined && { integrity: item.message.integrity }),
  };
  if (JSON.stringify(message) === JSON.stringify(item.message)) return { status: "replaced" }; // told twice
  await session.commit({ type: "message.edited", message });
  // It may have been placed in the same moment: what the journal has first counts.
  const isIn = session.state.pending.some((now) => now.message === message);
  return isIn ? { status: "replaced" } : SEEN;
}

/** What was fetched of the files that it still has is not fetched again. */
function withOwnFiles(
  { files = [], ...written }: UserMessage,
  { parts, files: coming }: UserMessage,
  isKept: boolean,
): UserMessage {
  const has = ({ file }: { readonly file?: string }): boolean => isKept || files.some((one) => one.file === file);
  const own = parts.filter((part) => part.type === "media" && has(part));
  const waiting = isKept
    ? (coming ?? [])
    : files.filter(({ file }) => !own.some((part) => part.type === "media" && part.file === file));
  return { ...written, parts: [...own, ...written.parts], ...(waiting.length > 0 && { files: waiting }) };
}

/** A line that was only heard, in a group: it is for us when it now says so. */
async function editHeard(change: Edited, options: EditsOptions): ReturnType<ChannelInbox["edited"]> {
  const { groups, accept } = options;
  if (groups === undefined || change.chat !== "group") return SEEN;
  const heard = await groups.heardLine(change.origin, change.edits);
  if (heard === undefined || heard.message.from.id !== change.from.id || heard.message.parts.length === 0) return SEEN;
  const { session, message } = heard;
  const gate = await groups.gate(change, await isAdmitted(change, options));
  if (gate === "answer") {
    const accepted = await accept({ ...change, fromPlatform: true });
    // Also when a process died behind the message, and the platform tells it again.
    if (accepted.status === "accepted" || accepted.status === "duplicate")
      await session.commit({ type: "message.edited", message: gone(message) });
    return accepted;
  }
  const line = { ...(await groups.lineOf(change, message.id)), at: message.at };
  if (JSON.stringify(line) !== JSON.stringify(message)) await session.commit({ type: "message.edited", message: line });
  return { status: "replaced" };
}

async function remove({ of, origin, from }: Removed, options: EditsOptions): ReturnType<ChannelInbox["removed"]> {
  if (!(await isKnown(origin, of, options))) return "ignored";
  const mayRemove = (message: UserMessage): boolean => from === undefined || from.id === message.from.id;
  const waiting = await waitingOf(origin, of, options);
  if (waiting !== undefined) {
    const { session, item } = waiting;
    const by: Sender = from ?? item.message.from;
    if (!mayRemove(item.message)) return "ignored";
    return (await withdraw(session, item.message.id, by, options.control())) ? "withdrawn" : "ignored";
  }
  const heard = await options.groups?.heardLine(origin, of);
  if (heard === undefined || !mayRemove(heard.message) || heard.message.parts.length === 0) return "ignored";
  await heard.session.commit({ type: "message.edited", message: gone(heard.message) });
  return "withdrawn";
}

function gone(message: UserMessage): UserMessage {
  return { ...message, parts: [] };
}

/** Of most that is changed on a busy platform nothing was ever taken. */
async function isKnown({ channel }: Address, key: string, { keys }: EditsOptions): Promise<boolean> {
  return (await keys.find(channel, key)) !== undefined;
}

/** In the conversation of the chat; a platform may not say which thread of it, so then in those that wait for something. */
async function waitingOf(
  origin: Address,
  key: string,
  { find, sessions }: EditsOptions,
): Promise<{ readonly session: Session; readonly item: Waiting } | undefined> {
  const itemIn = (session: Session | undefined): Waiting | undefined =>
    session?.received(origin.channel, key) === true ? session.state.pending.find((one) => one.key === key) : undefined;
  const here = await find(sessionKeyOf(origin));
  const found = itemIn(here) === undefined ? (await sessionsAtWork(sessions, find)).find(itemIn) : here;
  const item = itemIn(found);
  return found === undefined || item === undefined ? undefined : { session: found, item };
}

/** As a message of theirs would be; not as a private word, which gets a stranger a code. */
async function isAdmitted({ key, from, origin }: Edited, { admit }: EditsOptions): Promise<boolean> {
  return (await admit({ key, from, origin, parts: [], chat: "group" })).ok;
}

/** What was written down of notes that are still in it. */
function transcripts(before: UserMessage, after: UserMessage): UserMessage["parts"] {
  const notes = (message: UserMessage): string =>
    voiceNotes(message)
      .map(({ blob }) => blob.sha256)
      .join();
  return notes(before) === notes(after)
    ? before.parts.filter((part) => part.type === "text" && part.transcript === true)
    : [];
}

/** When a message was written that waited on its platform, as it says itself. */
function writtenTime(parts: UserMessage["parts"]): number | undefined {
  // What became of its files may stand behind it.
  const said = parts.flatMap((part) => (part.type === "text" && part.transcript !== true ? [part.text] : []));
  const time = said.map((text) => /\(written at (\S+)\)$/.exec(text)?.[1]).findLast((found) => found !== undefined);
  return time === undefined ? undefined : Date.parse(time);
}

function textOf({ parts }: InboundMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
