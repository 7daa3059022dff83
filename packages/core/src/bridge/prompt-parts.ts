// Parts of one message in the AI SDK's form: text made well-formed, media as base64, opaque state for its owner only.
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Json } from "../contract/base.ts";
import type {
  AssistantMessage,
  BlobRef,
  ContentPart,
  MediaPart,
  ToolCallPart,
  ToolMessage,
} from "../contract/message.ts";
import { toBase64 } from "../lib/base64.ts";
import { hasCode } from "../lib/errors/errors.ts";
import { isBroken } from "../model/wire/arguments.ts";
import { asRecord } from "../model/failure-text.ts";
import { rawArguments } from "../model/raw-arguments.ts";
import { wireCallId, wireToolName } from "../model/wire/wire-ids.ts";
import type { Quirks } from "../model/quirks.ts";

export type UserContent = (LanguageModelV4TextPart | LanguageModelV4FilePart)[];
type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** A media part as a file part, or the line that stands for it. */
export type MediaReader = (part: MediaPart) => Promise<LanguageModelV4TextPart | LanguageModelV4FilePart>;

/** Base64 kept beside the history for at most this many characters; older images are read again. */
const MAX_CACHED_CHARS = 16 * 1024 * 1024;

/** @returns Binds the request's way to bytes to a memory of encoded files. */
export function createMediaReader(
  quirks: Required<Quirks>,
): (bytes: (ref: BlobRef) => Promise<Uint8Array>) => MediaReader {
  const encoded = new Map<string, string>();
  let size = 0;
  const base64 = async (part: MediaPart, bytes: (ref: BlobRef) => Promise<Uint8Array>): Promise<string> => {
    const sha = part.blob.sha256;
    const text = encoded.get(sha) ?? toBase64(await bytes(part.blob));
    size += text.length - (encoded.get(sha)?.length ?? 0); // another request may have been faster
    encoded.delete(sha);
    encoded.set(sha, text);
    for (const [oldest, { length }] of encoded) {
      if (size <= MAX_CACHED_CHARS) break;
      encoded.delete(oldest);
      size -= length;
    }
    return text;
  };
  return (bytes) => async (part) => {
    const name = part.name ?? "file";
    const image = part.mediaType.startsWith("image/");
    if (image ? !quirks.images : !(quirks.files && part.mediaType === "application/pdf"))
      return {
        type: "text",
        text: `[attachment: ${name}, ${part.mediaType}, ${part.blob.bytes} bytes; this model cannot take it]`,
      };
    try {
      return {
        type: "file",
        mediaType: part.mediaType,
        data: { type: "data", data: await base64(part, bytes) },
        ...(part.name !== undefined && { filename: part.name }),
      };
    } catch (error) {
      // A lost blob must not fail every later turn of the session.
      if (hasCode(error, "blob.missing")) return { type: "text", text: `[attachment missing: ${name}]` };
      throw error;
    }
  };
}

export async function userContent(parts: readonly ContentPart[], media: MediaReader): Promise<UserContent> {
  const content: UserContent = [];
  for (const part of parts) {
    if (part.type === "media") content.push(await media(part));
    // Anthropic rejects empty text blocks.
    else if (part.text !== "") content.push({ type: "text", text: part.text.toWellFormed() });
  }
  return content.length > 0 ? content : [{ type: "text", text: "(empty message)" }];
}

