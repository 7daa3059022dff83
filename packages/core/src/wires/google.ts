// Requests of Gemini generateContent.
import type { ModelRequest, Sampling, ToolSpec } from "../contract/provider.ts";
import { readGoogle } from "./google-reader.ts";
import type { FilePiece, MediaLookup } from "../model/wire/media.ts";
import { sentObject, type AnswerPiece, type Piece, type ResultPieces } from "../model/wire/pieces.ts";
import { joinRows, type Row } from "../model/wire/rows.ts";
import { members, type Encoding, type Wire } from "../model/wire/wire.ts";

export const googleWire: Wire = {
  kind: "google",
  path: (model) => `/${model.includes("/") ? model : `models/${model}`}:streamGenerateContent?alt=sse`,
  auth: (key) => ({ "x-goog-api-key": key ?? "none" }),
  encode,
  decode: readGoogle,
};

function encode(encoding: Encoding): string {
  const { request, segments, media } = encoding;
  const { model, prefix, sampling } = request;
  const thinkingConfig = thinkingOf(sampling.thinking, model);
  const head = members({
    generationConfig: {
      maxOutputTokens: sampling.maxOutputTokens,
      temperature: sampling.temperature,
      thinkingConfig,
    },
  });
  const system = prefix.system.toWellFormed();
  // Gemma takes its instructions from the user only.
  const gemma = model.toLowerCase().startsWith("gemma-") && system !== "";
  const later = isLater(model);
  const rows = joinRows(
    segments,
    (group, at) =>
      group
        .map((row) =>
          content(row, { media, later, lead: gemma && row === at.first ? [{ text: `${system}\n\n` }] : [] }),
        )
        .join(","),
    { apart: gemma },
  );
  const instruction = gemma || system === "" ? "" : `,${members({ systemInstruction: { parts: [{ text: system }] } })}`;
  return `{${head}${instruction},"contents":[${rows}]${toolFields(encoding, request)}}`;
}

/** Gemini 3 and what comes after it; a name that we do not know is one of these. */
function isLater(model: string): boolean {
  const earlier = /(^|[/.])gemini-(?:[12](?:[.-]|$)|pro(?:-vision)?$|robotics-er-1\.5(?:[.-]|$))/i;
  return /(^|[/.])gemini-/i.test(model) && !earlier.test(model);
}

/** Which models want a budget and which a level; "off" is the least each of them allows. */
function thinkingOf(thinking: Sampling["thinking"], model: string): object | undefined {
  const off = thinking === "off";
  if (off && !/^gemini-(?:2\.5|3|4|5|flash|pro)/.test(model)) return undefined;
  const amount =
    isLater(model) && !model.includes("gemini-3-pro-image")
      ? { thinkingLevel: off ? leastLevel(model) : thinking }
      : { thinkingBudget: budgetOf(thinking, model) };
  return off ? amount : { ...amount, includeThoughts: true };
}

function leastLevel(model: string): "minimal" | "low" {
  const name = (/(?:^|[/.])(gemini-[^/]*)$/i.exec(model)?.[1] ?? "").toLowerCase();
  if (name === "gemini-flash-latest" || /gemini-4-hydrogen(?:-|$)/.test(name)) return "low";
  if (Number(/^gemini-(\d+)(?:\.\d+)?-pro(?:$|-)/.exec(name)?.[1]) >= 3) return "low";
  const [, major, minor] = /^gemini-(\d+)\.(\d+)-flash(?:$|-(?!lite(?:-|$)))/.exec(name) ?? [];
  return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 7) ? "low" : "minimal";
}

/** Tokens: a share of the 65,536 that an answer may have. */
function budgetOf(thinking: Sampling["thinking"], model: string): number {
  const pro = model.includes("2.5-pro");
  const least = pro ? 128 : 0;
  const most = pro || model.includes("gemini-3-pro-image") ? 32_768 : 24_576;
  const share = { off: 0, low: 0.1, medium: 0.3, high: 0.6 }[thinking];
  return Math.min(most, Math.max(least, Math.round(65_536 * share)));
}

