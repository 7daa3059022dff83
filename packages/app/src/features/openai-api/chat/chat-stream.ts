/** Answers of `/v1/chat/completions`: one object, or its chunks. */
import type { Usage } from "@margay/core";
import type { AnswerEnd, AnswerEvent } from "../reply/events.ts";
import type { ClientCall } from "../client-tools.ts";
import { failedTurn, interrupted, restarted } from "../errors.ts";
import type { ReplyText } from "../reply/reply-text.ts";
import { sseEvent } from "../../../host/live/sse-body.ts";
import { Problem } from "../../../host/api/problem.ts";
import { openAiError } from "../../../host/api/problem-body.ts";

export interface ChatFrame {
  readonly id: string;
  /** Seconds. */
  readonly created: number;
  readonly model: string;
  /** Hash of the prompt's fixed part, when it is known. */
  readonly fingerprint: () => string | undefined;
  /** `gateway.api.reasoning`. */
  readonly reasoning: boolean;
}

/** @throws Problem when the turn failed. */
export async function wholeCompletion(
  events: AsyncIterable<AnswerEvent>,
  reply: ReplyText,
  frame: ChatFrame,
): Promise<object> {
  let thinking = "";
  for await (const event of events) {
    reply.push(event);
    if (event.type === "thinking") thinking += event.text;
    if (event.type !== "ended") continue;
    if (event.error !== undefined) throw failedTurn(event.error);
    return {
      ...base(frame, "chat.completion"),
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: event.calls !== undefined && reply.text === "" ? null : reply.text,
            refusal: null,
            ...(event.calls !== undefined && { tool_calls: event.calls.map(toolCall) }),
            ...(frame.reasoning && thinking !== "" && { reasoning_content: thinking }),
          },
          logprobs: null,
          finish_reason: finishReason(event, reply),
        },
      ],
      usage: usageObject(event.usage),
    };
  }
  throw interrupted();
}

export interface StreamOptions extends ChatFrame {
  readonly includeUsage: boolean;
  /** `Margay-Events: 1`. */
  readonly showTools: boolean;
}

/** One string per event of the stream; the last one is `[DONE]`, unless something failed. */
export async function* completionChunks(
  events: AsyncIterable<AnswerEvent>,
  reply: ReplyText,
  options: StreamOptions,
): AsyncGenerator<string> {
  const chunk = (choices: readonly object[], more: object = {}): string =>
    sseEvent({
      ...base(options, "chat.completion.chunk"),
      choices,
      ...(options.includeUsage && { usage: null }),
      ...more,
    });
  const delta = (content: object): string => chunk([{ index: 0, delta: content, logprobs: null, finish_reason: null }]);
  yield delta({ role: "assistant", content: "" });
  try {
    for await (const event of events) {
      if (event.type === "restarted" && event.shown) throw restarted();
      if (event.type === "thinking" && options.reasoning) yield delta({ reasoning_content: event.text });
      if (event.type === "tool" && options.showTools) yield chunk([], { margay: event });
      const text = reply.push(event);
      if (text !== "") yield delta({ content: text });
      if (event.type !== "ended") continue;
      if (event.error !== undefined) throw failedTurn(event.error);
      const rest = reply.end();
      if (rest !== "") yield delta({ content: rest });
      for (const [index, call] of (event.calls ?? []).entries())
        yield delta({ tool_calls: [{ index, ...toolCall(call) }] });
      yield chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: finishReason(event, reply) }]);
      if (options.includeUsage) yield chunk([], { usage: usageObject(event.usage) });
      yield sseEvent("[DONE]");
      return;
    }
    throw interrupted();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    yield sseEvent(openAiError(error));
  }
}

function base({ id, created, model, fingerprint }: ChatFrame, object: string): object {
  const hash = fingerprint();
  return { id, object, created, model, ...(hash !== undefined && { system_fingerprint: hash }) };
}

function toolCall({ id, name, arguments: args }: ClientCall): object {
  return { id, type: "function", function: { name, arguments: args } };
}

function finishReason({ finish }: AnswerEnd, reply: ReplyText): "stop" | "length" | "tool_calls" | "content_filter" {
  if (finish === "calls") return "tool_calls";
  if (reply.stopped) return "stop";
  if (finish === "refused") return "content_filter";
  return finish === "length" ? "length" : "stop";
}

export function usageObject({ input, output, cacheRead }: Usage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}
