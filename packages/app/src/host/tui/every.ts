/** Something that is done again and again, until it is disposed of. */
import { systemClock } from "@margay/core/internal";

export function every(ms: number, act: () => void): Disposable {
  const wait = (): Disposable =>
    systemClock().timer(ms, () => {
      waiting = wait();
      act();
    });
  let waiting = wait();
  return { [Symbol.dispose]: () => waiting[Symbol.dispose]() };
}
