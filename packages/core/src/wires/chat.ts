// Requests of OpenAI Chat Completions, with what the vendors that imitate it want otherwise.
import type { Sampling, ToolSpec } from "../contract/provider.ts";
import type { Quirks } from "../model/quirks.ts";
import { readChat } from "./chat-reader.ts";
import type { MediaLookup, MediaPiece } from "../model/wire/media.ts";
import { sentText, type AnswerPiece, type Piece, type ResultPieces } from "../model/wire/pieces.ts";
import { joinRows, type Marked, type Row } from "../model/wire/rows.ts";
import { members, type Encoding, type Wire } from "../model/wire/wire.ts";

export const chatWire: Wire = {
  kind: "openai-chat",
  path: () => "/chat/completions",
  auth: (key) => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  encode,
  decode: readChat,
};

/** Anthropic's, through routers. */
const CACHE = { cache_control: { type: "ephemeral" } } as const;

function encode(encoding: Encoding): string {
  const { request, quirks, segments } = encoding;
  const { model, prefix, sampling } = request;
  const blocks = quirks.cacheControl === "blocks";
  const head = members({
    model,
    [quirks.maxTokensField]: sampling.maxOutputTokens,
    temperature: sampling.temperature,
    ...(quirks.cacheKey === "prompt_cache_key" && { prompt_cache_key: request.cacheKey }),
    ...thinkingFields(sampling.thinking, quirks.thinking),
  });
  const [first, tools] = encoding.ofPrefix(({ system, tools: offered }) => [
    systemText(system.toWellFormed(), blocks),
    toolsText(offered, encoding, blocks),
  ]);
  const rows = joinRows(segments, (group, at) => group.map((row) => rowText(row, at, encoding)).join(","), {
    breakpoints: blocks,
  });
  const choice = prefix.tools.length === 0 ? "" : `,"tool_choice":${JSON.stringify(choiceOf(sampling.toolChoice))}`;
  return `{${head},"messages":[${first}${rows}]${tools}${choice},"stream":true,"stream_options":{"include_usage":true}}`;
}

function thinkingFields(thinking: Sampling["thinking"], style: Required<Quirks>["thinking"]): object {
  const on = thinking !== "off";
  switch (style) {
    case "none":
      return {};
    case "effort":
      return on ? { reasoning_effort: thinking } : {};
    case "reasoning-object":
      return on ? { reasoning: { effort: thinking } } : {};
    case "thinking-type":
      return { thinking: { type: on ? "enabled" : "disabled" } };
    case "enable-thinking":
      return { enable_thinking: on };
  }
}

function systemText(system: string, blocks: boolean): string {
  return system === "" ? "" : `${JSON.stringify({ role: "system", content: blocks ? [text(system, true)] : system })},`;
}

function toolsText(offered: readonly ToolSpec[], encoding: Encoding, blocks: boolean): string {
  if (offered.length === 0) return "";
  const tools = offered.map((tool) => encoding.tool(tool, toolOf));
  const last = tools.length - 1;
  if (blocks) tools[last] = `${tools[last]?.slice(0, -1)},${members(CACHE)}}`;
  return `,"tools":[${tools.join(",")}]`;
}

function choiceOf(choice: Sampling["toolChoice"]): string | object {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

function toolOf({ name, description, inputSchema }: ToolSpec): object {
  return { type: "function", function: { name, description: description.toWellFormed(), parameters: inputSchema } };
}

function rowText(row: Row, { marks }: Marked, { quirks, media }: Encoding): string {
  const blocks = quirks.cacheControl === "blocks";
  switch (row.role) {
    case "user":
      return JSON.stringify({ role: "user", content: userContent(row.pieces, media, blocks, marks.has(row)) });
    case "assistant":
      return JSON.stringify(answerRow(row.pieces, quirks, marks.has(row)));
    case "tool":
      return row.results.map((result) => JSON.stringify(resultRow(result, media, blocks))).join(",");
  }
}

/** With breakpoints content is always parts, so that one that moves on changes no other byte. */
function userContent(pieces: readonly Piece[], media: MediaLookup, blocks: boolean, marked: boolean): unknown {
  const first = pieces[0]?.type === "media" ? media(pieces[0]) : pieces[0];
  if (pieces.length === 1 && first?.type === "text") return blocks ? [text(first.text, false)] : first.text;
  return parts(pieces, media, marked);
}

function parts(pieces: readonly Piece[], media: MediaLookup, marked: boolean): readonly object[] {
  return pieces.map((piece, at) => {
    const part = partOf(piece.type === "media" ? media(piece) : piece);
    return marked && at === pieces.length - 1 ? { ...part, ...CACHE } : part;
  });
}

function partOf(piece: MediaPiece): object {
  if (piece.type === "text") return text(piece.text, false);
  const url = `data:${piece.mediaType};base64,${piece.data}`;
  return piece.mediaType.startsWith("image/")
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { filename: piece.name ?? "document.pdf", file_data: url } };
}

function text(words: string, marked: boolean): object {
  return { type: "text", text: words, ...(marked && CACHE) };
}

function answerRow(pieces: readonly AnswerPiece[], quirks: Required<Quirks>, marked: boolean): object {
  let content = "";
  let reasoning = "";
  const calls: object[] = [];
  for (const piece of pieces) {
    if (piece.type === "text") content += piece.text;
    else if (piece.type === "thinking") reasoning += piece.text;
    else calls.push(callOf(piece, quirks));
  }
  const called = calls.length > 0;
  const words = quirks.cacheControl === "blocks" && content !== "" ? [text(content, marked)] : content;
  return {
    role: "assistant",
    content: called && content === "" ? null : words,
    ...((reasoning !== "" || (called && quirks.echoReasoning)) && { reasoning_content: reasoning }),
    ...(called && { tool_calls: calls }),
  };
}

function callOf({ id, name, part, state }: Extract<AnswerPiece, { type: "call" }>, quirks: Required<Quirks>): object {
  const signature = state?.["openaiCompatible"]?.["thoughtSignature"] ?? state?.["google"]?.["thoughtSignature"];
  return {
    id,
    type: "function",
    function: { name, arguments: sentText(part, quirks) },
    ...(typeof signature === "string" && { extra_content: { google: { thought_signature: signature } } }),
  };
}

function resultRow({ id, name, content }: ResultPieces, media: MediaLookup, blocks: boolean): object {
  const words =
    typeof content !== "string"
      ? parts(content, media, false)
      : blocks && content !== ""
        ? [text(content, false)]
        : content;
  return { role: "tool", tool_call_id: id, content: words, name };
}
