// The transcript format: how the first line is written, whole files from commits, and the seeds' getHistory.
import type { JsonObject } from "../contract/base.ts";
import type { Commit } from "../contract/record.ts";
import { createTranscriptFold, type TranscriptHead } from "./fold.ts";
import { isoTime, type RowOptions } from "./rows.ts";

/** Line 1 is padded to a multiple of this, so that it can be overwritten in place while rows are only appended. */
const HEAD_BLOCK = 128;

export interface TranscriptFile {
  /** Absent: the current file. Else the time of the `/new` that ended it. */
  readonly time?: string;
  readonly text: string;
}

/** `{name}` is the session id: slug and 8 hex digits of the key's hash. */
export function transcriptName(session: string, time?: string): string {
  return time === undefined ? `${session}.jsonl` : `${session}.${time}.jsonl`;
}

/** Metadata with spaces up to the next block, and the newline. */
export function headLine(head: TranscriptHead): string {
  const json = JSON.stringify({
    key: head.key,
    created_at: isoTime(head.createdAt),
    updated_at: isoTime(head.updatedAt),
    last_consolidated: head.lastConsolidated,
    rows: head.rows,
    bytes: head.bytes,
    seq: head.seq,
  });
  const bytes = new TextEncoder().encode(json).length + 1;
  return `${json}${" ".repeat(Math.ceil(bytes / HEAD_BLOCK) * HEAD_BLOCK - bytes)}\n`;
}

/** Every transcript of a session from its journal, oldest first: byte-equal to what the observer wrote. */
export async function renderTranscripts(
  commits: AsyncIterable<Commit> | Iterable<Commit>,
  options: RowOptions,
): Promise<readonly TranscriptFile[]> {
  const fold = createTranscriptFold(options);
  const files: TranscriptFile[] = [];
  let head: TranscriptHead | undefined;
  let rows: string[] = [];
  for await (const commit of commits)
    for (const change of fold.apply(commit)) {
      if (change.do === "write") {
        rows.push(change.lines);
        head = change.head;
        continue;
      }
      if (head !== undefined) files.push({ time: change.time, text: headLine(head) + rows.join("") });
      rows = [];
      head = undefined;
    }
  if (head !== undefined) files.push({ text: headLine(head) + rows.join("") });
  return files;
}

/** Rows after the pointer, the last `max` of them, from a user row on. */
export function getHistory<Row extends JsonObject>(
  rows: readonly Row[],
  lastConsolidated: number,
  max: number,
): readonly Row[] {
  const recent = max <= 0 ? [] : rows.slice(lastConsolidated).slice(-max);
  const first = recent.findIndex((row) => row["role"] === "user");
  return first === -1 ? [] : recent.slice(first);
}
