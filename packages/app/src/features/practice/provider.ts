/**
 * Practice mode: a `Provider` without a language model. It recognizes plain English and Chinese sentences and drives the
 * real loop and tools with them, so that a machine with neither key nor local model can try everything.
 */
import type {
  AssistantPart,
  Message,
  ModelEvent,
  ModelRef,
  ModelRequest,
  Provider,
  ToolCallPart,
  Usage,
} from "@margay/core";
import type { CallId } from "@margay/core/internal";
import type { ChosenModel } from "../../models/choose-model.ts";
import { asTyped } from "../../texts/command.ts";
import type { Language } from "../../texts/text.ts";

export interface PracticeOptions {
  /** For messages without letters. Default `en`. */
  readonly language?: Language;
  /** What the person types for `margay`. Default: that. */
  readonly command?: string;
  /** Waits between two pieces of text, so that a person sees them stream. Absent: none. */
  readonly pace?: (signal: AbortSignal) => Promise<void>;
}

export const PRACTICE_MODEL: ModelRef = { provider: "practice", model: "sentences" };

/** Practice mode reads whole conversations; it costs nothing. */
const CONTEXT_WINDOW = 128_000;

/** Without a model of the configuration. */
export function practiceChoice(options: PracticeOptions): ChosenModel {
  return { provider: practiceProvider(options), model: PRACTICE_MODEL, contextWindow: CONTEXT_WINDOW, practice: true };
}

/** Deterministic: the events depend on the request's messages and tools only. */
export function practiceProvider(options: PracticeOptions = {}): Provider {
  return {
    id: PRACTICE_MODEL.provider,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted();
      const { decide } = await import("./decide.ts"); // all the sentences: nobody with a model needs them
      const decision = decide(request, options.language ?? "en");
      if (decision.type === "answer") {
        const answer = asTyped(decision.text, options.command ?? "margay");
        for (const text of pieces(answer)) {
          yield { type: "text.delta", index: 0, text };
          await options.pace?.(signal);
          signal.throwIfAborted();
        }
        yield { type: "part", index: 0, part: { type: "text", text: answer } };
        yield { type: "done", finish: "stop", usage: usage(request, answer) };
        return;
      }
      const parts = decision.calls.map((call, index): ToolCallPart => ({
        type: "tool-call",
        callId: `${request.id}-${index + 1}` as CallId, // the contract's way to name calls
        name: call.name,
        input: call.input,
      }));
      for (const [index, part] of parts.entries()) {
        yield {
          type: "tool-call.delta",
          index,
          callId: part.callId,
          name: part.name,
          text: JSON.stringify(part.input),
        };
        yield { type: "part", index, part };
        signal.throwIfAborted();
      }
      yield { type: "done", finish: "tool-calls", usage: usage(request, JSON.stringify(decision.calls)) };
    },
  };
}

/** Small pieces at word ends; a Chinese character is a word. */
function pieces(text: string): readonly string[] {
  return text.match(/\p{Script=Han}{1,4}[^\p{Script=Han}\s\w]*|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? [];
}

function usage(request: ModelRequest, output: string): Usage {
  const tools = request.prefix.tools
    .map((tool) => tool.name + tool.description + JSON.stringify(tool.inputSchema))
    .join("");
  const input =
    tokens(request.prefix.system) +
    tokens(tools) +
    request.messages.reduce((sum, message) => sum + messageTokens(message), 0);
  return { input, output: Math.max(1, tokens(output)), cacheRead: 0, cacheWrite: 0, costUsd: 0, estimated: true };
}

function messageTokens(message: Message): number {
  if (message.role === "notice") return tokens(message.text);
  const parts: readonly (AssistantPart | { readonly type: "media" })[] = message.parts;
  return parts.reduce(
    (sum, part) =>
      sum +
      (part.type === "text" ? tokens(part.text) : part.type === "tool-call" ? tokens(JSON.stringify(part.input)) : 0),
    4,
  );
}

/** About one token for a Chinese character and for four other ones. */
function tokens(text: string): number {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return han + Math.ceil((text.length - han) / 4);
}
