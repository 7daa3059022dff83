// Conversations in JSON lines, as our own `sessions import` reads them, with the pictures that were sent.
import { readFileSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import { type Json, type JsonObject } from "@margay/core";
import { isRecord, type MediaPart, messageOf, parseTranscript, sha256 } from "@margay/core/internal";
import { isPlainFile } from "./folder.ts";
import { listOf } from "./json.ts";
import type { ReadOptions, Source, SourceSession } from "./source.ts";

interface Place {
  readonly from: string;
  /** Where the file does not say. */
  readonly key: string;
  readonly title?: string | undefined;
}
type Imported = SourceSession["imported"];
/** The field of a row under which this module puts what `pictures` found. */
export const MEDIA = "media";
const TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
/** What no chat takes is no picture of one. */
const MAX_BYTES = 25 * 1024 * 1024;

export interface Pictures {
  /** The part for a file, or undefined when it is no picture that can be read. */
  ofFile(path: string): Json | undefined;
  ofBase64(data: string, mediaType: string, name?: string): Json | undefined;
  readonly all: (() => Uint8Array)[];
}

/** As our own transcripts write a picture. */
export function marked(content: Json | undefined, parts: readonly Json[]): Json {
  const marks = parts.flatMap((part) => (isRecord(part) ? [`[image: ${String(part["name"] ?? "image")}]`] : []));
  if (marks.length === 0 || Array.isArray(content)) return content ?? "";
  return [...(typeof content === "string" && content !== "" ? [content] : []), ...marks].join("\n");
}

/** Of one conversation. */
export function picturesOf(found: Source): Pictures {
  const all: (() => Uint8Array)[] = [];
  const add = (read: () => Uint8Array, mediaType: string, name: string | undefined): Json => {
    const bytes = read();
    all.push(read);
    const blob = { sha256: sha256(bytes), bytes: bytes.length };
    return { type: "media", mediaType, blob, ...(name !== undefined && { name }) };
  };
  return {
    all,
    ofFile: (path) => {
      const mediaType = TYPES[extname(path).toLowerCase()];
      if (mediaType === undefined || !isPlainFile(path)) return undefined;
      try {
        if (statSync(path).size > MAX_BYTES) return undefined;
        const part = add(() => readFileSync(path), mediaType, basename(path));
        found.seen.add(path);
        return part;
      } catch {
        return undefined; // it is named as left over
      }
    },
    ofBase64: (data, mediaType, name) => {
      if (!/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) return undefined;
      if (Buffer.byteLength(data, "base64") > MAX_BYTES) return undefined;
      return add(() => Buffer.from(data, "base64"), mediaType, name);
    },
  };
}

export function addSession(
  found: Source,
  { from, key, title }: Place,
  text: string,
  { timeZone }: Pick<ReadOptions, "timeZone">,
  pictures?: Pictures,
  notes: readonly string[] = [],
): void {
  const skip = (reason: Source["skipped"][number]["reason"]): void =>
    void found.skipped.push({ area: "session", from, reason });
  try {
    const imported = parseTranscript(text, { timeZone, ...(pictures !== undefined && { media: mediaOf }) });
    if (imported.rows === 0) return skip({ key: "import.why.empty" });
    const own = imported.key ?? key;
    const other = found.sessions.find((one) => one.key === own);
    if (other !== undefined && holds(other.imported, imported))
      return skip({ key: "import.why.contained", values: { from: other.from } });
    found.sessions.push({
      from,
      // Two conversations of one name: the one that was read first has it.
      key: other === undefined ? own : freeKey(found, own),
      ...(title !== undefined && title.trim() !== "" && { title: title.trim() }),
      imported: notes.length === 0 ? imported : { ...imported, warnings: [...imported.warnings, ...notes] },
      pictures: pictures?.all ?? [],
    });
  } catch (error) {
    skip({ key: "import.why.unreadable", values: { why: messageOf(error) } });
  }
}

function freeKey(found: Source, key: string): string {
  for (let number = 2; ; number++) {
    const free = `${key}~${String(number)}`;
    if (!found.sessions.some((one) => one.key === free)) return free;
  }
}

/** A copy that another version left behind: every row of it is here. */
function holds(whole: Imported, part: Imported): boolean {
  const rows = new Set(whole.transcript.map((row) => JSON.stringify(row)));
  return part.transcript.every((row) => rows.has(JSON.stringify(row)));
}

function mediaOf(row: JsonObject): readonly MediaPart[] {
  return listOf(row[MEDIA]).filter(
    (part) => isRecord(part) && part["type"] === "media",
  ) as unknown as readonly MediaPart[]; // made by `add`
}
