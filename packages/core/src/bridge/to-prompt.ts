// Rows in legal order → the AI SDK's prompt.
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelRequest } from "../contract/provider.ts";
import type { Quirks } from "../model/quirks.ts";
import { createMediaReader, readMedia, type MediaLookup } from "../model/wire/media.ts";
import {
  sentObject,
  sentText,
  type AnswerPiece,
  type Piece,
  type Reader,
  type ResultPieces,
  type State,
} from "../model/wire/pieces.ts";
import { createRows, markedRows, type Row } from "../model/wire/rows.ts";

/** Anthropic's `cache_control`: at most four, the fourth is at the end of the tools. */
export const BREAKPOINT: SharedV4ProviderOptions = {
  anthropic: { cacheControl: { type: "ephemeral" } },
  openaiCompatible: { cache_control: { type: "ephemeral" } },
};

/** Rows of earlier requests are remembered; an adapter converts all of them again. */
export function promptBuilder(reader: Reader): (request: ModelRequest) => Promise<LanguageModelV4Prompt> {
  const { quirks } = reader;
  const rows = createRows(reader);
  const read = createMediaReader(quirks);
  return async ({ prefix, messages, media: bytes }) => {
    const segments = rows(messages);
    const media = await readMedia(
      segments.flatMap((segment) => segment.media),
      read(bytes),
    );
    const breakpoints = quirks.cacheControl === "blocks";
    const { marks } = markedRows(segments, breakpoints);
    const prompt: LanguageModelV4Message[] = segments
      .flatMap((segment) => segment.rows)
      .map((row) => ({ ...message(row, quirks, media), ...(marks.has(row) && { providerOptions: BREAKPOINT }) }));
    const system = prefix.system.toWellFormed();
    if (system === "") return prompt;
    return [{ role: "system", content: system, ...(breakpoints && { providerOptions: BREAKPOINT }) }, ...prompt];
  };
}

function message(row: Row, quirks: Required<Quirks>, media: MediaLookup): LanguageModelV4Message {
  switch (row.role) {
    case "user":
      return { role: "user", content: contentOf(row.pieces, media) };
    case "assistant":
      return { role: "assistant", content: row.pieces.map((piece) => answerPart(piece, quirks)) };
    case "tool":
      return { role: "tool", content: row.results.map((result) => resultPart(result, quirks, media)) };
  }
}

function contentOf(
  pieces: readonly Piece[],
  media: MediaLookup,
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  return pieces.map((piece) => {
    const read = piece.type === "media" ? media(piece) : piece;
    if (read.type === "text") return { type: "text", text: read.text };
    const { mediaType, data, name } = read;
    return { type: "file", mediaType, data: { type: "data", data }, ...(name !== undefined && { filename: name }) };
  });
}

type AnswerPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

function answerPart(piece: AnswerPiece, quirks: Required<Quirks>): AnswerPart {
  if (piece.type === "text") return { type: "text", text: piece.text };
  const state = optionsOf(piece.state);
  if (piece.type === "thinking") return { type: "reasoning", text: piece.text, ...state };
  const { id: toolCallId, name: toolName, part } = piece;
  return { type: "tool-call", toolCallId, toolName, input: inputOf(part, quirks), ...state };
}

/** A string that is JSON passes through the adapters as it is; broken text would be quoted, so it is an empty object. */
function inputOf(part: Extract<AnswerPiece, { type: "call" }>["part"], quirks: Required<Quirks>): unknown {
  const textWire = quirks.wire === "openai-chat" || quirks.wire === "openai-responses";
  return textWire && part.inputText !== undefined && part.inputText.trim() !== ""
    ? sentText(part, { ...quirks, brokenArguments: "object" })
    : sentObject(part);
}

function optionsOf(state: State | undefined): { readonly providerOptions?: SharedV4ProviderOptions } {
  // Of the same shape; its lists are never changed.
  return state === undefined ? {} : { providerOptions: state as SharedV4ProviderOptions };
}

function resultPart(
  { id, name, content, failed }: ResultPieces,
  quirks: Required<Quirks>,
  media: MediaLookup,
): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: id,
    toolName: name,
    // The chat API's tool messages name their tool; the adapter has no word for it and passes on what stands here.
    ...(quirks.wire === "openai-chat" && { providerOptions: { openaiCompatible: { name } } }),
    output:
      typeof content !== "string"
        ? { type: "content", value: contentOf(content, media) }
        : // Only Anthropic has a flag for errors; the other adapters would wrap the text in JSON of their own.
          { type: failed && quirks.wire === "anthropic" ? "error-text" : "text", value: content },
  };
}
