// A provider for one API as the product builds it, and what came out of a stream.
import type { Millis } from "../../src/contract/base.ts";
import type { AssistantMessage, AssistantPart, Message, Usage, UserMessage } from "../../src/contract/message.ts";
import type { ModelEvent, ModelRequest, Provider } from "../../src/contract/provider.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { httpFetch } from "../../src/machine/http/http-fetch.ts";
import { createEndpoint } from "../../src/model/provider.ts";
import { WIRES } from "../../src/wires/wires.ts";
import type { Quirks, WireKind } from "../../src/model/quirks.ts";
import type { Activity } from "../../src/model/watchdog.ts";

export interface WireProviderOptions {
  readonly api: WireKind;
  /** Of the server, without a path. */
  readonly url: string;
  readonly id?: string;
  readonly key?: string;
  readonly quirks?: Quirks;
  readonly fetch?: typeof fetch;
  readonly now?: Millis;
  /** Told of bytes. */
  readonly activity?: Activity;
}

export function wireProvider(options: WireProviderOptions): Provider {
  const { api, url, id = "vendor", key = "sk-test-0000", now = 0 } = options;
  return createEndpoint({
    id,
    wire: WIRES[api],
    baseUrl: `${url}/${api === "google" ? "v1beta" : "v1"}`,
    quirks: { brokenArguments: "text", ...options.quirks },
    fetch: options.fetch ?? httpFetch(),
    clock: { now: () => now },
    ...(options.activity !== undefined && { onBytes: options.activity.touch }),
  })(key);
}

export function modelRequest(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    id: "turn-1-a",
    model: "test-model",
    prefix: {
      hash: "h",
      system: "Be brief.",
      tools: [
        {
          name: "read_file",
          description: "Reads a file.",
          inputSchema: { type: "object", properties: { path: { type: "string" } } },
        },
      ],
    },
    messages: [user("Hello")],
    sampling: { maxOutputTokens: 1000, thinking: "off", toolChoice: "auto" },
    cacheKey: "session-1",
    media: () => Promise.reject(new RuntimeError("blob.missing", "There is no blob.")),
    ...change,
  };
}

export function user(text: string): UserMessage {
  return { role: "user", id: "m", at: 0, from: { id: "p", kind: "person" }, parts: [{ type: "text", text }] };
}

const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** What the loop would store of an answer. */
export function assistant(
  parts: readonly AssistantPart[],
  by: { readonly provider: string; readonly model: string } = { provider: "vendor", model: "test-model" },
): AssistantMessage {
  return {
    role: "assistant",
    at: 0,
    model: by,
    parts,
    finish: parts.some((part) => part.type === "tool-call") ? "tool-calls" : "stop",
    usage: NO_USAGE,
  };
}

export function toolMessage(callId: string, text: string, name = "read_file"): Message {
  // Ids in tests are written by hand.
  return {
    role: "tool",
    at: 0,
    callId: callId as AssistantCallId,
    name,
    parts: [{ type: "text", text }],
    status: "ok",
  };
}
type AssistantCallId = Extract<AssistantPart, { type: "tool-call" }>["callId"];

export interface Heard {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly thinking: string;
  readonly parts: readonly AssistantPart[];
  readonly done: Extract<ModelEvent, { type: "done" }> | undefined;
  readonly error: RuntimeError | undefined;
}

/** Reads a stream to its end; a RuntimeError is data, anything else fails the test. */
export async function hear(
  provider: Provider,
  request: ModelRequest = modelRequest(),
  signal: AbortSignal = new AbortController().signal,
): Promise<Heard> {
  const events: ModelEvent[] = [];
  let error: RuntimeError | undefined;
  try {
    for await (const event of provider.stream(request, signal)) events.push(event);
  } catch (thrown) {
    if (!(thrown instanceof RuntimeError)) throw thrown;
    error = thrown;
  }
  const said = (type: "text.delta" | "thinking.delta"): string =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  return {
    events,
    text: said("text.delta"),
    thinking: said("thinking.delta"),
    parts: events.flatMap((event) => (event.type === "part" ? [event.part] : [])),
    done: events.find((event) => event.type === "done"),
    error,
  };
}
