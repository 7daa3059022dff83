/** Types of a request of `/v1` on its way: what is asked, and what comes of it. */
import type { ContentPart, Session, ToolSpec } from "@margay/core";
import type { Audience, TurnId, TurnSampling } from "@margay/core/internal";
import type { AnswerEvent } from "./reply/events.ts";
import type { KnownResponse } from "./session-index.ts";
import type { ChosenModel } from "./models.ts";
import type { StoreOptions } from "./parts.ts";
import type { Place } from "./place.ts";
import type { ReplyText } from "./reply/reply-text.ts";
import type { Conversation } from "./messages.ts";

export interface Ask {
  readonly token: string;
  /** Who reads the answer. */
  readonly reader: Audience;
  readonly name: string | undefined;
  readonly user: string | undefined;
  readonly conversation: Conversation;
  readonly model: ChosenModel;
  readonly sampling: TurnSampling;
  /** Of the client; null: none. */
  readonly tools: readonly ToolSpec[] | null;
  /** The turn waits for the operator's approvals instead of denying at once. */
  readonly attended: boolean;
  /** Inbox key of the message. */
  readonly key: string;
  /** An unnamed session is removed this long after its last answer. */
  readonly keepMs: number;
  /** Its text cannot be taken back. */
  readonly streamed: boolean;
  readonly hear: StoreOptions["hear"];
  /** A second reading of the answer: what the client will send as history next time. */
  readonly reply: ReplyText;
  /** The response that is continued: its session, cut behind its turn when others came after it. */
  readonly after?: KnownResponse;
  /** Ends the waiting for one's place in the session. */
  readonly signal: AbortSignal;
  /** Stops the turn while its answer is read. */
  readonly stop: (place: Place) => AbortSignal | undefined;
}

export interface Asked {
  readonly session: Session;
  readonly place: Place;
  /** May be left early: the turn does not depend on its reader. */
  readonly events: AsyncIterable<AnswerEvent>;
  /** Resolves when the turn is over or waits for the client. Never rejects. */
  readonly finished: Promise<void>;
  /** Once it has begun. */
  readonly turn: () => TurnId | undefined;
  /** The turn was open and goes on, from behind this commit. */
  readonly segment?: { readonly turn: TurnId; readonly after: number };
}

/** What `begin` works with. */
export interface Ready {
  readonly given: Ask;
  readonly parts: readonly ContentPart[];
  readonly place: Place;
  readonly store: StoreOptions;
}
