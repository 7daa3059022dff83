// The seeds' ContextBuilder: pure views for embedders that assemble chat messages themselves. The loop uses createContext.
import type { JsonObject } from "../contract/base.ts";
import type { MediaOrder } from "../context/media.ts";
import { attachmentLine } from "../context/media.ts";
import { isImage, plainName, sniff } from "../lib/files/media-type.ts";
import { runtimeContext } from "../context/notices.ts";
import { toBase64 } from "../lib/base64.ts";
import type { ZonedTime } from "../lib/zoned-time.ts";

export type ChatBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };
export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}
/** OpenAI chat form, as transcripts and the seeds have it. */
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ChatBlock[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly ChatToolCall[];
      readonly reasoning_content?: string;
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly name: string; readonly content: string };

export interface SeedContextOptions {
  /** The frozen system prompt: `freeze` of a new session. */
  readonly systemPrompt: () => Promise<string>;
  readonly now: () => ZonedTime;
  readonly mediaOrder: MediaOrder;
  /** Content of a media file; undefined or a throw: a line of text takes its place. */
  readonly readBytes: (path: string) => Promise<Uint8Array | undefined>;
}
export interface BuildMessages {
  readonly history: readonly ChatMessage[];
  readonly currentMessage: string;
  readonly media?: readonly string[];
  readonly channel?: string;
  readonly chatId?: string;
}
/** Every method returns new values and leaves its arguments alone. */
export interface SeedContextBuilder {
  buildSystemPrompt(): Promise<string>;
  /** System, history, runtime context, current message. */
  buildMessages(input: BuildMessages): Promise<readonly ChatMessage[]>;
  addToolResult(
    messages: readonly ChatMessage[],
    toolCallId: string,
    name: string,
    result: string,
  ): readonly ChatMessage[];
  addAssistantMessage(
    messages: readonly ChatMessage[],
    content: string | null,
    toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: JsonObject | string }[],
    reasoning?: string,
  ): readonly ChatMessage[];
}

export function createSeedContextBuilder(options: SeedContextOptions): SeedContextBuilder {
  return {
    buildSystemPrompt: options.systemPrompt,
    buildMessages: async ({ history, currentMessage, media = [], channel = "cli", chatId = "direct" }) => [
      { role: "system", content: await options.systemPrompt() },
      ...history,
      { role: "user", content: runtimeContext(options.now(), { channel, chat: chatId }) },
      { role: "user", content: await userContent(currentMessage, media, options) },
    ],
    addToolResult: (messages, toolCallId, name, result) => [
      ...messages,
      { role: "tool", tool_call_id: toolCallId, name, content: result },
    ],
    addAssistantMessage: (messages, content, toolCalls = [], reasoning) => [
      ...messages,
      {
        role: "assistant",
        content,
        ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(chatCall) }),
        ...(reasoning !== undefined && { reasoning_content: reasoning }),
      },
    ],
  };
}

function chatCall(call: {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
}): ChatToolCall {
  const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
  return { id: call.id, type: "function", function: { name: call.name, arguments: text } };
}

async function userContent(
  text: string,
  media: readonly string[],
  options: SeedContextOptions,
): Promise<string | readonly ChatBlock[]> {
  if (media.length === 0) return text;
  const blocks = await Promise.all(media.map((path) => mediaBlock(path, options)));
  const own: readonly ChatBlock[] = text === "" ? [] : [{ type: "text", text }];
  return options.mediaOrder === "media-first" ? [...blocks, ...own] : [...own, ...blocks];
}

async function mediaBlock(path: string, options: SeedContextOptions): Promise<ChatBlock> {
  const bytes = await options.readBytes(path).catch(() => undefined); // a refused file is said in text, like a missing one
  if (bytes === undefined) return { type: "text", text: `[attachment missing: ${plainName(path)}]` };
  const mediaType = sniff(bytes);
  if (!isImage(mediaType))
    return { type: "text", text: attachmentLine(plainName(path), mediaType, bytes.length, path) };
  return { type: "image_url", image_url: { url: `data:${mediaType};base64,${toBase64(bytes)}` } };
}
