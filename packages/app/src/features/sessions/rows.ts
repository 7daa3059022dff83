/** What was said in a session, line by line: all of it, not only what is still in the context. */
import type { AssistantPart, Commit, ContentPart, JournalRecord, Message } from "@margay/core";
import type { Millis } from "@margay/core/internal";

export interface Row {
  readonly at: Millis;
  readonly who: "user" | "assistant" | "tool" | "reply";
  /** Sender, model or tool. */
  readonly name: string;
  readonly text: string;
}

export async function* rowsOf(commits: AsyncIterable<Commit>): AsyncIterable<Row> {
  for await (const commit of commits) for (const record of commit.records) yield* rowsOfRecord(record, commit.at);
}

/** Records without a text of their own give none; answers of the model are not shown again as replies. */
function rowsOfRecord(record: JournalRecord, at: Millis): readonly Row[] {
  if (record.type === "message.received") {
    const { from, parts } = record.message;
    return [{ at, who: "user", name: from.name ?? from.id, text: textOf(parts) }];
  }
  if (record.type === "model.responded") {
    const { parts, model } = record.message;
    const text = parts.flatMap(assistantText).join("\n");
    return text === "" ? [] : [{ at, who: "assistant", name: `${model.provider}/${model.model}`, text }];
  }
  if (record.type === "tool.finished")
    return [{ at, who: "tool", name: record.message.name, text: textOf(record.message.parts) }];
  if (record.type === "message.posted") return [{ at, who: "reply", name: record.from.id, text: record.text }];
  if (record.type === "history.imported") return record.messages.flatMap(importedRow);
  if (record.type === "reply.queued" && (record.kind === "command" || record.kind === "message"))
    return [{ at, who: "reply", name: record.kind, text: textOf(record.parts) }];
  return [];
}

function assistantText(part: AssistantPart): readonly string[] {
  if (part.type === "text") return [part.text];
  return part.type === "tool-call" ? [`→ ${part.name} ${JSON.stringify(part.input)}`] : [];
}

function importedRow(message: Message): readonly Row[] {
  if (message.role === "notice") return [];
  const name = message.role === "tool" ? message.name : message.role;
  const text = message.role === "assistant" ? message.parts.flatMap(assistantText).join("\n") : textOf(message.parts);
  return [{ at: message.at, who: message.role, name, text }];
}

export function textOf(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join("\n");
}
