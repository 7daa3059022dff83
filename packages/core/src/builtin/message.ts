// `message`: sends to a chat through the outbox, once per call however often it runs.
import { extname } from "node:path";
import type { ToolSend, ToolSent } from "../contract/agent.ts";
import type { BlobRef, ContentPart, MediaPart } from "../contract/message.ts";
import type { Readers } from "../contract/people.ts";
import type { BlobStore } from "../contract/services.ts";
import type { Tool, ToolContext, ToolResult } from "../contract/tool.ts";
import type { FoundFile, SafeFiles } from "../machine/files/safe-files.ts";
import { defineTool, parameterError, toolError } from "../tools/define.ts";
import { addressText, messageTo } from "../lib/session-key.ts";
import { detect, HEAD_BYTES } from "../lib/paths/file-type.ts";
import type { FileLabels } from "../labels/file-labels.ts";
import { readersIn } from "./files/file-tools.ts";
import { orRefused } from "./files/refused.ts";

/** What chat platforms take at most, in general. */
const MAX_MEDIA_BYTES = 25 * 1024 * 1024;

export interface MessageOptions {
  /** Queues durably, and does nothing when the reply is known. Whether another chat is allowed was the policy's question. */
  readonly send: (request: ToolSend) => Promise<ToolSent>;
  /** Media paths follow the rules of the file tools. */
  readonly files: SafeFiles;
  readonly blobs: BlobStore;
  /** Who may read which file. Without it whoever reads the conversation. */
  readonly labels?: Pick<FileLabels, "readers">;
}

interface MessageInput {
  readonly content: string;
  readonly channel?: string;
  readonly chat_id?: string;
  readonly media?: readonly string[];
}

export function messageTool(options: MessageOptions): Tool {
  return defineTool<MessageInput>({
    name: "message",
    description:
      "Sends to a chat now, by default this one. Not for the answer here: what you write last is sent by itself. It is queued, not yet read.",
    input: {
      properties: {
        content: { type: "string" },
        channel: { type: "string" },
        chat_id: { type: "string" },
        media: { type: "array", items: { type: "string" }, maxItems: 10, description: "File paths." },
      },
      required: ["content"],
    },
    effect: "idempotent",
    execute: (input, context) => orRefused(() => send(input, options, context)),
  });
}

async function send(input: MessageInput, options: MessageOptions, context: ToolContext): Promise<ToolResult> {
  const { channel, chat_id: id } = input;
  if (id === undefined && channel !== undefined && channel !== context.origin.channel)
    return parameterError("chat_id is required with another channel");
  const to = messageTo(input, context.origin);
  const media: MediaPart[] = [];
  const readers: Readers[] = [];
  for (const path of input.media ?? []) {
    const part = await attach(path, options, readers);
    if (part.type !== "media") return part.refusal;
    media.push(part);
  }
  const text: readonly ContentPart[] = input.content.trim() === "" ? [] : [{ type: "text", text: input.content }];
  if (text.length + media.length === 0) return parameterError("content is empty");
  const sent = await options.send({
    session: context.sessionId,
    call: context.callId,
    reply: `${context.sessionId}-${context.callId}`,
    origin: context.origin,
    to,
    parts: [...text, ...media],
    readers,
  });
  if (sent === "too-many") return toolError("10 messages were sent in this turn", "say the rest in your answer");
  if (sent === "asked") return "Not sent; its owner was asked. If they let it go it arrives there by itself.";
  if (sent === "withheld") return toolError("it belongs to somebody else", "its owner must do it");
  return sent === "queued"
    ? `Queued for ${addressText(to)}.`
    : toolError(`no chat ${addressText(to)}`, "use a chat that has written to you");
}

type Attached = MediaPart | { readonly type: "refused"; readonly refusal: ToolResult };

/** @param readers gets who may read it. */
async function attach(path: string, options: MessageOptions, readers: Readers[]): Promise<Attached> {
  using file = await options.files.read(path);
  const bytes = Number(file.stats.size);
  if (bytes > MAX_MEDIA_BYTES) {
    return { type: "refused", refusal: toolError(`${path} is larger than 25 MB`, "send a smaller file") };
  }
  const { blob, head } = await stored(file, bytes, options.blobs);
  // Asked of what leaves: in the file something else may stand by now.
  const content = { hash: blob.sha256, bytes: () => options.blobs.read(blob) };
  readers.push(...(await readersIn(file.real, content, options.labels)));
  const name = file.real.slice(file.real.lastIndexOf("/") + 1);
  return { type: "media", mediaType: mediaTypeOf(head, name), blob, name };
}

/** As it is when it is opened, or what is left of it: it may grow, or become shorter, while it is read. @returns its beginning too */
async function stored(
  file: FoundFile,
  bytes: number,
  blobs: BlobStore,
): Promise<{ readonly blob: BlobRef; readonly head: Buffer }> {
  let head = Buffer.alloc(0);
  const seen: FoundFile["read"] = async (memory, position) => {
    const count = await file.read(memory, position);
    if (position === 0) head = Buffer.from(memory.subarray(0, Math.min(count, HEAD_BYTES)));
    return count;
  };
  if (blobs.putFile !== undefined) return { blob: await blobs.putFile({ read: seen }, bytes), head };
  const data = Buffer.allocUnsafe(bytes);
  return { blob: await blobs.put(data.subarray(0, await seen(data, 0))), head };
}

/** By content for pictures; the name only for what channels show in a player. */
function mediaTypeOf(head: Buffer, name: string): string {
  const found = detect(head);
  if (found?.image !== undefined) return found.image;
  const named = BY_EXTENSION[extname(name).toLowerCase()];
  return named ?? (found === undefined ? "text/plain" : "application/octet-stream");
}

const BY_EXTENSION: Readonly<Record<string, string>> = {
  ".pdf": "application/pdf",
  ".zip": "application/zip",
  ".json": "application/json",
  ".csv": "text/csv",
  ".html": "text/html",
  ".md": "text/markdown",
  ".mp3": "audio/mpeg",
  ".ogg": "audio/ogg",
  ".wav": "audio/wav",
  ".m4a": "audio/mp4",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
};
