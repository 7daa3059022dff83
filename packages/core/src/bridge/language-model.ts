// A LanguageModelV4 (any @ai-sdk package) → Provider. This file and those it imports are the only ones that know V4.
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Clock } from "../contract/base.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import { toFailure } from "../model/failures.ts";
import { modelInfo } from "../model/models.ts";
import { hasMedia, priced } from "../model/provider.ts";
import { resolveQuirks, type Quirks } from "../model/quirks.ts";
import { estimatedUsage } from "../model/usage.ts";
import { callOptions } from "./call-options.ts";
import { fromStream } from "./from-stream.ts";
import { promptBuilder } from "./to-prompt.ts";

/** A model of any @ai-sdk package, or a function that makes one by name and may load its package first. */
export type ModelSource = LanguageModelV4 | ((id: string) => LanguageModelV4 | Promise<LanguageModelV4>);
export interface LanguageModelOptions {
  /** Name of the provider: its opaque state is returned only to a provider of the same name. */
  readonly id: string;
  readonly quirks?: Quirks;
  /** For HTTP dates in Retry-After; without it such a date means no wait. */
  readonly clock?: Pick<Clock, "now">;
}
/** What is kept per wire and model: reasoning belongs to the model that made it. */
interface Kept {
  readonly prompt: ReturnType<typeof promptBuilder>;
  readonly quirks: Required<Quirks>;
}

/**
 * A Provider over the AI SDK's model interface, for models that none of our own wires reach.
 *
 * Leaving the stream early, or aborting, closes the connection. Requests are never repeated here.
 * @throws RuntimeError `provider.*`, with `details.retryAfterMs` when the provider asked to wait.
 */
export function languageModel(model: ModelSource, options: LanguageModelOptions): Provider {
  const kept = new Map<string, Kept>();
  const keptFor = (made: LanguageModelV4, name: string): Kept => {
    const key = `${made.provider} ${name}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const quirks = resolveQuirks(options.quirks ?? {}, made.provider);
    const entry: Kept = { prompt: promptBuilder({ provider: options.id, model: name, quirks }), quirks };
    kept.set(key, entry);
    return entry;
  };
  // Models of the AI SDK build their validators when they are made.
  const models = new Map<string, LanguageModelV4>();
  const modelFor = async (id: string): Promise<LanguageModelV4> => {
    if (typeof model !== "function") return model;
    const known = models.get(id) ?? (await model(id));
    models.set(id, known);
    return known;
  };
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    try {
      const made = await modelFor(request.model);
      const { prompt, quirks } = keptFor(made, request.model);
      const call = { ...callOptions(request, quirks, made), abortSignal: signal };
      const result = await made.doStream({ ...call, prompt: await prompt(request) });
      const parts: AsyncIterable<LanguageModelV4StreamPart> = result.stream;
      const events = fromStream(parts, {
        provider: options.id,
        requestId: request.id,
        estimate: (said) => estimatedUsage(request, said),
      });
      const { price } = modelInfo(options.id, request.model);
      for await (const event of events) yield priced(event, price);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toFailure(error, {
        provider: options.id,
        now: options.clock?.now() ?? Number.MAX_SAFE_INTEGER,
        media: hasMedia(request.messages),
      });
    }
  }
  return { id: options.id, stream };
}
