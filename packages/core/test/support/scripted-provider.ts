// A provider that plays what a test hands it, for what wraps providers.
import type { ModelEvent, ModelRequest, Provider } from "../../src/contract/provider.ts";
import type { ErrorCode } from "../../src/lib/errors/error-codes.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";

/** Text, then the end; or text (maybe none), then the error. */
export type Play =
  | string
  | {
      readonly text?: string;
      readonly thinking?: string;
      readonly error: ErrorCode;
      readonly retryable?: boolean;
      readonly retryAfterMs?: number;
    };

export interface ScriptedProvider extends Provider {
  readonly requests: readonly ModelRequest[];
}

/** @param plays One a request; the last is repeated. */
export function scripted(id: string, ...plays: readonly Play[]): ScriptedProvider {
  const requests: ModelRequest[] = [];
  // oxlint-disable-next-line require-await -- the contract is asynchronous, the script is not
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    requests.push(request);
    const play = plays[Math.min(requests.length, plays.length) - 1] ?? "";
    if (typeof play === "string") {
      yield { type: "text.delta", index: 0, text: play };
      yield { type: "part", index: 0, part: { type: "text", text: play } };
      yield { type: "done", finish: "stop", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } };
      return;
    }
    if (play.thinking !== undefined) yield { type: "thinking.delta", index: 0, text: play.thinking };
    if (play.text !== undefined) yield { type: "text.delta", index: 1, text: play.text };
    throw new RuntimeError(play.error, `${id} failed`, {
      retryable: play.retryable ?? false,
      ...(play.retryAfterMs !== undefined && { details: { retryAfterMs: play.retryAfterMs } }),
    });
  }
  return { id, requests, stream };
}
