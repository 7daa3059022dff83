/**
 * Practice mode: a `Provider` without a language model. It recognizes a few plain sentences in English and Chinese and
 * drives the real loop and tools with them, so that a machine with neither key nor local model can try everything.
 */
import type { ModelEvent, ModelRef, ModelRequest, Provider, ToolCallPart } from "@margay/core";
import { estimatedUsage, type CallId } from "@margay/core/internal";
import type { ChosenModel } from "../../models/choose-model.ts";
import { asTyped } from "../../texts/command.ts";
import type { Language } from "../../texts/text.ts";

export interface PracticeOptions {
  /** For messages without letters. Default `en`. */
  readonly language?: Language;
  /** What the person types for `margay`. Default: that. */
  readonly command?: string;
}

export const PRACTICE_MODEL: ModelRef = { provider: "practice", model: "sentences" };

/** Practice mode reads whole conversations; it costs nothing. */
const CONTEXT_WINDOW = 128_000;

/** Without a model of the configuration. */
export function practiceChoice(options: PracticeOptions): ChosenModel {
  return { provider: practiceProvider(options), model: PRACTICE_MODEL, contextWindow: CONTEXT_WINDOW, practice: true };
}

/** Deterministic: the events depend on the request's messages and tools only. */
export function practiceProvider({ language = "en", command = "margay" }: PracticeOptions = {}): Provider {
  return {
    id: PRACTICE_MODEL.provider,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted();
      const { decide } = await import("./decide.ts"); // all the sentences: nobody with a model needs them
      const decision = decide(request, language);
      if ("text" in decision) {
        const text = asTyped(decision.text, command);
        for (const piece of pieces(text)) {
          yield { type: "text.delta", index: 0, text: piece };
          signal.throwIfAborted();
        }
        yield { type: "part", index: 0, part: { type: "text", text } };
        const usage = { ...estimatedUsage(request, [{ type: "text", text }]), costUsd: 0 };
        yield { type: "done", finish: "stop", usage };
        return;
      }
      const parts = decision.calls.map(({ name, input }, index): ToolCallPart => {
        const callId = `${request.id}-${index + 1}` as CallId; // the contract's way to name calls
        return { type: "tool-call", callId, name, input };
      });
      for (const [index, part] of parts.entries()) {
        const { callId, name, input } = part;
        yield { type: "tool-call.delta", index, callId, name, text: JSON.stringify(input) };
        yield { type: "part", index, part };
        signal.throwIfAborted();
      }
      yield { type: "done", finish: "tool-calls", usage: { ...estimatedUsage(request, parts), costUsd: 0 } };
    },
  };
}

/** Small pieces at word ends; a few Chinese characters are a word. */
function pieces(text: string): readonly string[] {
  return text.match(/\p{Script=Han}{1,4}[^\p{Script=Han}\s\w]*|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? [];
}
