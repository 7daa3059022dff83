// A LanguageModelV4 (any @ai-sdk package) → Provider. This file and those it imports are the only ones that know V4.
import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import type { Clock } from "../contract/base.ts";
import type { Message, Usage } from "../contract/message.ts";
import type { ModelEvent, ModelRequest, Provider } from "../contract/provider.ts";
import { callOptions } from "./call-options.ts";
import { toFailure } from "../model/failures.ts";
import { fromStream } from "./from-stream.ts";
import { createHistory } from "../model/history.ts";
import type { History } from "../model/history.ts";
import { costOf, modelInfo } from "../model/models.ts";
import { resolveQuirks } from "../model/quirks.ts";
import type { Quirks } from "../model/quirks.ts";
import { promptBuilder } from "./to-prompt.ts";
import type { PromptBuilder } from "./to-prompt.ts";
import { estimatedUsage } from "../model/usage.ts";
import type { Splicer } from "../model/wire/splice.ts";

/** A model of any @ai-sdk package, or a function that makes one by name and may load its package first. */
export type ModelSource = LanguageModelV4 | ((id: string) => LanguageModelV4 | Promise<LanguageModelV4>);
export interface LanguageModelOptions {
  /** Name of the provider: its opaque state is returned only to a provider of the same name. */
  readonly id: string;
  readonly quirks?: Quirks;
  /** For HTTP dates in Retry-After; without it such a date means no wait. */
  readonly clock?: Pick<Clock, "now">;
  /** The one given to {@link wireFetch} for the same models: settled messages are then converted once. */
  readonly splicer?: Splicer;
}
/** What is kept per wire and model: reasoning belongs to the model that made it. */
interface Kept {
  readonly builder: PromptBuilder;
  readonly quirks: Required<Quirks>;
  /** Undefined without a splicer, or when the adapter's bodies turned out not to take cuts. */
  history: History | undefined;
}

/**
 * A Provider over the AI SDK's model interface.
 *
 * Leaving the stream early, or aborting, closes the connection. Requests are never repeated here.
 * @throws RuntimeError `provider.*`, with `details.retryAfterMs` when the provider asked to wait.
 */
export function languageModel(model: ModelSource, options: LanguageModelOptions): Provider {
  const { splicer } = options;
  const kept = new Map<string, Kept>();
  const keptFor = (made: LanguageModelV4, name: string): Kept => {
    const key = `${made.provider} ${name}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const quirks = resolveQuirks(options.quirks ?? {}, made.provider);
    const builder = promptBuilder({ provider: options.id, model: name, quirks });
    const history =
      splicer === undefined ? undefined : createHistory(builder, quirks.cacheControl === "blocks", splicer.minChars);
    const entry: Kept = { builder, quirks, history };
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
  const ask = async (
    made: LanguageModelV4,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<LanguageModelV4StreamResult> => {
    const entry = keptFor(made, request.model);
    const call = { ...callOptions(request, entry.quirks, made), abortSignal: signal };
    if (splicer === undefined || entry.history === undefined)
      return await made.doStream({ ...call, prompt: await entry.builder.build(request) });
    const ticket = splicer.open();
    try {
      const prompt = await entry.history.plan(request, ticket);
      return await made.doStream({ ...call, prompt, headers: ticket.headers });
    } catch (error) {
      if (!ticket.refused) throw error;
      entry.history = undefined;
      return await made.doStream({ ...call, prompt: await entry.builder.build(request) });
    } finally {
      ticket.close();
    }
  };
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    try {
      const made = await modelFor(request.model);
      const result = await ask(made, request, signal);
      const parts: AsyncIterable<LanguageModelV4StreamPart> = result.stream;
      const events = fromStream(parts, {
        provider: options.id,
        requestId: request.id,
        estimate: (said) => estimatedUsage(request, said),
      });
      for await (const event of events)
        yield event.type === "done" ? { ...event, usage: priced(event.usage, options.id, request.model) } : event;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toFailure(error, {
        provider: options.id,
        now: options.clock?.now() ?? Number.MAX_SAFE_INTEGER,
        media: request.messages.some(hasMedia),
      });
    }
  }
  return { id: options.id, stream };
}

/** With what it costs, when the price is known. */
function priced(usage: Usage, provider: string, model: string): Usage {
  const costUsd = usage.costUsd ?? costOf(usage, modelInfo(provider, model).price);
  return costUsd === undefined ? usage : { ...usage, costUsd };
}

function hasMedia(message: Message): boolean {
  return message.role !== "notice" && message.parts.some((part) => part.type === "media");
}
