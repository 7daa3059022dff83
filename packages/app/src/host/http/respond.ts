/** Writes answers: whole ones, streams with backpressure, and the end of a connection whose body nobody reads. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@margay/core";
import type { Reply } from "../api/route.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | string | undefined;
}

/** Bodies up to this size that nobody read are skipped, so that the connection can serve the next request. */
const SKIPPED_BYTES = 65_536;
/** How long a client that still sends may go on before its connection ends: it would lose our answer in a reset. */
const LINGER_MS = 500;

export async function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
  clock: Clock,
): Promise<void> {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const unread = !request.readableEnded && declaredBytes(request) > SKIPPED_BYTES;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (unread) response.setHeader("connection", "close");
  if (bytes !== undefined) response.setHeader("content-length", bytes.length);
  else if (status !== 204 && status !== 304) response.setHeader("content-length", 0);
  response.writeHead(status);
  // Node sends no body to HEAD.
  if (!unread) {
    response.end(bytes);
    return;
  }
  response.write(bytes ?? "");
  request.resume();
  const over = new AbortController();
  request.once("close", () => over.abort());
  await clock.sleep(LINGER_MS, over.signal).catch(() => {}); // it is gone or done
  response.end();
}

function declaredBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return Infinity;
  return Number(headers["content-length"] ?? 0);
}

/**
 * Sends a stream as fast as the client reads it.
 * @param stop The credential is gone or the gateway closes: the stream's own maker has a moment to say goodbye.
 */
export async function writeStream(
  response: ServerResponse,
  { status, headers }: Omit<Answer, "body">,
  stream: Exclude<Reply["raw"], Uint8Array | string | undefined>,
  { clock, stop }: { readonly clock: Clock; readonly stop: AbortSignal },
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.writeHead(status);
  response.flushHeaders();
  if (response.req.method === "HEAD") {
    await stream.cancel();
    response.end();
    return;
  }
  const reader = stream.getReader();
  const over = new AbortController();
  const cancel = (): void => {
    over.abort();
    reader.cancel().catch(() => {}); // its failure has nobody left to hear it
  };
  response.once("close", cancel);
  const onStop = (): void => {
    clock.sleep(LINGER_MS, over.signal).then(cancel, () => {}); // ended by itself meanwhile
  };
  if (stop.aborted) onStop();
  else stop.addEventListener("abort", onStop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || over.signal.aborted) break;
      if (!response.write(value)) await drained(response, over.signal);
    }
    response.end();
  } catch {
    response.destroy(); // cut: the client sees that it is not the end
  } finally {
    stop.removeEventListener("abort", onStop);
    over.abort();
  }
}

function drained(response: ServerResponse, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      over.removeEventListener("abort", done);
      resolve();
    };
    response.once("drain", done);
    over.addEventListener("abort", done, { once: true });
    if (over.aborted) done();
  });
}
