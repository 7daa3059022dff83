/** A turn of the past, from the journal: for responses that are asked for later or continued. */
import type { AgentEvent, Session } from "@margay/core";
import { firstOf, messageTurn, type MessageTurn, type Seq } from "@margay/core/internal";

export interface PastTurn {
  /** Where the journal has to be cut so that this turn is the last one; undefined while it is open. */
  readonly endSeq: Seq | undefined;
  /** Somebody wrote after it. */
  readonly isContinued: boolean;
}

/** @param key of the message that the turn answers. @returns undefined when the message was never taken. */
export async function findTurn(session: Session, key: string): Promise<PastTurn | undefined> {
  let at: MessageTurn = { status: "unseen", key };
  let endSeq: Seq | undefined;
  let isContinued = false;
  for await (const { seq, records } of session.history()) {
    const before: MessageTurn = at;
    at = records.reduce<MessageTurn>(messageTurn, before);
    if (at.status === "ended" && before.status !== "ended") endSeq = seq;
    if (before.status !== "unseen" && firstOf(records, "message.received") !== undefined) isContinued = true;
  }
  return at.status === "unseen" ? undefined : { endSeq, isContinued };
}

/** All events so far, as `answerEvents` reads them. */
export async function* pastEvents(session: Session, after = 0): AsyncGenerator<AgentEvent> {
  for await (const { seq, at, records } of session.history())
    if (seq > after) for (const record of records) yield { ...record, seq, at };
}
