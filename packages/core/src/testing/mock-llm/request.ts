// One request as the mock model saw it, in words that are the same on every wire.

import type { Fields } from "./json.ts";
import { fields } from "./json.ts";
import type { Api, Wire, WireMessage, WireRequest } from "./wire.ts";

export interface RecordedRequest extends WireRequest {
  readonly api: Api;
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Fields;
  readonly raw: string;
  /** Unix epoch, milliseconds with fractions. */
  readonly at: number;
  /** The text parts of all messages of a role, in order: one entry per part. */
  texts(role: WireMessage["role"]): string[];
  readonly toolCalls: readonly { readonly callId: string; readonly name: string; readonly arguments: string }[];
  readonly toolResults: readonly { readonly callId: string; readonly text: string }[];
  /** `data` is base64. */
  readonly images: readonly { readonly mediaType: string; readonly data: string }[];
  /** Resolves when the exchange is over: true when the client hung up before the end. */
  readonly closedEarly: Promise<boolean>;
}

export function readRequest(
  wire: Wire,
  path: string,
  headers: Readonly<Record<string, string>>,
  raw: string,
  closedEarly: Promise<boolean>,
): RecordedRequest {
  const body = fields(JSON.parse(raw));
  const request = wire.read(body, path);
  const parts = request.messages.flatMap((message) => message.parts);
  return {
    ...request,
    api: wire.api,
    path,
    headers,
    body,
    raw,
    at: performance.timeOrigin + performance.now(),
    texts: (role) =>
      request.messages
        .filter((message) => message.role === role)
        .flatMap((message) => message.parts)
        .flatMap((part) => (part.type === "text" ? [part.text] : part.type === "result" ? [part.text] : [])),
    toolCalls: parts.flatMap((part) =>
      part.type === "call" ? [{ callId: part.callId, name: part.name, arguments: part.arguments }] : [],
    ),
    toolResults: parts.flatMap((part) => (part.type === "result" ? [{ callId: part.callId, text: part.text }] : [])),
    images: parts.flatMap((part) => (part.type === "image" ? [{ mediaType: part.mediaType, data: part.data }] : [])),
    closedEarly,
  };
}