function toolFields({ tool }: Encoding, { prefix, sampling }: ModelRequest): string {
  if (prefix.tools.length === 0) return "";
  const tools = prefix.tools.map((spec) => tool(spec, toolOf));
  const choice = sampling.toolChoice;
  const mode = typeof choice === "object" || choice === "required" ? "ANY" : choice === "none" ? "NONE" : "AUTO";
  const functionCallingConfig = { mode, ...(typeof choice === "object" && { allowedFunctionNames: [choice.name] }) };
  return `,"tools":[{"functionDeclarations":[${tools.join(",")}]}],${members({ toolConfig: { functionCallingConfig } })}`;
}

function toolOf({ name, description, inputSchema }: ToolSpec): object {
  return { name, description: description.toWellFormed(), parametersJsonSchema: inputSchema };
}

interface ContentOptions {
  readonly media: MediaLookup;
  /** Takes files in results, and wants a signature with each call. */
  readonly later: boolean;
  /** Before the row's own parts. */
  readonly lead: readonly object[];
}

function content(row: Row, { media, later, lead }: ContentOptions): string {
  switch (row.role) {
    case "user":
      return JSON.stringify({ role: "user", parts: [...lead, ...row.pieces.map((piece) => part(piece, media))] });
    case "assistant":
      return JSON.stringify({ role: "model", parts: answerParts(row.pieces, later) });
    case "tool":
      return JSON.stringify({
        role: "user",
        parts: row.results.flatMap((result) => resultParts(result, media, later)),
      });
  }
}

function part(piece: Piece, media: MediaLookup): object {
  const read = piece.type === "media" ? media(piece) : piece;
  return read.type === "text" ? { text: read.text } : inline(read);
}

function inline({ mediaType, data }: FilePiece): object {
  return { inlineData: { mimeType: mediaType, data } };
}

/** Documented for calls that have lost their signature (Thought signatures, 2026-11-21). */
const NO_SIGNATURE = "skip_thought_signature_validator";

function answerParts(pieces: readonly AnswerPiece[], later: boolean): readonly object[] {
  const parts: object[] = [];
  let signed = false;
  for (const piece of pieces) {
    const own = piece.type === "text" ? undefined : piece.state?.["google"]?.["thoughtSignature"];
    const thoughtSignature = typeof own === "string" ? own : undefined;
    if (piece.type === "text") parts.push({ text: piece.text });
    else if (piece.type === "thinking") {
      if (piece.text !== "" || thoughtSignature !== undefined)
        parts.push({ text: piece.text, thought: true, thoughtSignature });
    } else {
      const { id, name } = piece;
      // The first of the calls of an answer carries the signature for all of them.
      const given = thoughtSignature ?? (later && !signed ? NO_SIGNATURE : undefined);
      signed ||= thoughtSignature !== undefined;
      parts.push({ functionCall: { id, name, args: sentObject(piece.part) }, thoughtSignature: given });
    }
  }
  return parts;
}

function resultParts({ id, name, content: said }: ResultPieces, media: MediaLookup, later: boolean): readonly object[] {
  const response = (words: string): object => ({ id, name, response: { name, content: words } });
  if (typeof said === "string") return [{ functionResponse: response(said) }];
  const read = said.map((piece) => (piece.type === "media" ? media(piece) : piece));
  if (!later)
    return read.flatMap((piece): object[] =>
      piece.type === "text"
        ? [{ functionResponse: response(piece.text) }]
        : [inline(piece), { text: `Tool executed successfully and returned this ${kindOf(piece)} as a response` }],
    );
  const files = read.flatMap((piece) => (piece.type === "file" ? [inline(piece)] : []));
  const words = read.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n");
  const told = words === "" ? "Tool executed successfully." : words;
  return [{ functionResponse: { ...response(told), ...(files.length > 0 && { parts: files }) } }];
}

function kindOf({ mediaType }: FilePiece): "image" | "file" {
  return mediaType.startsWith("image/") ? "image" : "file";
}
