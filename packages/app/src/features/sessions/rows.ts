/** What was said in a session, line by line: all of it, not only what is still in the context. */
import type { AssistantPart, Commit, JournalRecord, Message, UserMessage } from "@margay/core";
import { bySomeKind, type Millis, shownText, type SomeKinds } from "@margay/core/internal";

export interface Row {
  readonly at: Millis;
  readonly who: "user" | "assistant" | "tool" | "reply";
  /** Sender, model or tool. */
  readonly name: string;
  readonly text: string;
}

export async function* rowsOf(commits: AsyncIterable<Commit>): AsyncIterable<Row> {
  for await (const commit of commits)
    for (const record of commit.records) yield* bySomeKind(ROWS, record, commit.at) ?? [];
}

/** Records without a text of their own give none; answers of the model are not shown again as replies. */
const ROWS: SomeKinds<JournalRecord, [at: Millis], readonly Row[]> = {
  // One whose names were looked up comes again with them.
  "message.received": ({ message }, at) => (message.unnamed === undefined ? userRow(message, at) : []),
  "voice.transcribed": ({ text }, at) => [{ at, who: "user", name: "", text }],
  "media.fetched": ({ part }, at) => [{ at, who: "user", name: "", text: shownText([part]) }],
  "message.edited": ({ message }, at) => userRow(message, at),
  "message.heard": ({ message }) => (message.unnamed === undefined ? userRow(message, message.at) : []),
  "model.responded": ({ message: { parts, model } }, at) => {
    const text = parts.flatMap(assistantText).join("\n");
    return text === "" ? [] : [{ at, who: "assistant", name: `${model.provider}/${model.model}`, text }];
  },
  "tool.finished": ({ message: { name, parts } }, at) => [{ at, who: "tool", name, text: shownText(parts) }],
  "message.posted": ({ from, text }, at) => [{ at, who: "reply", name: from.id, text }],
  "history.imported": ({ messages }) => messages.flatMap(importedRow),
  // What did not arrive was a row when it was said.
  "reply.queued": ({ kind, parts, again }, at) =>
    again === undefined && (kind === "command" || kind === "message")
      ? [{ at, who: "reply", name: kind, text: shownText(parts) }]
      : [],
};

function userRow({ from, parts }: Pick<UserMessage, "from" | "parts">, at: Millis): readonly Row[] {
  return [{ at, who: "user", name: from.name ?? from.id, text: shownText(parts) }];
}

function assistantText(part: AssistantPart): readonly string[] {
  if (part.type === "text") return [part.text];
  return part.type === "tool-call" ? [`→ ${part.name} ${JSON.stringify(part.input)}`] : [];
}

function importedRow(message: Message): readonly Row[] {
  if (message.role === "notice") return [];
  const name = message.role === "tool" ? message.name : message.role;
  const text =
    message.role === "assistant" ? message.parts.flatMap(assistantText).join("\n") : shownText(message.parts);
  return [{ at: message.at, who: message.role, name, text }];
}
