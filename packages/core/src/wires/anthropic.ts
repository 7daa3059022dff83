// Requests of Anthropic Messages.
import type { ModelRequest, ToolSpec } from "../contract/provider.ts";
import { claudeModel, claudeThinking, type ClaudeModel, type ClaudeThinking } from "./anthropic-models.ts";
import { readAnthropic } from "./anthropic-reader.ts";
import type { MediaLookup, MediaPiece } from "../model/wire/media.ts";
import { sentObject, type AnswerPiece, type Piece, type ResultPieces } from "../model/wire/pieces.ts";
import { joinRows, type Marked, type Row } from "../model/wire/rows.ts";
import { members, type Encoding, type Wire } from "../model/wire/wire.ts";

export const anthropicWire: Wire = {
  kind: "anthropic",
  path: () => "/messages",
  auth: (key) => ({ "x-api-key": key ?? "none" }),
  headers: ({ model }) => ({
    "anthropic-version": "2023-06-01",
    ...(claudeModel(model)?.bound === true && { "anthropic-beta": "thinking-binding-controls-2026-08-01" }),
  }),
  encode,
  decode: readAnthropic,
};

const CACHE = { cache_control: { type: "ephemeral" } } as const;

function encode(encoding: Encoding): string {
  const { request, quirks, segments, media } = encoding;
  const { model, prefix } = request;
  const claude = claudeModel(model);
  const thinking = claudeThinking(request.sampling.thinking, model, claude);
  const breakpoints = quirks.cacheControl === "blocks";
  const head = members({ model, ...limits(request, claude, thinking) });
  const text = prefix.system.toWellFormed();
  const system = text === "" ? "" : `,${members({ system: [{ type: "text", text, ...(breakpoints && CACHE) }] })}`;
  const rows = joinRows(segments, (group, at) => messages(group, at, media), { breakpoints });
  return `{${head}${system},"messages":[${rows}]${toolFields(encoding, claude, thinking)},"stream":true}`;
}

/** How much, how random, how much thought. */
function limits(
  { sampling }: ModelRequest,
  claude: ClaudeModel | undefined,
  { thinking, effort }: ClaudeThinking,
): object {
  const thinks = thinking?.type !== undefined && thinking.type !== "disabled";
  const most = sampling.maxOutputTokens + (thinking?.budget_tokens ?? 0);
  const { temperature } = sampling;
  return {
    max_tokens: claude?.maxOutput === undefined ? most : Math.min(most, claude.maxOutput),
    ...(temperature !== undefined &&
      claude?.temperature !== false &&
      !thinks && { temperature: Math.min(1, Math.max(0, temperature)) }),
    thinking,
    ...(effort !== undefined && { output_config: { effort } }),
  };
}

function toolFields(
  { request, quirks, tool }: Encoding,
  claude: ClaudeModel | undefined,
  thinking: ClaudeThinking,
): string {
  const { prefix, model } = request;
  if (prefix.tools.length === 0) return "";
  const choice = request.sampling.toolChoice;
  const forced = typeof choice === "object" || choice === "required";
  // Some may not be forced, and none while it thinks a number of tokens: one tool alone is as much as can be said.
  const refused = forced && (claude?.forced === false || thinking.thinking?.type === "enabled");
  const offered =
    refused && typeof choice === "object" ? prefix.tools.filter(({ name }) => name === choice.name) : prefix.tools;
  // A field of Anthropic's own; those who imitate the API may reject what they do not know.
  const eager = model.startsWith("claude-");
  const tools = offered.map((spec) => tool(spec, (one) => toolOf(one, eager)));
  const last = tools.length - 1;
  if (quirks.cacheControl === "blocks" && offered.at(-1) === prefix.tools.at(-1) && last >= 0)
    tools[last] = `${tools[last]?.slice(0, -1)},${members(CACHE)}}`;
  const named = refused ? "auto" : typeof choice === "object" ? "tool" : choice === "required" ? "any" : choice;
  const name = named === "tool" && typeof choice === "object" ? { name: choice.name } : {};
  return `,"tools":[${tools.join(",")}],"tool_choice":${JSON.stringify({ type: named, ...name })}`;
}

