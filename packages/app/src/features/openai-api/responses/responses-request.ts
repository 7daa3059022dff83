/** The body of `/v1/responses` → what is asked. */
import type { Json, JsonObject } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import type { ResponseBody, WireItem } from "../schema.ts";
import { piecesOf, plain, resultSaid, splitAtAnswer } from "../chat/chat-request.ts";
import { calledText, type ClientResult } from "../client-tools.ts";
import { refusal, unsupported } from "../errors.ts";
import type { Conversation, Piece, Said } from "../messages.ts";

export const RESPONSE_FIELDS: ReadonlySet<string> = new Set([
  "model",
  "input",
  "instructions",
  "previous_response_id",
  "conversation",
  "max_output_tokens",
  "reasoning",
  "background",
  "stream",
  "stream_options",
  "temperature",
  "parallel_tool_calls",
  "tools",
  "tool_choice",
  "metadata",
  "store",
  "user",
  "session_id",
  "text",
  "prompt",
]);

/** @throws Problem `unsupported_parameter`. */
export function refuseUnsupportedResponse(body: ResponseBody): void {
  const { text, prompt } = body;
  const format = isRecord(text) ? text["format"] : undefined;
  if (isRecord(format) && format["type"] !== "text")
    throw unsupported("text.format", "The only response format is text.");
  if (prompt !== undefined && prompt !== null) throw unsupported("prompt", "There are no stored prompts here.");
  if (isGiven(body.previous_response_id) && isGiven(body.conversation))
    throw refusal(
      "invalid_parameter",
      "conversation",
      "previous_response_id and conversation exclude each other: each says where the answer belongs.",
    );
}

/** @throws Problem `unsupported_content`. */
export function responseConversation({ input, instructions }: ResponseBody): Conversation {
  const texts = isGiven(instructions) ? [instructions] : [];
  if (typeof input === "string" || !isGiven(input)) {
    const pieces: readonly Piece[] = [{ type: "text", text: input ?? "" }];
    return splitAtAnswer([{ role: "user", pieces }], texts.join(""), []);
  }
  const said: Said[] = [];
  let results: ClientResult[] = [];
  for (const [index, item] of input.entries()) {
    const param = `input[${index}]`;
    if (item.role === "system" || item.role === "developer") {
      texts.push(plain(item.content ?? "", `${param}.content`));
      continue;
    }
    const one = saidBy(item, param);
    if (item.type === "function_call_output")
      results.push({ id: item.call_id ?? "", text: plain(item.output ?? "", `${param}.output`) });
    else if (one?.role === "assistant") results = [];
    if (one !== undefined) said.push(one);
  }
  return splitAtAnswer(said, texts.join("\n\n"), results);
}

function saidBy(item: WireItem, param: string): Said | undefined {
  switch (item.type ?? "message") {
    case "message": {
      const role = item.role === "assistant" ? "assistant" : "user";
      return { role, pieces: piecesOf(item.content ?? "", `${param}.content`) };
    }
    case "reasoning":
      return undefined; // somebody else's thoughts
    case "function_call": {
      const text = calledText(item.name ?? "a tool", item.arguments ?? "{}");
      return { role: "assistant", pieces: [{ type: "text", text }] };
    }
    case "function_call_output":
      return resultSaid(plain(item.output ?? "", `${param}.output`));
    default:
      throw refusal("unsupported_content", param, `An item of type ${JSON.stringify(item.type)} is not taken here.`);
  }
}

export function conversationName({ conversation }: ResponseBody): string | undefined {
  return typeof conversation === "string" ? conversation : (conversation?.id ?? undefined);
}

/** What of the request the object repeats. */
export function echoOf(body: ResponseBody): JsonObject {
  const { metadata, instructions, previous_response_id: previous, user, background, store } = body;
  const conversation = conversationName(body);
  return {
    conversation: conversation === undefined ? null : { id: conversation },
    background: background === true,
    instructions: instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: { ...metadata },
    parallel_tool_calls: body.parallel_tool_calls !== false,
    previous_response_id: previous ?? null,
    store: store !== false,
    temperature: body.temperature ?? null,
    tool_choice: jsonOf(body.tool_choice ?? "auto"),
    tools: jsonOf(body.tools ?? []),
    top_p: null,
    ...(isGiven(user) && { user }),
  };
}

/** It was parsed from JSON. */
function jsonOf(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function isGiven<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}
