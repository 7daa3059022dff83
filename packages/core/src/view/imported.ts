/** Rows of an imported conversation as items, and the parts of an answer. */
import type { Seq, SessionId, TurnId } from "../contract/base.ts";
import type { Message, ToolCallPart } from "../contract/message.ts";
import { proposed } from "./calls.ts";
import type { ItemStore } from "./store.ts";
import type { AssistantItemPart, WireRecord } from "./types.ts";

type RowPart = Extract<WireRecord, { type: "model.responded" }>["message"]["parts"][number] | ToolCallPart;

export function shownPart(
  part: RowPart,
  where: { readonly session: SessionId; readonly turn: TurnId; readonly seq: Seq },
): AssistantItemPart {
  switch (part.type) {
    case "text":
      return part;
    case "thinking":
      return { type: "thinking", text: part.text };
    case "tool-call":
      return { type: "call", call: proposed(part, where) };
  }
}

/** An import is a commit of its own, so that its rows have the numbers of that commit to themselves. */
export function importRows(rows: readonly Message[], session: SessionId, seq: Seq, { add, onCall }: ItemStore): void {
  const where = { session, turn: "imported" as TurnId, seq }; // no turn of ours
  rows.forEach((row, number) => {
    const common = { id: `${seq}.${number}`, at: row.at };
    switch (row.role) {
      case "user":
        return add({
          ...common,
          kind: "user",
          messageId: row.id,
          key: row.id,
          from: row.from,
          origin: { channel: "import", chat: "" },
          parts: row.parts,
          state: "placed",
          mode: "queue",
        });
      case "assistant":
        return add({
          ...common,
          kind: "assistant",
          model: row.model,
          parts: row.parts.map((part) => shownPart(part, where)),
          finish: row.finish,
          usage: row.usage,
        });
      case "tool":
        return onCall(row.callId, (call) => ({ ...call, status: row.status, attempts: 1, result: row.parts }));
      case "notice":
        return add({ ...common, kind: "notice", notice: row.kind, text: row.text });
    }
  });
}