/** @param reader The provider, model and wire that will read this: only its own reasoning is given back to it. */
export function assistantContent(
  message: AssistantMessage,
  reader: { readonly provider: string; readonly model: string; readonly quirks: Required<Quirks> },
): AssistantContent {
  const { quirks } = reader;
  const content: AssistantContent = [];
  // Newer models reject another model's reasoning even from the same vendor.
  const provider =
    message.model.provider === reader.provider && message.model.model !== reader.model ? undefined : reader.provider;
  for (const part of message.parts) {
    switch (part.type) {
      case "text":
        if (part.text.trim() !== "") content.push({ type: "text", text: part.text.toWellFormed() });
        break;
      case "thinking": {
        const own = ownState(part.opaque, provider);
        // The Responses API stores nothing for us, so an item without its encrypted content cannot be found there.
        if (own !== undefined && (quirks.wire !== "openai-responses" || isEncrypted(own.providerOptions)))
          content.push({ type: "reasoning", text: part.text.toWellFormed(), ...own });
        break;
      }
      case "tool-call":
        content.push({
          type: "tool-call",
          toolCallId: wireCallId(part.callId, quirks.callIds),
          toolName: wireToolName(part.name),
          input: callInput(part, quirks),
          ...ownState(part.opaque, provider),
        });
        break;
    }
  }
  return content;
}

export async function toolResult(
  message: ToolMessage,
  quirks: Required<Quirks>,
  media: MediaReader,
): Promise<LanguageModelV4ToolResultPart> {
  const text = message.parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .toWellFormed();
  const place = {
    type: "tool-result",
    toolCallId: wireCallId(message.callId, quirks.callIds),
    toolName: wireToolName(message.name),
    ...resultName(message.name, quirks),
  } as const;
  if (quirks.toolResultImages && message.parts.some((part) => part.type === "media")) {
    const value = await userContent(message.parts, media);
    return { ...place, output: { type: "content", value } };
  }
  const images = message.parts.filter((part) => part.type === "media").length;
  // Only Anthropic has a flag for errors; the other adapters would wrap the text in JSON of their own.
  const failed = message.status !== "ok" && quirks.wire === "anthropic";
  const shown = images > 0 && text === "" ? `[${images} ${images === 1 ? "image follows" : "images follow"}]` : text;
  return { ...place, output: { type: failed ? "error-text" : "text", value: shown } };
}

/** The chat API's tool messages name their tool; the adapter has no word for it and passes on what stands here. */
export function resultName(
  name: string,
  quirks: Required<Quirks>,
): { readonly providerOptions?: SharedV4ProviderOptions } {
  return quirks.wire === "openai-chat" ? { providerOptions: { openaiCompatible: { name: wireToolName(name) } } } : {};
}

/** The images of a result for a wire that takes them only from the user, with a line that says whose they are. */
export async function mediaParts(message: ToolMessage, media: MediaReader): Promise<UserContent> {
  const parts = message.parts.filter((part) => part.type === "media");
  if (parts.length === 0) return [];
  const content: UserContent = [{ type: "text", text: `[from the result of ${wireToolName(message.name)}]` }];
  for (const part of parts) content.push(await media(part));
  return content;
}

/** Text wires take the model's own text; object wires the parsed object, `{}` for what is none. */
function callInput(part: ToolCallPart, quirks: Required<Quirks>): unknown {
  const textWire = quirks.wire === "openai-chat" || quirks.wire === "openai-responses";
  if (!textWire || part.inputText === undefined) return asRecord(part.input) ?? {};
  if (isBroken({ input: part.input, inputText: part.inputText }))
    return quirks.brokenArguments === "text" ? rawArguments(part.inputText) : {};
  // A string that is JSON passes through the adapters as it is.
  return part.inputText.trim() === "" ? {} : part.inputText.toWellFormed();
}

function ownState(
  opaque: Json | undefined,
  provider: string | undefined,
): { readonly providerOptions?: SharedV4ProviderOptions } | undefined {
  const state = asRecord(opaque);
  if (provider === undefined || state?.["provider"] !== provider) return undefined;
  const metadata = asRecord(state["metadata"]);
  // Written by from-stream.ts from provider metadata, so it has this shape.
  return metadata === undefined ? {} : { providerOptions: metadata as SharedV4ProviderOptions };
}

function isEncrypted(options: SharedV4ProviderOptions | undefined): boolean {
  return Object.values(options ?? {}).some((fields) => typeof fields["reasoningEncryptedContent"] === "string");
}
