/** A file of a platform, as it comes: from where the platform keeps files, and in no other form than a file. */
import type { Clock } from "../../contract/base.ts";
import type { ChannelHost } from "../../contract/channel.ts";
import { ChannelFault } from "../../lib/errors/channel-fault.ts";
import { messageOf } from "../../lib/errors/errors.ts";

/** Of a file that comes in, whatever a platform takes. */
export const MAX_FILE_BYTES: number = 25 * 1024 * 1024;
/** A line on which nothing comes for so long is dead. */
const STALL_MS = 30_000;

export interface DownloadOptions {
  /** `cdn.example.com`, `*.example.com`, in the clear only `http://cdn.example.com`: nothing is fetched from elsewhere. */
  readonly hosts: readonly string[];
  readonly clock: Clock;
  /** A part of a file came. */
  readonly heard: () => void;
}

export function downloadFrom({ hosts, clock, heard }: DownloadOptions): ChannelHost["download"] {
  return async (url, { headers = {}, mediaType, signal, refusal }) => {
    const address = URL.parse(String(url));
    if (address === null || !isOneOf(hosts, address))
      throw refused(`${address?.host ?? "its address"} is no place where this platform keeps files`);
    const stalled = new AbortController();
    const until = AbortSignal.any([signal, stalled.signal]);
    const stall = (): Disposable =>
      clock.timer(STALL_MS, () => stalled.abort(again(`nothing came for ${STALL_MS / 1000} s`)));
    const failed = (error: unknown): never => {
      signal.throwIfAborted();
      stalled.signal.throwIfAborted();
      throw error instanceof ChannelFault ? error : again(messageOf(innermost(error)), error);
    };
    let answer: Response;
    {
      using _stall = stall();
      answer = await fetch(address, { headers, redirect: "manual", signal: until }).catch(failed);
      const fault = await (refusal?.(answer) ?? Promise.resolve(undefined)).catch(failed);
      const found = fault ?? faultOf(answer, mediaType);
      if (found !== undefined) {
        await answer.body?.cancel().catch(() => {}); // nobody wants the rest
        throw found;
      }
    }
    return parts(answer, stall, heard, failed);
  };
}

async function* parts(
  { body }: Response,
  stall: () => Disposable,
  heard: () => void,
  failed: (error: unknown) => never,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      using _stall = stall();
      const { done, value } = await reader.read().catch(failed);
      if (done) return;
      heard();
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {}); // all of it came, or nobody wants the rest
  }
}

/** Why what came is no file. */
function faultOf({ status, ok, headers }: Response, mediaType: string | undefined): ChannelFault | undefined {
  if (status === 429) {
    const seconds = Number(headers.get("retry-after"));
    const retryAfterMs = (Number.isFinite(seconds) && seconds > 0 ? seconds : 1) * 1000;
    return new ChannelFault("slow-down", "the platform gives no more files for now", { retryAfterMs });
  }
  if (status >= 500) return again(`the platform answered with ${status}`);
  if (status >= 300 && status < 400) return refused("its address leads elsewhere");
  if (!ok) return refused("the file is not there");
  const isPage = (headers.get("content-type") ?? "").startsWith("text/html");
  if (isPage && mediaType !== undefined && !mediaType.startsWith("text/html"))
    return refused("a page came in place of it");
  return undefined;
}

function isOneOf(hosts: readonly string[], { protocol, hostname: name }: URL): boolean {
  if (protocol === "http:") return hosts.includes(`http://${name}`);
  return (
    protocol === "https:" &&
    hosts.some((host) => (host.startsWith("*.") ? name.endsWith(host.slice(1)) : name === host))
  );
}

function refused(why: string): ChannelFault {
  return new ChannelFault("refused", why, { sent: "no" });
}

function again(why: string, cause?: unknown): ChannelFault {
  return new ChannelFault("again", why, { sent: "no", ...(cause !== undefined && { cause }) });
}

/** `fetch failed` says nothing: what it was is inside. */
function innermost(error: unknown): unknown {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  return found;
}
