// The recorded streams, by the API they were recorded from, and ways of cutting their bytes.
import { readFileSync, readdirSync } from "node:fs";
import type { WireKind } from "../../src/model/quirks.ts";

export interface Recording {
  /** Folder and file, without the ending. */
  readonly name: string;
  readonly api: WireKind;
  /** As it was on the wire. */
  readonly bytes: Buffer;
}

const FOLDER = new URL("../fixtures/recordings/", import.meta.url);
/** Recordings of other protocols of the same vendors. */
const OTHER = /google-live|google-search|multi-turn-stateless/;

export function recordings(): readonly Recording[] {
  const found: Recording[] = [];
  for (const folder of readdirSync(FOLDER, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const file of readdirSync(new URL(`${folder.name}/`, FOLDER)).toSorted()) {
      if (OTHER.test(file)) continue;
      const lines = readFileSync(new URL(`${folder.name}/${file}`, FOLDER), "utf8")
        .trim()
        .split("\n");
      const api = apiOf(folder.name, lines[0] ?? "");
      const end = api === "openai-chat" ? "data: [DONE]\n\n" : "";
      found.push({
        name: `${folder.name}/${file.replace(".chunks.txt", "")}`,
        api,
        bytes: Buffer.from(lines.map((line) => `data: ${line}\n\n`).join("") + end),
      });
    }
  }
  return found.toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Most vendors speak both OpenAI APIs; the events say which. */
function apiOf(folder: string, firstEvent: string): WireKind {
  if (folder === "anthropic" || folder === "google") return folder;
  return firstEvent.includes('"choices"') ? "openai-chat" : "openai-responses";
}

/** Eight cuttings: whole, at events, inside events and characters, and small pieces of a beginning that matters most. */
export function cuttings(bytes: Buffer): readonly (readonly Buffer[])[] {
  const pieces = (size: number, first = size): readonly Buffer[] => {
    const cut: Buffer[] = [bytes.subarray(0, first)];
    for (let at = first; at < bytes.length; at += size) cut.push(bytes.subarray(at, at + size));
    return cut;
  };
  const large = Math.max(4096, Math.ceil(bytes.length / 12));
  const start = Math.min(bytes.length, 96);
  const ones = Array.from({ length: start }, (_, at) => bytes.subarray(at, at + 1));
  return [
    [bytes],
    pieces(large),
    pieces(large, 1),
    pieces(large + 1, 7),
    pieces(Math.ceil(bytes.length / 2)),
    pieces(Math.ceil(bytes.length / 37), 3),
    pieces(Math.ceil(bytes.length / 61), 11),
    [...ones, bytes.subarray(start)],
  ];
}
