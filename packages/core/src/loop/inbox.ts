/** The one door in: admit, deduplicate, commit, wake the session's lane. */
import type { Logger } from "../contract/base.ts";
import type { Accepted, Control, Inbox, InboundMessage } from "../contract/bus.ts";
import type { Address, UserMessage } from "../contract/message.ts";
import type { Audience } from "../contract/people.ts";
import type { JournalRecord } from "../contract/record.ts";
import type { Policy } from "../contract/policy.ts";
import type { Session } from "../contract/session.ts";
import type { Keys } from "../contract/store.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import { isUnused } from "../session/is-unused.ts";

/** A message with a control. */
export type Pressed = InboundMessage & { readonly control: Control };

/** What is done about what is said in groups. */
interface Groups {
  gate(message: InboundMessage, isAdmitted: boolean): Promise<"answer" | "hear" | "drop" | "late">;
  /** Where is kept what is only heard. */
  heardKeyOf(origin: Address): string;
  hear(message: InboundMessage): Promise<Accepted>;
  /** One after the other in each group. */
  alone<T>(origin: Address, work: () => Promise<T>): Promise<T>;
}

/** What stands in the conversation of a message. */
interface Written {
  readonly written: UserMessage;
  /** Goes in front of it. */
  readonly before: Extract<JournalRecord, { type: "message.received" }>["heard"];
  /** Of a group. `queued`: it waits for a turn of its own. */
  readonly placed: { readonly speaker: Audience; readonly queued: boolean } | undefined;
  readonly late: boolean;
  readonly joins: boolean;
}

export interface InboxOptions {
  readonly open: (sessionKey: string, origin: Address) => Promise<Session>;
  /** Undefined: there is none of that key. */
  readonly find: (sessionKey: string) => Promise<Session | undefined>;
  readonly keys: Keys;
  readonly policy: Policy;
  readonly log: Logger;
  readonly maxPending: () => number;
  /** Removes known secrets: what a person pastes would go to the model and into the journal. */
  readonly redact: (text: string) => string;
  /** What it is in its conversation. A promise only in groups. */
  readonly write: (session: Session, message: InboundMessage) => Written | Promise<Written>;
  /** Why nothing new is taken, and what its sender is told; undefined when all is well. */
  readonly stopped: () => { readonly reason: string; readonly answer: string } | undefined;
  /** For who writes while so many wait. */
  readonly fullAnswer: (waiting: number) => string;
  /** Hands the session to its lane. */
  readonly wake: (sessionKey: string) => void;
  /** What is done about groups. Absent: nobody but the owner and their guests is there. */
  readonly groups?: Groups;
  /** @param handled the record by which the press counts as taken: committed with what it does, when it does something. */
  readonly control: (session: Session, message: Pressed, handled: () => readonly JournalRecord[]) => Promise<unknown>;
  /**
   * Sees to it that what the sender will read was made for them. Absent: all readers are operators.
   * @returns what they are told when it is nothing of theirs.
   */
  readonly readBy?: (session: Session, message: InboundMessage) => Promise<string | undefined>;
  /** Slash commands: answered outside the lane, outside the model's context. @returns false when the text is none. */
  readonly command: (session: Session, message: InboundMessage, text: string) => Promise<boolean>;
}

export function createInbox(options: InboxOptions): Inbox {
  /** Accepted but not yet on disk: a second copy of the same message waits for the first. */
  const arriving = new Map<string, Promise<Accepted>>();
  return {
    accept: async (message) => {
      const fault = faultOf(message);
      if (fault !== undefined) return { status: "refused", reason: fault };
      const admitted = await options.policy.admit(message);
      const groups = message.chat === "group" && message.from.kind === "person" ? options.groups : undefined;
      const gate = (await groups?.gate(message, admitted.ok)) ?? "answer";
      if (gate === "drop") return { status: "ignored", why: "not-addressed" };
      if (gate === "late") return { status: "ignored", why: "late" };
      if (!admitted.ok && gate === "answer") {
        options.log.info("inbox.refused", { channel: message.origin.channel, reason: admitted.reason });
        return {
          status: "refused",
          reason: admitted.reason,
          ...(admitted.answer !== undefined && { answer: admitted.answer }),
        };
      }
      // In this conversation: beside each other two of them may each get a `task`. A platform's key holds for all.
      const way = wayOf(message, options, groups, gate === "hear");
      const where = message.fromPlatform === true ? "" : way.sessionKey;
      const id = `${where}\n${message.origin.channel}\n${message.key}`;
      const twin = arriving.get(id);
      if (twin !== undefined) {
        const first = await twin;
        return first.status === "accepted" ? { status: "duplicate" } : first;
      }
      const accepted = takeOnce(message, options, way).finally(() => arriving.delete(id));
      arriving.set(id, accepted);
      return accepted;
    },
  };
}

function sessionKeyFor({ sessionKey, origin }: InboundMessage): string {
  return sessionKey ?? sessionKeyOf(origin);
}

/** Where a message is kept, and how. */
interface Way {
  readonly sessionKey: string;
  readonly take: () => Promise<Accepted>;
}

function wayOf(message: InboundMessage, options: InboxOptions, groups: Groups | undefined, isHeard: boolean): Way {
  const { origin } = message;
  const sessionKey = sessionKeyFor(message);
  if (groups === undefined) return { sessionKey, take: () => take(message, options) };
  return isHeard
    ? { sessionKey: groups.heardKeyOf(origin), take: () => groups.alone(origin, () => groups.hear(message)) }
    : { sessionKey, take: () => groups.alone(origin, () => take(message, options)) };
}

