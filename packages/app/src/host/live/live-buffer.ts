/** Live events together: the first at once, later ones every 33 ms or 2 KiB. */
import type { Clock } from "@margay/core";
import type { LiveEvent } from "@margay/core/internal";

export interface LiveBuffer {
  push(event: LiveEvent): void;
  /** Sends what waits; the next event goes out at once. */
  flush(): void;
  /** Forgets what waits. */
  drop(): void;
}

const EVERY_MS = 33;
const MAX_CHARS = 2048;

export function createLiveBuffer(clock: Clock, send: (events: readonly LiveEvent[]) => void): LiveBuffer {
  let waiting: LiveEvent[] = [];
  let chars = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  let timer: AbortController | undefined;
  const stop = (): void => {
    timer?.abort();
    timer = undefined;
  };
  const emit = (): void => {
    stop();
    const events = waiting;
    waiting = [];
    chars = 0;
    if (events.length === 0) return;
    sentAt = clock.monotonic();
    send(events);
  };
  return {
    push: (event) => {
      const last = waiting.at(-1);
      const joined = last === undefined ? undefined : join(last, event);
      if (joined === undefined) waiting.push(event);
      else waiting[waiting.length - 1] = joined;
      chars += "text" in event ? event.text.length : 0;
      const restMs = sentAt + EVERY_MS - clock.monotonic();
      if (restMs <= 0 || chars >= MAX_CHARS) {
        emit();
        return;
      }
      if (timer !== undefined) return;
      timer = new AbortController();
      clock.sleep(restMs, timer.signal).then(emit, () => {}); // sent or dropped meanwhile
    },
    flush: () => {
      emit();
      sentAt = Number.NEGATIVE_INFINITY;
    },
    drop: () => {
      stop();
      waiting = [];
      chars = 0;
      sentAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Two pieces of one text are one piece. */
function join(a: LiveEvent, b: LiveEvent): LiveEvent | undefined {
  if (a.turn !== b.turn) return undefined;
  if ((a.type === "text.delta" || a.type === "thinking.delta") && a.type === b.type)
    return a.index === b.index ? { ...a, text: a.text + b.text } : undefined;
  if (a.type === "tool-call.delta" && b.type === a.type)
    return a.call === b.call ? { ...a, text: a.text + b.text } : undefined;
  if (a.type === "tool.progress" && b.type === a.type)
    return a.call === b.call ? { ...a, text: a.text + b.text } : undefined;
  return undefined;
}
