/** Pictures, files and recordings of a request → blobs and parts of a user message. Nothing is dropped silently. */
import { createSafeFetch, type SafeFetch } from "@margay/core/internal";
import { RuntimeError, type ContentPart } from "@margay/core";
import { messageOf, toErrorInfo, type MediaPart } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { Problem } from "../../host/api/problem.ts";
import type { Heard } from "../../host/sessions/hear.ts";
import type { Senses } from "./models.ts";
import { failedTurn, refusal } from "./errors.ts";
import type { Piece } from "./messages.ts";

export interface StoreOptions {
  readonly app: App;
  readonly senses: Senses;
  /** What is said in a recording. @throws as `hear` does. */
  readonly hear: (bytes: Uint8Array, signal: AbortSignal) => Promise<Heard>;
  readonly signal: AbortSignal;
}

/** @throws Problem `unsupported_content`, `invalid_image`. */
export async function storePieces(pieces: readonly Piece[], options: StoreOptions): Promise<readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  for (const piece of pieces) {
    const part = await storePiece(piece, options);
    if (part.type !== "text" || part.text !== "") parts.push(part);
  }
  return parts;
}

function storePiece(piece: Piece, options: StoreOptions): Promise<ContentPart> | ContentPart {
  switch (piece.type) {
    case "text":
      return { type: "text", text: piece.text };
    case "image":
      return storeImage(piece, options);
    case "file":
      return storeFile(piece, options);
    case "audio":
      return textOfAudio(piece, options);
  }
}

async function storeImage(
  { url, param }: Extract<Piece, { type: "image" }>,
  { app, senses, signal }: StoreOptions,
): Promise<MediaPart> {
  if (!senses.images)
    throw refusal("unsupported_content", param, "This model cannot look at pictures.", "Choose another one.");
  const bytes = url.startsWith("data:") ? dataOf(url, param) : await download(url, param, app, signal);
  const mediaType = imageType(bytes);
  if (mediaType === undefined) throw refusal("invalid_image", param, "The picture is none of PNG, JPEG, GIF and WebP.");
  return { type: "media", mediaType, blob: await app.agent.blobs.put(bytes) };
}

/** Text is shown to the model as it is, under its name; a PDF to those that can read it. */
async function storeFile(
  { data, name, param }: Extract<Piece, { type: "file" }>,
  { app, senses }: StoreOptions,
): Promise<ContentPart> {
  const bytes = data.startsWith("data:") ? dataOf(data, param) : base64(data, param);
  if (Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-") {
    if (!senses.files)
      throw refusal(
        "unsupported_content",
        param,
        "This model cannot read PDF files.",
        "Send the text, or choose another.",
      );
    return { type: "media", mediaType: "application/pdf", name, blob: await app.agent.blobs.put(bytes) };
  }
  const text = textIn(bytes);
  if (text !== undefined) return { type: "text", text: `[file: ${name.replaceAll(/[\n\]]/g, " ")}]\n${text}` };
  throw refusal("unsupported_content", param, `The file ${JSON.stringify(name)} is neither a PDF nor text in UTF-8.`);
}

/** Its words are the message, as if they had been typed by who sent it. */
async function textOfAudio(
  { data, param }: Extract<Piece, { type: "audio" }>,
  { hear, signal }: StoreOptions,
): Promise<ContentPart> {
  const heard = await hear(base64(data, param), signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof RuntimeError ? failedTurn(toErrorInfo(error)) : error;
  });
  switch (heard.status) {
    case "heard":
      return { type: "text", text: heard.text };
    case "unset":
      throw refusal(
        "unsupported_content",
        param,
        "Recordings are not taken here: no model that writes them down is configured.",
        "Send the text.",
      );
    case "unsupported":
      throw refusal(
        "unsupported_content",
        param,
        `The recording is ${heard.mediaType}, none of WAV, MP3, M4A, Ogg, FLAC and WebM.`,
      );
    case "no-budget":
      throw failedTurn({
        code: "budget.exhausted",
        message: "No budget has room for this recording.",
        retryable: false,
      });
  }
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // not UTF-8
  }
}

function dataOf(url: string, param: string): Uint8Array {
  const comma = url.indexOf(",");
  if (comma < 0 || !url.slice(0, comma).endsWith(";base64"))
    throw refusal("invalid_data_url", param, "A data URL must read data:TYPE;base64,DATA.");
  return base64(url.slice(comma + 1), param);
}

function base64(text: string, param: string): Uint8Array {
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
  if (bytes.length === 0) throw refusal("invalid_data_url", param, "The data is not base64, or empty.");
  return bytes;
}

async function download(url: string, param: string, app: App, signal: AbortSignal): Promise<Uint8Array> {
  const invalid = (why: string): Problem =>
    refusal("invalid_image_url", param, `The picture could not be fetched: ${why}.`);
  if (!url.startsWith("https://")) throw invalid("its address is neither an https nor a data URL");
  const fetch: SafeFetch = createSafeFetch({
    clock: app.clock,
    allowHosts: app.inside.loaded().config.tools.webFetch.allowHosts,
  });
  let result: Awaited<ReturnType<SafeFetch>>;
  try {
    result = await fetch(url, { headers: { accept: "image/*" } }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw invalid(messageOf(error).replace(/\.$/, ""));
  }
  if (result.status === "refused") throw invalid("the address is not one that may be asked");
  const { status, body, isCut } = result.response;
  if (status !== 200) throw invalid(`its server answered ${status}`);
  if (isCut) throw invalid("it is larger than 5 MB");
  return body;
}

/** From the bytes: what a name or a header says of them is somebody's word. */
function imageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\u0089PNG\r\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.slice(8) === "WEBP" ? "image/webp" : undefined;
}
