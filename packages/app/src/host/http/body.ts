/** The body of a request, never more of it than the route allows. */
import type { IncomingMessage } from "node:http";
import { Problem } from "../api/problem.ts";

/**
 * @throws Problem `request.too-large` as soon as the limit is passed, declared or sent; nothing is read after it.
 */
export async function readBody(request: IncomingMessage, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = (): void => {
    request.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) throw tooLarge(limit);
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return chunks.length === 1 ? (chunks[0] ?? new Uint8Array()) : Buffer.concat(chunks);
}

/** The connection ends after this answer: what was not read would be taken for the next request. */
function tooLarge(limit: number): Problem {
  return new Problem("request.too-large", {
    detail: `The body is larger than ${limit} bytes.`,
    headers: { connection: "close" },
  });
}