function toolOf({ name, description, inputSchema }: ToolSpec, eager: boolean): object {
  return {
    name,
    description: description.toWellFormed(),
    input_schema: inputSchema,
    ...(eager && { eager_input_streaming: true }),
  };
}

/** Rows of one side are one message. */
function messages(rows: readonly Row[], at: Marked, media: MediaLookup): string {
  const made: string[] = [];
  let side: "user" | "assistant" | undefined;
  let blocks: object[] = [];
  const close = (): void => {
    const content = side === "assistant" ? callsLast(blocks) : blocks;
    if (content.length > 0) made.push(JSON.stringify({ role: side, content }));
    blocks = [];
  };
  for (const row of rows) {
    const next = row.role === "assistant" ? "assistant" : "user";
    if (next !== side) close();
    side = next;
    const marked = at.marks.has(row);
    if (row.role === "assistant") blocks.push(...answerBlocks(row.pieces, marked, row === at.last));
    else if (row.role === "user")
      blocks.push(
        ...withMark(
          row.pieces.map((piece) => block(piece, media)),
          marked,
        ),
      );
    else
      blocks.push(
        ...withMark(
          row.results.map((result) => resultBlock(result, media)),
          marked,
        ),
      );
  }
  close();
  return made.join(",");
}

function withMark(blocks: readonly object[], marked: boolean): readonly object[] {
  return marked ? blocks.map((one, at) => (at === blocks.length - 1 ? { ...one, ...CACHE } : one)) : blocks;
}

function block(piece: Piece, media: MediaLookup): object {
  const read = piece.type === "media" ? media(piece) : piece;
  return { ...readBlock(read), ...(read.type === "file" && !isImage(read) && { title: read.name }) };
}

function readBlock(read: MediaPiece): object {
  if (read.type === "text") return { type: "text", text: read.text };
  const source = { type: "base64", media_type: read.mediaType, data: read.data };
  return { type: isImage(read) ? "image" : "document", source };
}

function isImage(read: MediaPiece): boolean {
  return read.type === "file" && read.mediaType.startsWith("image/");
}

function resultBlock({ id, content, failed }: ResultPieces, media: MediaLookup): object {
  return {
    type: "tool_result",
    tool_use_id: id,
    content:
      typeof content === "string"
        ? content
        : content.map((piece) => readBlock(piece.type === "media" ? media(piece) : piece)),
    ...(failed && { is_error: true }),
  };
}

/** @param last The conversation ends with it: the model goes on where it stopped, and no blank may be there. */
function answerBlocks(pieces: readonly AnswerPiece[], marked: boolean, last: boolean): readonly object[] {
  return pieces.flatMap((piece, at): object[] => {
    const end = at === pieces.length - 1;
    const mark = marked && end ? CACHE : {};
    if (piece.type === "text") return [{ type: "text", text: last && end ? piece.text.trim() : piece.text, ...mark }];
    if (piece.type === "call")
      return [{ type: "tool_use", id: piece.id, name: piece.name, input: sentObject(piece.part), ...mark }];
    const { signature, redactedData } = piece.state?.["anthropic"] ?? {};
    if (typeof signature === "string") return [{ type: "thinking", thinking: piece.text, signature }];
    return typeof redactedData === "string" ? [{ type: "redacted_thinking", data: redactedData }] : [];
  });
}

/** Calls stand behind the text that belongs to them, up to the next reasoning. */
function callsLast(blocks: readonly object[]): readonly object[] {
  const typeOf = (one: object): unknown => ("type" in one ? one.type : undefined);
  const sorted: object[] = [];
  let calls: object[] = [];
  for (const one of blocks) {
    if (typeOf(one) === "tool_use") {
      calls.push(one);
      continue;
    }
    if (typeOf(one) !== "text") {
      sorted.push(...calls);
      calls = [];
    }
    sorted.push(one);
  }
  return [...sorted, ...calls];
}
