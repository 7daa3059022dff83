/** A signal that never fires. A new one each time: what listens to it is not kept. */
export function never(): AbortSignal {
  return new AbortController().signal;
}
