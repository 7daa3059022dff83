/** Server-sent events: a generator of texts as a body, with a comment line when nothing was said for a while. */
import { type Clock } from "@margay/core";
import { raceAbort } from "@margay/core/internal";

/** Proxies and clients cut connections that say nothing. */
const SILENCE_MS = 15_000;
const KEEP_ALIVE = ": still working\n\n";

/** One event. @param event its name, when clients look at it. */
export function sseEvent(data: unknown, event?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

export interface SseOptions {
  readonly clock: Clock;
  /** Ends the stream from our side. */
  readonly over: AbortSignal;
  /** The last text then. */
  readonly farewell: () => string;
}

/** A reader that leaves ends the generator. */
export function sseBody(texts: AsyncGenerator<string>, options: SseOptions): ReadableStream<Uint8Array> {
  const { clock, over, farewell } = options;
  const encoder = new TextEncoder();
  // It may wait for an event that never comes: its end is not waited for.
  const drop = (): void => void texts.return(undefined).catch(() => {});
  let next: Promise<IteratorResult<string>> | undefined;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      next ??= texts.next();
      next.catch(() => {}); // thrown below, unless the stream is over
      const result = await raceAbort(orSilence(next, clock), over).catch((error: unknown) => {
        if (!over.aborted) throw error;
        return "over" as const;
      });
      if (result === "over") {
        controller.enqueue(encoder.encode(farewell()));
        controller.close();
        drop();
      } else if (result === undefined) controller.enqueue(encoder.encode(KEEP_ALIVE));
      else {
        next = undefined;
        if (result.done === true) controller.close();
        else controller.enqueue(encoder.encode(result.value));
      }
    },
    cancel: drop,
  });
}

/** Undefined when it takes longer than a connection may be silent. */
async function orSilence<T>(work: Promise<T>, clock: Clock): Promise<T | undefined> {
  const settled = new AbortController();
  try {
    return await Promise.race([
      work,
      clock.sleep(SILENCE_MS, settled.signal).then(
        () => undefined,
        () => undefined,
      ),
    ]);
  } finally {
    settled.abort();
  }
}
