/** Reads the log from its end, or from a position on; lines were redacted when they were written, and are once more. */
import { open, stat } from "node:fs/promises";
import type { JsonObject } from "@margay/core";
import type { LogLine } from "./schema.ts";

export interface LogQuery {
  readonly level?: LogLine["level"] | undefined;
  readonly after?: number | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
}

export interface LogPage {
  readonly items: readonly LogLine[];
  /** Where to go on. */
  readonly next: number;
}

const LEVELS: readonly LogLine["level"][] = ["debug", "info", "warn", "error"];
/** A look at the log reads at most this much of it. */
const MAX_BYTES = 2 * 1024 * 1024;

export async function readLog(path: string, query: LogQuery, redact: (text: string) => string): Promise<LogPage> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  // A file that is shorter than the position was begun anew.
  const after = query.after === undefined || query.after > size ? undefined : query.after;
  const start = Math.max(after ?? 0, size - MAX_BYTES);
  const bytes = await read(path, start, size);
  const lines: LogLine[] = [];
  let next = start;
  let from = start === 0 || start === after ? 0 : bytes.indexOf(10) + 1;
  next = start + from;
  for (let end = bytes.indexOf(10, from); end >= 0; end = bytes.indexOf(10, from)) {
    const line = parse(redact(bytes.subarray(from, end).toString("utf8")), start + end + 1);
    if (line !== undefined && fits(line, query)) lines.push(line);
    from = end + 1;
    next = start + from;
    if (after !== undefined && lines.length >= query.limit) break;
  }
  return { items: after === undefined ? lines.slice(-query.limit) : lines, next };
}

async function read(path: string, start: number, end: number): Promise<Buffer> {
  if (end <= start) return Buffer.alloc(0);
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function parse(text: string, at: number): LogLine | undefined {
  try {
    const { time, level, event, ...data } = JSON.parse(text) as JsonObject; // our own lines
    const known = LEVELS.find((one) => one === level);
    if (typeof time !== "string" || known === undefined || typeof event !== "string") return undefined;
    return { at, time, level: known, event, data: data as LogLine["data"] }; // the rest of a JSON object
  } catch {
    return undefined; // cut off, or not ours
  }
}

function fits({ level, event, data }: LogLine, query: LogQuery): boolean {
  if (query.level !== undefined && LEVELS.indexOf(level) < LEVELS.indexOf(query.level)) return false;
  const wanted = query.q?.toLowerCase();
  return wanted === undefined || `${event} ${JSON.stringify(data)}`.toLowerCase().includes(wanted);
}