/** A platform's key is known before its message is stored, so that no crash in between makes two of it. */
async function takeOnce(message: InboundMessage, options: InboxOptions, { sessionKey, take }: Way): Promise<Accepted> {
  if (message.fromPlatform !== true) return take();
  const { keys } = options;
  const { key, origin } = message;
  const known = await keys.find(origin.channel, key);
  if (known === "taken") return { status: "duplicate" };
  // A process died between the two: the conversation tells whether the message was stored.
  if (known !== undefined && (await options.find(known.session))?.received(origin.channel, key) === true) {
    keys.taken(origin.channel, key);
    return { status: "duplicate" };
  }
  const intended = keys.intend(origin.channel, key, sessionKey);
  intended.catch(() => {}); // awaited below
  const accepted = await take();
  await intended;
  if (accepted.status !== "refused") keys.taken(origin.channel, key);
  return accepted;
}

async function take(message: InboundMessage, options: InboxOptions): Promise<Accepted> {
  const sessionKey = sessionKeyFor(message);
  const session = await options.open(sessionKey, message.origin);
  if (session.received(message.origin.channel, message.key)) return { status: "duplicate" };
  const accepted = (id: string): Accepted => ({
    status: "accepted",
    session: session.state.id,
    sessionKey,
    seq: session.state.seq,
    message: id,
  });
  if (message.control !== undefined) {
    await press(session, { ...message, control: message.control }, options);
    return accepted("");
  }
  const text = options.redact(message.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
  const isSlashed = /^\s*[/\uff0f]/.test(text);
  if (isSlashed && message.from.kind === "person") {
    // A command that begins a conversation is answered from the room of who gives it.
    if (isUnused(session.state)) await options.readBy?.(session, message);
    await session.commit(...handleOf(message, message.key));
    if (await options.command(session, message, text)) return accepted("");
  }
  // What a subagent reports is taken and ends with the rest: its turn is a record of this session.
  const stopped = message.from.kind === "agent" ? undefined : options.stopped();
  if (stopped !== undefined) return { status: "refused", ...stopped, until: "release" };
  if (isFull(session, options)) return full(session, options);
  const foreign = await options.readBy?.(session, message);
  if (foreign !== undefined) return { status: "refused", reason: foreign, answer: foreign };
  const writing = options.write(session, message);
  const { written, before, placed, late, joins } = writing instanceof Promise ? await writing : writing;
  const mode = placed?.queued === true ? "queue" : message.mode;
  const received: JournalRecord = {
    type: "message.received",
    key: message.key,
    origin: message.origin,
    ...(message.replyTo !== undefined && { replyTo: message.replyTo }),
    attended: message.attended ?? message.from.kind === "person",
    message: written,
    ...(message.allows !== undefined && { allows: message.allows }),
    ...(mode !== undefined && { mode }),
    ...(message.sampling !== undefined && { sampling: message.sampling }),
    ...(placed !== undefined && { speaker: placed.speaker }),
    ...(late && { late }),
    ...(joins && { joins }),
    ...(before !== undefined && { heard: before }),
  };
  let refused: Accepted | undefined;
  await session.commitIf((now) => {
    refused = refusalBy(now, message, options);
    return refused === undefined ? [...(isSlashed ? [] : handleOf(message, written.id)), received] : undefined;
  });
  if (refused !== undefined) return refused;
  options.wake(sessionKey);
  return accepted(written.id);
}

function handleOf({ handle, origin: from }: InboundMessage, id: string): readonly JournalRecord[] {
  return handle === undefined ? [] : [{ type: "handle.received", id, from, handle }];
}

/** Others came meanwhile: beside it, or where another process takes messages too. */
function refusalBy(
  now: Pick<Session, "state" | "received">,
  { origin, key }: InboundMessage,
  options: InboxOptions,
): Accepted | undefined {
  if (now.received(origin.channel, key)) return { status: "duplicate" };
  return isFull(now, options) ? full(now, options) : undefined;
}

function isFull({ state }: Pick<Session, "state">, { maxPending }: InboxOptions): boolean {
  return state.pending.length >= maxPending();
}

function full({ state }: Pick<Session, "state">, { fullAnswer }: InboxOptions): Accepted {
  return {
    status: "refused",
    reason: `${state.pending.length} messages are waiting already. Wait for an answer, or send /stop.`,
    answer: fullAnswer(state.pending.length),
    until: "room",
  };
}

/** Taken once: the same press that is delivered again finds another turn, another question. */
async function press(session: Session, message: Pressed, options: InboxOptions): Promise<void> {
  let recorded = false;
  const handled = (): readonly JournalRecord[] => {
    recorded = true;
    const key = `${message.origin.channel}\n${message.key}`;
    return [{ type: "control.handled", key, control: message.control.type, by: message.from }];
  };
  await options.control(session, message, handled);
  if (!recorded) await session.commit(...handled());
}

/** Callers without types (plugins, scripts) are told, not trusted. */
function faultOf(message: InboundMessage): string | undefined {
  const { key, origin, from, parts, files = [] } = message;
  for (const [name, value] of Object.entries({ key, channel: origin.channel, chat: origin.chat, sender: from.id }))
    if (typeof value !== "string" || value === "") return `${name} must be a non-empty string.`;
  if (parts.length + files.length === 0 && message.control === undefined) return "The message is empty.";
  return undefined;
}
