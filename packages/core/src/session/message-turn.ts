/** Which turn answers a message: the one it opened, or the running one whose request placed it; and what is taken once. Pure. */
import type { TurnOutcome } from "../contract/agent.ts";
import type { TurnId } from "../contract/base.ts";
import type { AgentEvent, DurableEvent } from "../contract/event.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";

/** Where a message is on its way to an answer. */
export type MessageTurn =
  /** Nothing of it was seen yet. Without `channel`: the key alone says which it is. */
  | { readonly status: "unseen"; readonly key: string; readonly channel?: string }
  | { readonly status: "waiting"; readonly message: string }
  | { readonly status: "withdrawn"; readonly message: string }
  | { readonly status: "open"; readonly message: string; readonly turn: TurnId; readonly toolsUsed: readonly string[] }
  | { readonly status: "ended"; readonly message: string; readonly turn: TurnId; readonly outcome: TurnOutcome };

type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { type: Type }>;

/** What is read of each; a record as it travels has this too. */
type Read =
  | (Pick<Of<"message.received">, "type" | "key" | "origin"> & { readonly message: { readonly id: string } })
  | Pick<Of<"messages.withdrawn">, "type" | "ids">
  | Pick<Of<"turn.started">, "type" | "turn" | "message">
  | Pick<Of<"model.requested">, "type" | "turn" | "placed">
  | Pick<Of<"tool.started">, "type" | "turn" | "name">
  | Pick<Of<"turn.ended">, "type" | "turn" | "text" | "reason" | "usage" | "error">;
type Told = Read | { readonly type: Exclude<AgentEvent["type"], Read["type"]> };

/** One event later; the same object when it changed nothing. */
export function messageTurn(before: MessageTurn, event: Told): MessageTurn {
  switch (before.status) {
    case "unseen":
      return isReceived(before, event) ? { status: "waiting", message: event.message.id } : before;
    case "waiting": {
      const { message } = before;
      if (event.type === "messages.withdrawn" && event.ids.includes(message)) return { status: "withdrawn", message };
      return opens(event, message) ? { status: "open", message, turn: event.turn, toolsUsed: [] } : before;
    }
    case "open":
      return inTurn(before, event);
    case "withdrawn":
    case "ended":
      return before;
  }
}

/** Whether the event belongs to the turn that answers the message. */
export function isOfTurn(at: MessageTurn, event: AgentEvent): boolean {
  return "turn" in at && "turn" in event && event.turn === at.turn;
}

function isReceived(
  { key, channel }: Extract<MessageTurn, { status: "unseen" }>,
  event: Told,
): event is Extract<Told, { type: "message.received" }> {
  if (event.type !== "message.received" || event.key !== key) return false;
  return channel === undefined || event.origin.channel === channel;
}

function opens(event: Told, message: string): event is Extract<Told, { type: "turn.started" | "model.requested" }> {
  if (event.type === "turn.started") return event.message === message;
  return event.type === "model.requested" && event.placed.includes(message);
}

function inTurn(before: Extract<MessageTurn, { status: "open" }>, event: Told): MessageTurn {
  if (event.type === "tool.started" && event.turn === before.turn)
    return before.toolsUsed.includes(event.name) ? before : { ...before, toolsUsed: [...before.toolsUsed, event.name] };
  if (event.type !== "turn.ended" || event.turn !== before.turn) return before;
  const { message, turn, toolsUsed } = before;
  const { text, reason, usage, error } = event;
  const outcome = { text, toolsUsed, reason, usage, ...(error !== undefined && { error }) };
  return { status: "ended", message, turn, outcome };
}

/** What must not be accepted a second time. */
export function keyOf(record: JournalRecord): string | undefined {
  if (record.type === "message.received") return `${record.origin.channel}\n${record.key}`;
  if (record.type === "message.heard") return `${record.channel}\n${record.key}`;
  if (record.type === "message.posted") return `${record.from.id}\n${record.reply}`;
  return record.type === "command.handled" || record.type === "control.handled" ? record.key : undefined;
}

/** The commit as events, one per record. */
export function durable(commit: Commit): readonly DurableEvent[] {
  return commit.records.map((record) => ({ ...record, seq: commit.seq, at: commit.at }));
}
