// Requests of OpenAI Responses. Stateless: nothing is stored there, and encrypted reasoning is returned with the history.
import type { ModelRequest, ToolSpec } from "../contract/provider.ts";
import type { Quirks } from "../model/quirks.ts";
import type { MediaLookup, MediaPiece } from "../model/wire/media.ts";
import { openAiSchema } from "./openai-schema.ts";
import { sentText, type AnswerPiece, type Piece, type ResultPieces } from "../model/wire/pieces.ts";
import { readResponses } from "./responses-reader.ts";
import { joinRows, type Row } from "../model/wire/rows.ts";
import { members, type Encoding, type Wire } from "../model/wire/wire.ts";

export const responsesWire: Wire = {
  kind: "openai-responses",
  path: () => "/responses",
  auth: (key) => ({ authorization: `Bearer ${key ?? "none"}` }),
  encode,
  decode: readResponses,
};

function encode(encoding: Encoding): string {
  const { request, quirks, segments, media } = encoding;
  const { model, prefix, sampling } = request;
  const reasons = isReasoning(model);
  const thinks = reasons && sampling.thinking !== "off";
  const head = members({
    model,
    // Models that reason take none.
    ...(!reasons && { temperature: sampling.temperature }),
    max_output_tokens: sampling.maxOutputTokens,
    store: false,
    ...(reasons && { include: ["reasoning.encrypted_content"] }),
    ...(quirks.cacheKey === "prompt_cache_key" && { prompt_cache_key: request.cacheKey }),
    ...(thinks && { reasoning: { effort: sampling.thinking, summary: "auto" } }),
  });
  const content = prefix.system.toWellFormed();
  const system = content === "" ? "" : `${JSON.stringify({ role: reasons ? "developer" : "system", content })},`;
  const rows = joinRows(segments, (group) => group.flatMap((row) => items(row, quirks, media)).join(","));
  return `{${head},"input":[${system}${rows}]${toolFields(encoding, request)},"stream":true}`;
}

/** `o3`, `gpt-5.1`, but for those made to chat. */
function isReasoning(model: string): boolean {
  if (/^o\d+(?:-|$)/.test(model)) return true;
  const [, major, minor, variant] = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(model) ?? [];
  return Number(major) >= 5 && !(minor === undefined && variant?.startsWith("chat") === true);
}

function toolFields({ tool }: Encoding, { prefix, sampling }: ModelRequest): string {
  if (prefix.tools.length === 0) return "";
  const tools = prefix.tools.map((spec) => tool(spec, toolOf));
  const choice = sampling.toolChoice;
  const named = typeof choice === "string" ? choice : { type: "function", name: choice.name };
  return `,"tools":[${tools.join(",")}],"tool_choice":${JSON.stringify(named)}`;
}

function toolOf({ name, description, inputSchema }: ToolSpec): object {
  return {
    type: "function",
    name,
    description: description.toWellFormed(),
    parameters: openAiSchema(inputSchema),
    strict: false,
  };
}

function items(row: Row, quirks: Required<Quirks>, media: MediaLookup): readonly string[] {
  switch (row.role) {
    case "user":
      return [JSON.stringify({ role: "user", content: inputs(row.pieces, media, (at) => `part-${at}.pdf`) })];
    case "assistant":
      return answerItems(row.pieces, quirks).map((item) => JSON.stringify(item));
    case "tool":
      return row.results.map((result) => JSON.stringify(resultItem(result, media)));
  }
}

function inputs(pieces: readonly Piece[], media: MediaLookup, nameOf: (at: number) => string): readonly object[] {
  return pieces.map((piece, at) => input(piece.type === "media" ? media(piece) : piece, nameOf(at)));
}

function input(piece: MediaPiece, name: string): object {
  if (piece.type === "text") return { type: "input_text", text: piece.text };
  const url = `data:${piece.mediaType};base64,${piece.data}`;
  return piece.mediaType.startsWith("image/")
    ? { type: "input_image", image_url: url }
    : { type: "input_file", filename: piece.name ?? name, file_data: url };
}

function resultItem({ id, content }: ResultPieces, media: MediaLookup): object {
  const output = typeof content === "string" ? content : inputs(content, media, () => "data");
  return { type: "function_call_output", call_id: id, output };
}

interface ReasoningItem {
  readonly type: "reasoning";
  readonly id?: string;
  encrypted_content: string | undefined;
  readonly summary: { readonly type: "summary_text"; readonly text: string }[];
}

/** An item of reasoning for all the texts that came of it; it is sent when its encrypted content is known. */
function answerItems(pieces: readonly AnswerPiece[], quirks: Required<Quirks>): readonly object[] {
  const items: (object | ReasoningItem)[] = [];
  const byId = new Map<string, ReasoningItem>();
  for (const piece of pieces) {
    if (piece.type === "text") items.push({ role: "assistant", content: piece.text });
    else if (piece.type === "call")
      items.push({
        type: "function_call",
        call_id: piece.id,
        name: piece.name,
        arguments: sentText(piece.part, quirks),
      });
    else {
      const { itemId, reasoningEncryptedContent: encrypted } = piece.state?.["openai"] ?? piece.state?.["azure"] ?? {};
      const id = typeof itemId === "string" ? itemId : undefined;
      let item = id === undefined ? undefined : byId.get(id);
      if (item === undefined) {
        item = { type: "reasoning", ...(id !== undefined && { id }), encrypted_content: undefined, summary: [] };
        if (id !== undefined) byId.set(id, item);
        items.push(item);
      }
      if (piece.text !== "") item.summary.push({ type: "summary_text", text: piece.text });
      if (typeof encrypted === "string") item.encrypted_content = encrypted;
    }
  }
  return items.filter((item) => !("encrypted_content" in item) || item.encrypted_content !== undefined);
}
