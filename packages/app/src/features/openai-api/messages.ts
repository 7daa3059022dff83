/** What a request says, independent of its wire: messages with pieces that are not stored yet. */
import { sha256 } from "@margay/core/internal";
import type { ClientResult } from "./client-tools.ts";

export type Piece =
  | { readonly type: "text"; readonly text: string }
  /** A data URL or an https URL. `param`: where it stands in the request. */
  | { readonly type: "image"; readonly url: string; readonly param: string }
  | { readonly type: "file"; readonly data: string; readonly name: string; readonly param: string }
  /** Base64. */
  | { readonly type: "audio"; readonly data: string; readonly param: string };

export interface Said {
  readonly role: "user" | "assistant";
  readonly pieces: readonly Piece[];
}

export interface Conversation {
  /** `system` and `developer` texts, in order. */
  readonly instructions: string;
  /** Up to the last answer of the assistant. */
  readonly earlier: readonly Said[];
  /** What is new: the messages of the user behind it. */
  readonly input: readonly Piece[];
  /** Of tools of the client that the last answer called. */
  readonly results: readonly ClientResult[];
  /** All of it, as it is compared. */
  readonly said: readonly Said[];
}

/** What of a request is compared with what a session holds: roles and texts, and recordings, whose text is not known here. */
export function fingerprintOf(messages: readonly Said[]): string {
  return sha256(JSON.stringify(merged(messages).map(({ role, pieces }) => [role, textOf(pieces), ...audioOf(pieces)])));
}

function audioOf(pieces: readonly Piece[]): readonly string[] {
  return pieces.flatMap((piece) => (piece.type === "audio" ? [sha256(piece.data)] : []));
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces
    .flatMap((piece) => (piece.type === "text" && piece.text !== "" ? [piece.text] : []))
    .join("\n")
    .trim();
}

/** Neighbors of one role are one message; blank answers are none. */
export function merged(messages: readonly Said[]): readonly Said[] {
  const result: Said[] = [];
  for (const message of messages) {
    if (message.pieces.every((piece) => piece.type === "text" && piece.text.trim() === "")) continue;
    const last = result.at(-1);
    if (last?.role === message.role)
      result[result.length - 1] = { role: last.role, pieces: [...last.pieces, ...message.pieces] };
    else result.push(message);
  }
  return result;
}
