/** The beginning of an answer: waited for a moment, so that what fails at once fails with a status. */
import type { Clock } from "@margay/core";
import type { AnswerEnd, AnswerEvent } from "./events.ts";

/** After this long the headers are sent, whatever has happened. */
const OPEN_AFTER_MS = 5_000;

export interface Begun {
  /** The turn is over already, without a word. */
  readonly end: AnswerEnd | undefined;
  /** All events, from the first. */
  readonly events: AsyncIterable<AnswerEvent>;
}

/** Resolves when there is something to show, when it is over, or when it takes too long. @throws what reading throws. */
export async function begun(source: AsyncIterable<AnswerEvent>, clock: Clock): Promise<Begun> {
  const events = source[Symbol.asyncIterator]();
  const seen: AnswerEvent[] = [];
  const decided = new AbortController();
  const late = clock.sleep(OPEN_AFTER_MS, decided.signal).then(
    () => "late" as const,
    () => "late" as const,
  );
  const pull = (): ReturnType<typeof events.next> => {
    const pulled = events.next();
    pulled.catch(() => {}); // thrown where it is read
    return pulled;
  };
  let next = pull();
  let end: AnswerEnd | undefined;
  try {
    for (;;) {
      const result = await Promise.race([next, late]);
      if (result === "late" || result.done === true) break;
      seen.push(result.value);
      next = pull();
      if (result.value.type === "ended" && !seen.some(({ type }) => type === "text")) end = result.value;
      if (result.value.type === "text" || result.value.type === "ended") break;
    }
  } finally {
    decided.abort();
  }
  return {
    end,
    events: (async function* () {
      try {
        yield* seen;
        for (let result = await next; result.done !== true; result = await events.next()) yield result.value;
      } finally {
        await events.return?.();
      }
    })(),
  };
}
