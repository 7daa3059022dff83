/** The one door in: admit, deduplicate, commit, wake the session's lane. */
import type { Clock, Ids, Logger } from "../contract/base.ts";
import type { Accepted, Control, Inbox, InboundMessage } from "../contract/bus.ts";
import type { Address, Marks, Sender } from "../contract/message.ts";
import type { Policy } from "../contract/policy.ts";
import type { Session } from "../contract/session.ts";
import { neutral } from "../lib/neutral.ts";
import { sessionKeyOf } from "../lib/session-key.ts";

export interface InboxOptions {
  readonly open: (sessionKey: string, origin: Address) => Promise<Session>;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly maxPending: () => number;
  /** Removes known secrets: what a person pastes would go to the model and into the journal (R282). */
  readonly redact: (text: string) => string;
  /** Whether the sender may steer the agent. */
  readonly isOperator: (by: Sender, origin: Address) => boolean;
  /** Why nothing new is taken, and what its sender is told; undefined when all is well. */
  readonly halted: () => { readonly reason: string; readonly answer: string } | undefined;
  /** Hands the session to its lane. */
  readonly wake: (sessionKey: string) => void;
  readonly control: (session: Session, control: Control, by: Sender, origin: Address) => Promise<unknown>;
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
      if (!admitted.ok) {
        options.log.info("inbox.refused", { channel: message.origin.channel, reason: admitted.reason });
        return {
          status: "refused",
          reason: admitted.reason,
          ...(admitted.answer !== undefined && { answer: admitted.answer }),
        };
      }
      const id = `${message.origin.channel}\n${message.key}`;
      const twin = arriving.get(id);
      if (twin !== undefined) {
        const first = await twin;
        return first.status === "accepted" ? { status: "duplicate" } : first;
      }
      const accepted = take(message, options).finally(() => arriving.delete(id));
      arriving.set(id, accepted);
      return accepted;
    },
  };
}

async function take(message: InboundMessage, options: InboxOptions): Promise<Accepted> {
  const sessionKey = message.sessionKey ?? sessionKeyOf(message.origin);
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
    await options.control(session, message.control, message.from, message.origin);
    return accepted("");
  }
  const text = options.redact(message.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
  if (message.from.kind === "person" && (await options.command(session, message, text))) return accepted("");
  // What a subagent reports is taken and ends with the rest: its turn is a record of this session.
  const halted = message.from.kind === "agent" ? undefined : options.halted();
  if (halted !== undefined) return { status: "refused", ...halted };
  if (session.state.pending.length >= options.maxPending())
    return {
      status: "refused",
      reason: `${session.state.pending.length} messages are waiting already. Wait for an answer, or send /stop.`,
    };
  const id = options.ids.next("m");
  const marks = message.marks ?? marksFor(message, options);
  // An operator's own words stay as they were typed, also beside a picture.
  const isTheirs = isOurs(message, options) && message.marks?.integrity === undefined;
  const clean = (part: string): string => options.redact(isTheirs ? part : neutral(part));
  await session.commit({
    type: "message.received",
    key: message.key,
    origin: message.origin,
    ...(message.replyTo !== undefined && { replyTo: message.replyTo }),
    attended: message.attended ?? message.from.kind === "person",
    message: {
      role: "user",
      id,
      at: options.clock.now(),
      from:
        isTheirs || message.from.name === undefined
          ? message.from
          : { ...message.from, name: neutral(message.from.name) },
      parts: message.parts.map((part) => (part.type === "text" ? { ...part, text: clean(part.text) } : part)),
      ...marks,
    },
    ...(message.mode !== undefined && { mode: message.mode }),
    ...(message.sampling !== undefined && { sampling: message.sampling }),
  });
  options.wake(sessionKey);
  return accepted(id);
}

/** A picture or a file was made by somebody else, whoever sends it on. */
function marksFor(message: InboundMessage, options: InboxOptions): Marks {
  return isOurs(message, options) && message.parts.every(({ type }) => type === "text")
    ? {}
    : { integrity: "untrusted" };
}

/** An operator's word, or a program's of this process. */
function isOurs({ from, origin }: InboundMessage, { isOperator }: InboxOptions): boolean {
  return from.kind !== "person" || isOperator(from, origin);
}

/** Callers without types (plugins, scripts) are told, not trusted (R253). */
function faultOf(message: InboundMessage): string | undefined {
  const { key, origin, from, parts } = message;
  for (const [name, value] of Object.entries({ key, channel: origin.channel, chat: origin.chat, sender: from.id }))
    if (typeof value !== "string" || value === "") return `${name} must be a non-empty string.`;
  if (parts.length === 0 && message.control === undefined) return "The message is empty.";
  return undefined;
}
