/** One request of a channel to its platform: the whole answer, or why there is none and whether what was asked for may have been done. */
import type { Clock } from "../contract/base.ts";
import type { ChannelHost } from "../contract/channel.ts";
import { messageOf } from "../lib/errors/errors.ts";
import { endOfTick } from "../machine/files/files.ts";

/** There was no connection that anything could have been written to: none was made, or its two ends did not agree on the encryption. */
const NEVER_STOOD =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|ERR_SSL_\w*(?:VERSION|UNSUPPORTED_PROTOCOL|HANDSHAKE|UNRECOGNIZED_NAME)\w*|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;
/** What Node says of a connection that ended before it was encrypted; its code is that of any other. */
const TOO_EARLY = /before secure TLS connection was established/;

const WITHOUT_BODY = [204, 205, 304];

export function requestOver(clock: Clock): ChannelHost["request"] {
  let loaded: Promise<void> | undefined;
  return async (url, init, { ms, maxBytes, signal, heard }) => {
    signal.throwIfAborted();
    const over = new AbortController();
    using _timer = clock.timer(ms, () => over.abort(new Error(`no answer within ${Math.round(ms / 1000)} s`)));
    try {
      const until = AbortSignal.any([signal, over.signal]);
      await (loaded ??= load());
      const { status, headers, body } = await fetch(url, { ...init, redirect: "error", signal: until });
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const part of body ?? []) {
        heard?.();
        size += part.length;
        if (size > maxBytes)
          return { failed: `it is larger than ${Math.floor(maxBytes / 1_048_576)} MB`, sent: "maybe" };
        parts.push(part);
      }
      return new Response(WITHOUT_BODY.includes(status) ? null : Buffer.concat(parts), { status, headers });
    } catch (error) {
      signal.throwIfAborted();
      const code = codeOf(error);
      const words = messageOf(innermost(error));
      const sent = NEVER_STOOD.test(code ?? "") || TOO_EARLY.test(words) ? "no" : "maybe";
      return { failed: code ?? words, sent, cause: error };
    }
  };
}

/** The first use of it loads what makes requests, which holds the event loop as long as it may be held: in a turn of its own. */
async function load(): Promise<void> {
  await endOfTick();
  void new Headers();
  await endOfTick();
}

/** `fetch failed` says nothing: what it was is inside. */
function codeOf(error: unknown): string | undefined {
  for (let link = error; link instanceof Error; link = link.cause)
    if ("code" in link && typeof link.code === "string") return link.code;
  return undefined;
}

function innermost(error: unknown): unknown {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  return found;
}
