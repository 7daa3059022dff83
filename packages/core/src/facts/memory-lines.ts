/** Which lines of MEMORY.md a session wrote: by `remember`, by the file tools, by a consolidation. */
import type { CallId, Json, Millis } from "../contract/base.ts";
import type { Commit, JournalRecord } from "../contract/record.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";

export interface WrittenLine {
  /** As {@link bareLine} makes it. */
  readonly line: string;
  readonly by: "agent" | "consolidation";
  readonly at: Millis;
  /** Of the answer that asked for it. Absent for a consolidation: it is no item. */
  readonly item?: string;
  /** Of a consolidation: hash of the file it was shown, whose lines it repeats. */
  readonly saw?: string;
}

export interface LineFold {
  readonly lines: readonly WrittenLine[];
  apply(commit: Commit): void;
}

/** Without its bullet: `remember` adds one. */
export function bareLine(line: string): string {
  return line
    .replace(/^\s*[-*]\s+/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

export function createLineFold(): LineFold {
  const lines: WrittenLine[] = [];
  const asked = new Map<CallId, { readonly texts: readonly string[]; readonly item: string }>();
  let copied = 0;
  const add = (text: string, about: Omit<WrittenLine, "line">): void => {
    for (const each of text.split("\n")) {
      const line = bareLine(each);
      if (line !== "") lines.push({ line, ...about });
    }
  };
  const handlers: SomeKinds<JournalRecord, [commit: Commit], void> = {
    "session.opened": ({ forked }) => {
      copied = forked?.commits ?? 0; // told about the original
    },
    "model.responded": (record, { seq, records }) => {
      const item = `${seq}.${records.indexOf(record)}`;
      for (const part of record.message.parts)
        if (part.type === "tool-call") {
          const texts = textsOf(part.name, part.input);
          if (texts.length > 0) asked.set(part.callId, { texts, item });
        }
    },
    "tool.finished": ({ message: { callId, status } }, { at }) => {
      const call = asked.get(callId);
      asked.delete(callId);
      if (status === "ok" && call !== undefined)
        for (const text of call.texts) add(text, { by: "agent", at, item: call.item });
    },
    "memory.answered": ({ memory, at, expected }) => {
      if (memory !== undefined) add(memory, { by: "consolidation", at, saw: expected });
    },
  };
  return {
    lines,
    apply: (commit) => {
      if (commit.seq > copied || commit.records.some(({ type }) => type === "session.opened"))
        for (const record of commit.records) bySomeKind(handlers, record, commit);
    },
  };
}

/** What a call would put into MEMORY.md. */
function textsOf(tool: string, input: Json): readonly string[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  const { text, path, content, new_text: newText } = input as { readonly [Name in string]?: Json }; // an object
  if (tool === "remember") return typeof text === "string" ? [text] : [];
  if (typeof path !== "string" || !/(?:^|\/)memory\/MEMORY\.md$/.test(path)) return [];
  return [content, newText].filter((each) => typeof each === "string");
}
