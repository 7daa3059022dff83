/** One turn, as it is shown, and what is under way of it. */
import type { Millis, TurnId } from "../../contract/base.ts";
import type { Channel, LiveStream } from "../../contract/channel.ts";
import type { Address, LiveMessage } from "../../contract/message.ts";
import type { Session } from "../../contract/session.ts";
import type { Pacer } from "../pacer.ts";
import type { LiveMessages, LiveMessagesOptions } from "./messages.ts";

export interface LiveTextOptions extends LiveMessagesOptions {
  readonly channel: (id: string) => Channel | undefined;
  readonly pacer: Pick<Pacer, "spare">;
  /** What of a text may be shown in the chat of a session, as of a reply there. */
  readonly visible: (text: string, session: Session) => string;
  /** Stands behind a text that was stopped. */
  readonly cutMark: () => string;
}

/** A message of ours there. */
export interface ShownMessage {
  id?: string;
  /** What it says. Undefined: an earlier process has written it. */
  text?: string;
  /** An earlier process may have sent it. */
  sought?: LiveMessage;
}

export interface Showing {
  readonly turn: TurnId;
  /** The platform's idempotency key. A turn may open several, one below the other: each has its own. */
  readonly reply: string;
  readonly channel: Channel;
  readonly to: Address;
  readonly inGroup: boolean;
  /** Of the response that runs, or ran last. */
  text: string;
  isComplete: boolean;
  beside: string;
  readonly since: Millis;
  /** As many as the text fills: each but the last is finished. */
  readonly messages: ShownMessage[];
  /** In place of the last of them, where the platform has one. `text`: what it says. */
  stream?: { readonly open: LiveStream; text: string; at: Millis } | "none";
  /** All of what was said up to there stands in the chat. */
  shown?: string;
  /** How often something was shown. */
  times: number;
  nextAt: Millis;
  timer?: { readonly at: Millis; readonly ring: Disposable } | undefined;
  working?: Promise<void> | undefined;
  gaveUp?: true;
}

export interface Opening {
  readonly turn: TurnId;
  /** Also when it could not be sent. */
  readonly arrived: Promise<void>;
}

/** All of them, and what is under way. */
export interface Live {
  readonly options: LiveTextOptions;
  readonly showing: WeakMap<Session, Showing>;
  readonly opening: WeakMap<Session, Opening>;
  readonly messages: LiveMessages;
  /** Chats that get fewer edits, and until when. */
  readonly slowed: Map<string, Millis>;
}

/** @returns whether something of it stands in the chat. */
export function isVisible({ messages, stream }: Showing): boolean {
  return messages.length > 0 || typeof stream === "object";
}

export function textOf({ text, beside }: Showing): string {
  return [text.trim(), beside.trim()].filter(Boolean).join("\n\n");
}
