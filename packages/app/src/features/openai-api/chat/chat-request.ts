/** The body of `/v1/chat/completions` → what is asked. Nothing that has an effect elsewhere is dropped in silence. */
import type { TurnSampling } from "@margay/core/internal";
import { isRecord } from "@margay/core/internal";
import type { ChatBody, WireContent, WireMessage, WirePart } from "../schema.ts";
import { calledText, type ClientResult } from "../client-tools.ts";
import { refusal, unsupported } from "../errors.ts";
import type { Conversation, Piece, Said } from "../messages.ts";

/** Read by us. */
const USED: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "reasoning_effort",
  "parallel_tool_calls",
  "store",
  "stop",
  "user",
  "session_id",
  "tools",
  "tool_choice",
  "n",
  "logprobs",
  "audio",
  "modalities",
  "response_format",
  "functions",
  "function_call",
]);

/** For the header `Margay-Ignored`. */
export function ignoredFields(body: object, used: ReadonlySet<string> = USED): readonly string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    used.has(name) || value === null || value === undefined || !/^[\w.-]{1,64}$/.test(name) ? [] : [name],
  );
}

/** @throws Problem `unsupported_parameter`. */
export function refuseUnsupported(body: ChatBody): void {
  if (isGiven(body["n"]) && body["n"] !== 1) throw unsupported("n", "There is one answer to a request: n must be 1.");
  if (body["logprobs"] === true) throw unsupported("logprobs", "logprobs are not available.");
  if (isGiven(body["audio"]) || (Array.isArray(body["modalities"]) && body["modalities"].includes("audio")))
    throw unsupported("audio", "Answers are text.");
  if (isGiven(body["functions"]) || isGiven(body["function_call"]))
    throw unsupported("functions", "functions was replaced by tools.");
  const format = body["response_format"];
  if (isGiven(format) && (typeof format !== "object" || !("type" in format) || format.type !== "text"))
    throw unsupported("response_format", "The only response format is text.");
}

function isGiven(value: unknown): value is NonNullable<unknown> {
  return value !== undefined && value !== null;
}

/** What the client asks of the requests of this turn. @param maxTokens the operator's limit holds. */
export function samplingOf(
  body: Pick<ChatBody, "temperature" | "parallel_tool_calls">,
  limit: number | null | undefined,
  effort: string | null | undefined,
  maxTokens: number,
): TurnSampling {
  return {
    ...(isGiven(limit) && limit < maxTokens && { maxOutputTokens: limit }),
    ...(isGiven(body.temperature) && { temperature: body.temperature }),
    ...(isGiven(effort) && { thinking: EFFORTS[effort] ?? "high" }),
    ...(body.parallel_tool_calls === false && { parallelTools: false }),
  };
}

const EFFORTS: Readonly<Record<string, NonNullable<TurnSampling["thinking"]>>> = {
  none: "off",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
};

/** @throws Problem `unsupported_content`. */
export function conversationOf(messages: readonly WireMessage[]): Conversation {
  const instructions: string[] = [];
  const said: Said[] = [];
  let results: ClientResult[] = [];
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}].content`;
    switch (message.role) {
      case "system":
      case "developer":
        instructions.push(plain(message.content ?? "", param));
        break;
      case "user":
        said.push({ role: "user", pieces: piecesOf(message.content ?? "", param) });
        break;
      case "assistant":
        said.push({ role: "assistant", pieces: [...piecesOf(message.content ?? "", param), ...callsOf(message)] });
        results = [];
        break;
      case "tool":
      case "function": {
        const text = plain(message.content ?? "", param);
        said.push(resultSaid(text));
        results.push({ id: message.tool_call_id ?? "", text });
        break;
      }
    }
  }
  return splitAtAnswer(said, instructions.join("\n\n"), results);
}

/** A round of the client's tools is part of what the assistant did. */
export function resultSaid(text: string): Said {
  return { role: "assistant", pieces: [{ type: "text", text: `[result: ${text}]` }] };
}

/** New is what stands behind the last answer. */
export function splitAtAnswer(
  said: readonly Said[],
  instructions: string,
  results: readonly ClientResult[],
): Conversation {
  const at = said.findLastIndex(({ role }) => role === "assistant") + 1;
  const input = said.slice(at).flatMap(({ pieces }) => pieces);
  return { instructions, earlier: said.slice(0, at), input, results, said };
}

export function piecesOf(content: WireContent, param: string): readonly Piece[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part, index) => pieceOf(part, `${param}[${index}]`));
}

function pieceOf(part: WirePart, param: string): Piece {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
      if (typeof part["text"] === "string") return { type: "text", text: part["text"] };
      break;
    case "refusal":
      if (typeof part["refusal"] === "string") return { type: "text", text: part["refusal"] };
      break;
    case "image_url": {
      const image = part["image_url"];
      const url = isRecord(image) ? image["url"] : image;
      if (typeof url === "string") return { type: "image", url, param };
      break;
    }
    case "input_image":
      if (typeof part["image_url"] === "string") return { type: "image", url: part["image_url"], param };
      throw refusal("unsupported_content", param, "A picture has to come as image_url, a data or https URL.");
    case "input_audio": {
      const audio = part["input_audio"];
      if (isRecord(audio) && typeof audio["data"] === "string") return { type: "audio", data: audio["data"], param };
      throw refusal("unsupported_content", param, "A recording has to come as input_audio.data in base64.");
    }
    case "file":
    case "input_file": {
      const file = part.type === "file" ? part["file"] : part;
      if (isRecord(file) && typeof file["file_data"] === "string")
        return { type: "file", data: file["file_data"], name: String(file["filename"] ?? "file"), param };
      throw refusal("unsupported_content", param, "A file has to come as file_data; there are no stored files here.");
    }
  }
  throw refusal("unsupported_content", param, `Content of type ${JSON.stringify(part.type)} is not taken here.`);
}

/** @throws Problem `unsupported_content`: instructions are text. */
export function plain(content: WireContent, param: string): string {
  return piecesOf(content, param)
    .map((piece) => {
      if (piece.type === "text") return piece.text;
      throw refusal("unsupported_content", param, "Instructions are text only.");
    })
    .join("\n");
}

/** In a history calls are text: it may be read where their tools are not. */
function callsOf({ tool_calls: calls }: WireMessage): readonly Piece[] {
  return (calls ?? []).map((call) => ({
    type: "text",
    text: calledText(call.function?.name ?? "a tool", call.function?.arguments ?? "{}"),
  }));
}
