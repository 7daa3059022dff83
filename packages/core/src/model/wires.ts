// The lenient readers by API.
import { anthropicWire } from "./wire/anthropic.ts";
import { chatWire } from "./wire/chat.ts";
import { googleWire } from "./wire/google.ts";
import { guardFetch } from "./wire/guard.ts";
import type { GuardOptions } from "./wire/guard.ts";
import { responsesWire } from "./wire/responses.ts";
import type { Splicer } from "./wire/splice.ts";
import type { Wire } from "./wire/wire.ts";
import type { WireKind } from "./quirks.ts";
import { restoreRawArguments } from "./raw-arguments.ts";

const WIRES: Readonly<Record<WireKind, Wire>> = {
  anthropic: anthropicWire,
  "openai-chat": chatWire,
  "openai-responses": responsesWire,
  google: googleWire,
};

export interface WireOptions extends GuardOptions {
  /** Where {@link languageModel} leaves the bytes of long histories, if it was given the same one. */
  readonly splicer?: Splicer;
}

/**
 * A `fetch` to give to an AI SDK package of the named API: odd but honest answers are read, broken ones fail with a
 * reason, and errors keep their place behind the text that came before them.
 */
export function wireFetch(inner: typeof fetch, kind: WireKind, options: WireOptions): typeof fetch {
  const last = options.splicer?.fetch(inner) ?? inner;
  const send = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    await last(input, typeof init?.body === "string" ? { ...init, body: restoreRawArguments(init.body) } : init);
  return guardFetch(send as typeof fetch, WIRES[kind], options);
}
