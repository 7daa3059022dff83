/** What a chat uses of an agent: of the one of this process, or of the one in the process that holds the lock. */
import type { Agent, OutboundMessage, Session, SessionStore } from "@margay/core";

/** One conversation as it is seen. */
export type ChatSession = Pick<Session, "state" | "subscribe" | "history">;

export interface ChatAgent extends Pick<Agent, "model" | "control" | "run" | "withdraw" | "rewrite"> {
  readonly settings: Pick<Agent["settings"], "contextWindow">;
  readonly bus: Pick<Agent["bus"], "accept">;
  readonly sessions: Pick<SessionStore, "list"> & {
    open(key: string, origin: Parameters<SessionStore["open"]>[1]): Promise<ChatSession>;
  };
}

export interface ReplySource {
  /** From now on replies go to `show`; those that waited first. `alone`: no other terminal shows it. @returns the function that ends it. */
  attach(show: (message: OutboundMessage, alone: boolean) => void): () => void;
}
