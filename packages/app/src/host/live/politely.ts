/** Long work in small pieces: other requests, pings above all, are answered in between. */
import { type Clock } from "@margay/core";
import { endOfTick } from "@margay/core/internal";

const PIECE_MS = 5;

export async function* politely<Value>(
  values: AsyncIterable<Value> | Iterable<Value>,
  clock: Clock,
): AsyncGenerator<Value> {
  let since = clock.monotonic();
  for await (const value of values) {
    yield value;
    if (clock.monotonic() - since < PIECE_MS) continue;
    await endOfTick();
    since = clock.monotonic();
  }
}
